/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distributions against published tables, fractions by hand and their definitions; the dispersion
 * of counts that were worked out by hand; the rate test against sums.
 */
#include "host/statistics/chance.h"

#include "tests/unit/draw.h"
#include "tests/unit/near.h"

#include <math.h>

/* ---- Student ---- */

/* Tables of Student's t, two-sided (Abramowitz and Stegun, table 26.10). */
TEST(test_chance)
{
	static const struct {
		double t, chance;
		size_t freedom;
	} rows[] = {
		{ 1, 0.5, 1 },
		{ 12.706, 0.05, 1 },
		{ 4.303, 0.05, 2 },
		{ 5.841, 0.01, 3 },
		{ 4.604, 0.01, 4 },
		{ 3.250, 0.01, 9 },
		{ -3.169, 0.01, 10 },
		{ 0, 1, 7 },
		{ 1.960, 0.05, 0 },
		{ 2.576, 0.01, 0 },
		{ 2.576, 0.01, 1000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (fabs(student_chance(rows[i].t, rows[i].freedom) / rows[i].chance - 1) > 1e-3)
			fail_msg("%zu: %g", i, student_chance(rows[i].t, rows[i].freedom));
}

/* The tables read in the other direction, up to the point where chance counts as 0. */
TEST(test_limit)
{
	assert_true(fabs(student_limit(0.025, 2) - 4.303) < 0.001);
	assert_true(fabs(student_limit(0.005, 10) - 3.169) < 0.001);
	assert_true(fabs(student_limit(0.025, 0) - 1.960) < 0.001);
	assert_true(student_limit(0.5, 3) < 1e-9);
	assert_true(student_limit(1e-15, 0) > 7.8 && student_limit(1e-15, 0) < 8.3);
}

/* ---- Poisson ---- */

/* The probability of `count` or fewer, term by term. */
static double at_most(unsigned count, double mean)
{
	double sum = 0;

	for (unsigned k = 0; k <= count; k++)
		sum += exp(k * log(mean) - mean - lgamma(k + 1.0));
	return sum;
}

/* The limits by Garwood's definition; for a count of 0 they are the rule of three. */
TEST(test_definition)
{
	assert_near(poisson_upper(0, 0.05), -log(0.05), 1e-9);
	assert_near(poisson_lower(0, 0.05), 0, 0);
	for (unsigned count = 1; count < 3000; count = count * 3 + 1) {
		assert_near(at_most(count, poisson_upper(count, 0.05)), 0.05, 1e-6);
		assert_near(1 - at_most(count - 1, poisson_lower(count, 0.05)), 0.05, 1e-6);
	}
}

/* There is no step where the cube root takes over, and the limit is normal far beyond. */
TEST(test_large)
{
	assert_near(poisson_upper(1e5, 0.025) / poisson_upper(99998, 0.025), 1 + 2e-5, 1e-6);
	assert_near(poisson_lower(100001, 0.025) / poisson_lower(99999, 0.025), 1 + 2e-5, 1e-6);
	assert_near((poisson_upper(1e12, 0.025) - 1e12) / 1e6, 1.959964, 1e-3);
	assert_near((poisson_lower(1e12, 0.025) - 1e12) / 1e6, -1.959964, 1e-3);
	assert_near((poisson_upper(0x1p64, 0.025) - 0x1p64) / 0x1p32, 1.959964, 1e-2);
}

/* Counts that were divided by the size of bursts lie between their neighbours. */
TEST(test_fractions)
{
	assert_true(poisson_upper(2.5, 0.05) > poisson_upper(2, 0.05));
	assert_true(poisson_upper(2.5, 0.05) < poisson_upper(3, 0.05));
	assert_true(poisson_lower(0.01, 0.05) > 0);
	assert_true(poisson_lower(0.01, 0.05) < 1e-3);
}

/* ---- The hypergeometric tail ---- */

static void assert_same(double value, double wanted)
{
	assert_near(value, wanted, 1e-9 * fabs(wanted));
}

TEST(test_by_hand)
{
	assert_same(hypergeometric_tail(10, 10, 10, 10), 1 / 184756.0);
	assert_same(hypergeometric_tail(6, 10, 10, 6), 210 / 38760.0);
	/*
	 * Draw 3 of 4 marked and 3 others: none is marked 1 in 35 times, one 12 times, two 18,
	 * three 4.
	 */
	assert_same(hypergeometric_tail(0, 4, 3, 3), 1);
	assert_same(hypergeometric_tail(1, 4, 3, 3), 34 / 35.0);
	assert_same(hypergeometric_tail(2, 4, 3, 3), 22 / 35.0);
	assert_same(hypergeometric_tail(3, 4, 3, 3), 4 / 35.0);
}

/* More than there are cannot be drawn; nor fewer marked ones than are left. */
TEST(test_ends)
{
	assert_true(hypergeometric_tail(5, 4, 3, 5) == 0);
	assert_same(hypergeometric_tail(2, 4, 3, 5), 1);
	assert_same(hypergeometric_tail(0, 0, 3, 2), 1);
	assert_true(hypergeometric_tail(1, 0, 3, 2) == 0);
	assert_true(isnan(hypergeometric_tail(1, 4, 3, 8)));
}

/* ---- Bursts ---- */

static struct dispersion of(const double *counts, size_t windows)
{
	struct dispersion_window w[24];

	assert_true(windows <= 24);
	for (size_t i = 0; i < windows; i++)
		w[i] = (struct dispersion_window){ counts[i], 1e9 };
	return dispersion_of(w, windows);
}

/* Pearson's tables: the 99th percentiles for 2, 5 and 11 degrees. */
TEST(test_chi_square)
{
	assert_near(poisson_chi_square(9.210, 2), 0.01, 1e-5);
	assert_near(poisson_chi_square(15.086, 5), 0.01, 1e-5);
	assert_near(poisson_chi_square(24.725, 11), 0.01, 1e-5);
	assert_near(poisson_chi_square(0, 3), 1, 0);
}

/*
 * A storm in two of six windows. By windows: (4 * 10^2 + 2 * 20^2) / 10 / 5 = 24. By pairs, of
 * which one is the storm: (2 * 20^2 + 40^2) / 20 / 2 = 60.
 */
TEST(test_storm)
{
	const double one[] = { 0, 0, 30, 30, 0, 0 }, apart[] = { 0, 30, 0, 0, 30, 0 };
	struct dispersion d = of(one, 6);

	assert_near(d.size, 60, 1e-9);
	assert_int_equal(d.freedom, 2);
	/*
	 * Events in two of three pairs: (2 * 10^2 + 20^2) / 20 / 2 = 15, so the windows' index
	 * counts.
	 */
	d = of(apart, 6);
	assert_near(d.size, 24, 1e-9);
	assert_int_equal(d.freedom, 5);
}

/* Independent events, counts that are too even, no events, and too few windows. */
TEST(test_independent)
{
	const double some[] = { 9, 11, 14, 8, 10, 12, 7, 10, 11, 9, 13, 6 };
	const double even[] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 };
	const double none[12] = { 0 }, storm[] = { 0, 90, 0, 0 };
	const double *all[] = { some, even, none, storm };

	for (size_t i = 0; i < 4; i++) {
		struct dispersion d = of(all[i], i < 3 ? 11 : 4);

		assert_near(d.size, 1, 0);
		assert_int_equal(d.freedom, 0);
	}
}

/* Windows of different lengths: events in proportion to time are no storm. */
TEST(test_lengths)
{
	struct dispersion_window w[] = { { 10, 1 }, { 10, 1 },   { 10, 1 },
					 { 10, 1 }, { 400, 40 }, { 10, 1 } };

	assert_near(dispersion_of(w, 6).size, 1, 0);
	w[4].length = 1;
	assert_true(dispersion_of(w, 6).size > 100);
}

/* By Student's t with 2 degrees of freedom, 5 % is at 4.303 standard deviations, not at 1.960. */
TEST(test_uncertain)
{
	const struct dispersion known = { 20, 0 }, two = { 20, 2 };
	double wide = 20 * (4.3027 / 1.95996) * (4.3027 / 1.95996);

	assert_near(dispersion_chance(&known, 1e-6), 1e-6, 0);
	/* 4.303 standard deviations are 1.685e-5 of a normal distribution. */
	assert_near(dispersion_chance(&two, 1.685e-5), 0.05, 1e-4);
	assert_near(dispersion_chance(&two, 1), 1, 1e-9);
	/* 16 standard deviations for a chance of 0: Student's t is 1 - 16 / sqrt(16^2 + 2). */
	assert_near(dispersion_chance(&two, 0), 0.0038835, 1e-6);
	assert_near(dispersion_upper(&known, 100, 0.025), 20 * poisson_upper(5, 0.025), 1e-6);
	assert_near(dispersion_lower(&known, 100, 0.025), 20 * poisson_lower(5, 0.025), 1e-6);
	assert_near(dispersion_upper(&two, 100, 0.025), wide * poisson_upper(100 / wide, 0.025),
		    0.01 * wide);
}

/* ---- The rate test ---- */

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

static double log10_p(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2)
{
	const struct ratetest_side side[2] = { { n1, t1, { 1, 0 } }, { n2, t2, { 1, 0 } } };

	return ratetest_log10_p(side, 0);
}

static void assert_chance(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2)
{
	double exact = expected(n1, t1, n2, t2), got = log10_p(n1, t1, n2, t2);

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

/* Counts over 2^24 are halved: never more significant, and a change of 1 % is still found. */
TEST(test_large_counts)
{
	const uint64_t million = 1000000;

	assert_true(log10_p(UINT64_MAX, 5, UINT64_MAX, 5) == 0);
	assert_true(log10_p(UINT64_MAX, 5, 0, 5) == RATE_LOG10_MIN);
	/* 3.16 standard deviations: 10^-2.8. */
	assert_true(log10_p(80 * million, 1, 80 * million + 40000, 1) >= -2.81);
	assert_true(log10_p(80 * million, 1, 80 * million + 800000, 1) < RATE_LOG10_MAX);
	assert_true(log10_p(UINT64_MAX, 1, UINT64_MAX / 100 * 99, 1) < RATE_LOG10_MAX);
}

/* Ten times as many is a change, also where one of three parts of a run has all its events. */
TEST(test_storm_and_more)
{
	const struct ratetest_side side[2] = { { 600000, 10, { 60, 2 } },
					       { 6000000, 10, { 1, 0 } } };

	assert_true(ratetest_log10_p(side, 0) < RATE_LOG10_MAX);
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
