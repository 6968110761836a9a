/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate test against sums of binomial terms, and how often it is wrong on drawn counts. */
#include "host/statistics/ratetest.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#include <math.h>

/* log of C(n, k) p^k (1-p)^(n-k) */
static long double log_term(uint64_t n, uint64_t k, long double p)
{
	return lgammal(n + 1.0L) - lgammal(k + 1.0L) - lgammal(n - k + 1.0L) + k * logl(p) +
	       (n - k) * log1pl(-p);
}

/* log10 of twice the smaller tail, which is at most 1. */
static double expected(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2)
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
	return tail < 1 ? fmax((double)log10l(tail), RATE_LOG10_MIN) : 0;
}

static struct ratetest judge(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2)
{
	const struct ratetest_side side[2] = { { n1, t1, { 1, 0 } }, { n2, t2, { 1, 0 } } };

	return ratetest_judge(side);
}

static void assert_chance(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2)
{
	double exact = expected(n1, t1, n2, t2), got = judge(n1, t1, n2, t2).log10_p;

	if (fabs(got - exact) > 1e-6)
		fail_msg("%llu/%llu and %llu/%llu: %f, exactly %f", (unsigned long long)n1,
			 (unsigned long long)t1, (unsigned long long)n2, (unsigned long long)t2,
			 got, exact);
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
	assert_chance(10, 1, 0, 1);
	assert_chance(0, 1, 10, 1);
	assert_chance(0, 1, 0, 1);
	assert_chance(1000, 1, 0, 1);
	assert_chance(1, UINT64_C(1) << 62, 1, 1);
	assert_chance(50000, 1, 50700, 1);
}

/* Past 2^24 counts are halved: never more significant, and a change of 1 % is still found. */
TEST(test_large_counts)
{
	const uint64_t million = 1000000;

	assert_true(judge(UINT64_MAX, 5, UINT64_MAX, 5).log10_p == 0);
	assert_true(judge(UINT64_MAX, 5, 0, 5).log10_p == RATE_LOG10_MIN);
	/* 3.16 standard deviations: 10^-2.8. */
	assert_true(judge(80 * million, 1, 80 * million + 40000, 1).log10_p >= -2.81);
	assert_int_equal(judge(80 * million, 1, 80 * million + 800000, 1).change, RATE_MORE);
	assert_int_equal(judge(UINT64_MAX, 1, UINT64_MAX / 100 * 99, 1).change, RATE_LESS);
}

/* A change is judged by the rates, not by the counts. */
TEST(test_directions)
{
	static const struct {
		uint64_t before, time_before, after, time_after;
		enum ratetest_change change;
		const char *name;
	} cases[] = {
		{ 100, 10, 20, 10, RATE_LESS, "less" },  { 20, 10, 100, 10, RATE_MORE, "more" },
		{ 100, 10, 99, 10, RATE_SAME, "same" },  { 100, 10, 200, 100, RATE_LESS, "less" },
		{ 100, 100, 50, 10, RATE_MORE, "more" }, { 0, 10, 0, 10, RATE_SAME, "same" },
		{ 3, 10, 0, 10, RATE_SAME, "same" },     { 1, 0, 1, 10, RATE_NOT_COMPARED, NULL },
		{ 1, 10, 1, 0, RATE_NOT_COMPARED, NULL }
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum ratetest_change change = judge(cases[i].before, cases[i].time_before,
						    cases[i].after, cases[i].time_after)
						      .change;

		assert_int_equal(change, cases[i].change);
		if (cases[i].name)
			assert_string_equal(ratetest_change_name(change), cases[i].name);
		else
			assert_null(ratetest_change_name(change));
	}
}

static void assert_printed(double log10_p, const char *wanted)
{
	TEXT_DEFINE(t, 40);

	ratetest_add_p(&t, log10_p);
	assert_string_equal(t.buf, wanted);
}

TEST(test_a_probability_is_printed)
{
	assert_printed(0, "p 1");
	assert_printed(log10(0.32), "p 0.32");
	assert_printed(log10(1.2e-6), "p 1.2e-06");
	assert_printed(log10(1.8e-15), "p 1.8e-15");
	assert_printed(log10(1e-15), "p under 1e-15");
}

/* Draw a Poisson count by the times between its events. */
static uint64_t poisson(double mean)
{
	double left = mean;
	uint64_t n = 0;

	while ((left += log((draw(1u << 30) + 1.0) / (1u << 30))) > 0)
		n++;
	return n;
}

/* Where nothing has changed, an exact test at 1 in 100 errs less often than that. */
TEST(test_false_alarms)
{
	unsigned alarms = 0, found = 0;

	for (unsigned i = 0; i < 4000; i++) {
		double mean = 1 + (double)draw(60);

		alarms += judge(poisson(mean), 7, poisson(2 * mean), 14).change != RATE_SAME;
		found += judge(poisson(100), 7, poisson(40), 7).change == RATE_LESS;
	}
	/* 40 are allowed; 19 more are 3 standard deviations. */
	assert_true(alarms <= 59);
	assert_true(found >= 3800);
}
