/* SPDX-License-Identifier: BSD-2-Clause */
/* The dispersion of counts that were worked out by hand, and its use. */
#include "host/statistics/dispersion.h"
#include "host/statistics/poisson.h"

#include <math.h>

#include "tests/unit/common/test.h"

static void assert_near(double value, double wanted, double within)
{
	if (!(fabs(value - wanted) <= within))
		fail_msg("%.9g is not %.9g", value, wanted);
}

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
	/* In two of three pairs: (2 * 10^2 + 20^2) / 20 / 2 = 15, so the windows have it. */
	d = of(apart, 6);
	assert_near(d.size, 24, 1e-9);
	assert_int_equal(d.freedom, 5);
}

/* What chance does, counts that are too even, no events, and too few windows. */
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

/* Windows of other lengths: as many events as time is no storm. */
TEST(test_lengths)
{
	struct dispersion_window w[] = { { 10, 1 }, { 10, 1 },   { 10, 1 },
					 { 10, 1 }, { 400, 40 }, { 10, 1 } };

	assert_near(dispersion_of(w, 6).size, 1, 0);
	w[4].length = 1;
	assert_true(dispersion_of(w, 6).size > 100);
}

/* By Student's t for 2 degrees, 5 % is 4.303 standard deviations, not 1.960. */
TEST(test_uncertain)
{
	const struct dispersion known = { 20, 0 }, two = { 20, 2 };
	double wide = 20 * (4.3027 / 1.95996) * (4.3027 / 1.95996);

	assert_near(dispersion_chance(&known, 1e-6), 1e-6, 0);
	/* 4.303 standard deviations are 1.685e-5 of a normal distribution. */
	assert_near(dispersion_chance(&two, 1.685e-5), 0.05, 1e-4);
	assert_near(dispersion_chance(&two, 1), 1, 1e-9);
	assert_near(dispersion_upper(&known, 100, 0.025), 20 * poisson_upper(5, 0.025), 1e-6);
	assert_near(dispersion_lower(&known, 100, 0.025), 20 * poisson_lower(5, 0.025), 1e-6);
	assert_near(dispersion_upper(&two, 100, 0.025), wide * poisson_upper(100 / wide, 0.025),
		    0.01 * wide);
}
