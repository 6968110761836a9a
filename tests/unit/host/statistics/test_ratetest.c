/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate test against sums of binomial terms, and how often it is wrong on drawn counts. */
#include "host/statistics/ratetest.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* log of C(n, k) p^k (1-p)^(n-k) */
static long double log_term(uint64_t n, uint64_t k, long double p)
{
	return lgammal(n + 1.0L) - lgammal(k + 1.0L) - lgammal(n - k + 1.0L) + k * logl(p) +
	       (n - k) * log1pl(-p);
}

/* Twice the smaller tail, at most 1; log10 in thousandths. */
static long double expected(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2)
{
	long double p = (long double)t2 / ((long double)t1 + t2), low = 0, high = 0, tail;

	for (uint64_t k = 0; k <= n1 + n2; k++) {
		long double term = expl(log_term(n1 + n2, k, p));

		if (k <= n2)
			low += term;
		if (k >= n2)
			high += term;
	}
	tail = 2 * (low < high ? low : high);
	return tail < 1 ? 1000 * log10l(tail) : 0;
}

static void assert_chance(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2)
{
	long double exact = expected(n1, t1, n2, t2);
	int64_t got = ratetest_chance(n1, t1, n2, t2);

	if (exact < RATE_CHANCE_MIN)
		exact = RATE_CHANCE_MIN;
	if (fabsl(got - exact) > 2)
		fail_msg("%llu/%llu and %llu/%llu: %lld, exactly %Lf", (unsigned long long)n1,
			 (unsigned long long)t1, (unsigned long long)n2, (unsigned long long)t2,
			 (long long)got, exact);
}

TEST(test_against_sums)
{
	static const uint64_t times[] = { 1, 3, 1000, 60000000000, UINT64_C(1) << 62 };

	for (unsigned i = 0; i < 3000; i++) {
		uint64_t most = 1 + draw(i % 3 == 0 ? 8 : i % 3 == 1 ? 100 : 3000);
		uint64_t t1 = times[draw(5)];
		uint64_t t2 = draw(2) ? t1 : t1 / (1 + draw(9)) + 1;

		assert_chance(draw(most), t1, draw(most), t2);
	}
}

TEST(test_edges)
{
	assert_int_equal(ratetest_chance(0, 1, 0, 1), 0);
	assert_int_equal(ratetest_chance(5, 10, 5, 10), 0);
	assert_chance(10, 1, 0, 1);
	assert_chance(0, 1, 10, 1);
	assert_chance(1, UINT64_C(1) << 62, 1, 1);
	assert_int_equal(ratetest_chance(1000, 1, 0, 1), RATE_CHANCE_MIN);
	/* 20 against 0 in the same time: 2 * 2^-20. */
	assert_in_range(-ratetest_chance(20, 7, 0, 7), 5718, 5722);
}

/* Past 2^24 counts are halved: never more significant, and a change of 1 % is still found. */
TEST(test_large_counts)
{
	const uint64_t million = 1000000;

	assert_chance(50000, 1, 50700, 1);
	assert_int_equal(ratetest_chance(UINT64_MAX, 5, UINT64_MAX, 5), 0);
	assert_int_equal(ratetest_chance(UINT64_MAX, 5, 0, 5), RATE_CHANCE_MIN);
	/* 3.16 standard deviations: 10^-2.8. */
	assert_true(ratetest_chance(80 * million, 1, 80 * million + 40000, 1) >= -2810);
	assert_int_equal(ratetest_change(80 * million, 1, 80 * million + 800000, 1), RATE_MORE);
	assert_int_equal(ratetest_change(UINT64_MAX, 1, UINT64_MAX / 100 * 99, 1), RATE_LESS);
}

TEST(test_directions)
{
	assert_int_equal(ratetest_change(100, 10, 20, 10), RATE_LESS);
	assert_int_equal(ratetest_change(20, 10, 100, 10), RATE_MORE);
	assert_int_equal(ratetest_change(100, 10, 99, 10), RATE_SAME);
	/* By the rates, not the counts. */
	assert_int_equal(ratetest_change(100, 10, 200, 100), RATE_LESS);
	assert_int_equal(ratetest_change(100, 100, 50, 10), RATE_MORE);
	assert_int_equal(ratetest_change(0, 10, 0, 10), RATE_SAME);
	assert_int_equal(ratetest_change(3, 10, 0, 10), RATE_SAME);
	assert_int_equal(ratetest_change(1, 0, 1, 10), RATE_NOT_COMPARED);
	assert_int_equal(ratetest_change(1, 10, 1, 0), RATE_NOT_COMPARED);
	assert_string_equal(ratetest_change_name(RATE_LESS), "less");
	assert_string_equal(ratetest_change_name(RATE_MORE), "more");
	assert_string_equal(ratetest_change_name(RATE_SAME), "same");
	assert_null(ratetest_change_name(RATE_NOT_COMPARED));
}

/* A Poisson count by the time between its events. */
static uint64_t poisson(double mean)
{
	double left = mean;
	uint64_t n = 0;

	while ((left += log((draw(1u << 30) + 1.0) / (1u << 30))) > 0)
		n++;
	return n;
}

/* Silent where nothing changed: at 1 in 100, an exact test errs less often than that. */
TEST(test_false_alarms)
{
	unsigned alarms = 0, found = 0;

	for (unsigned i = 0; i < 4000; i++) {
		double mean = 1 + (double)draw(60);

		alarms += ratetest_change(poisson(mean), 7, poisson(2 * mean), 14) != RATE_SAME;
		found += ratetest_change(poisson(100), 7, poisson(40), 7) == RATE_LESS;
	}
	/* 40 are allowed; 3 standard deviations more. */
	assert_true(alarms <= 59);
	assert_true(found >= 3800);
}
