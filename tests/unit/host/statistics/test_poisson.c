/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of a Poisson mean, against published ones and against the probabilities they stand for. */
#include "host/statistics/poisson.h"

#include <math.h>

#include "tests/unit/common/test.h"

static void assert_near(double value, double wanted, double within)
{
	if (!(fabs(value - wanted) <= within))
		fail_msg("%.9g is not %.9g", value, wanted);
}

/* Garwood's table, 95 % two-sided, as Johnson, Kotz and Kemp's Univariate Discrete Distributions.
 */
TEST(test_published)
{
	static const struct {
		double count, lower, upper;
	} rows[] = {
		{ 0, 0, 3.689 },      { 1, 0.0253, 5.572 },   { 2, 0.2422, 7.225 },
		{ 5, 1.623, 11.668 }, { 10, 4.795, 18.390 },  { 20, 12.217, 30.888 },
		{ 50, 37.11, 65.92 }, { 100, 81.36, 121.63 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_near(poisson_lower(rows[i].count, 0.025), rows[i].lower,
			    0.0006 * (1 + rows[i].lower));
		assert_near(poisson_upper(rows[i].count, 0.025), rows[i].upper,
			    0.0006 * (1 + rows[i].upper));
	}
}

/* The rule of three. */
TEST(test_nothing_seen)
{
	assert_near(poisson_upper(0, 0.05), -log(0.05), 1e-9);
	assert_near(poisson_upper(0, 0.01), -log(0.01), 1e-9);
	assert_near(poisson_lower(0, 0.05), 0, 0);
}

/* The probability of `count` or fewer, term by term. */
static double at_most(unsigned count, double mean)
{
	double sum = 0;

	for (unsigned k = 0; k <= count; k++)
		sum += exp(k * log(mean) - mean - lgamma(k + 1.0));
	return sum;
}

TEST(test_definition)
{
	for (unsigned count = 1; count < 3000; count = count * 3 + 1) {
		assert_near(at_most(count, poisson_upper(count, 0.05)), 0.05, 1e-6);
		assert_near(1 - at_most(count - 1, poisson_lower(count, 0.05)), 0.05, 1e-6);
	}
}

/* No step where the cube root takes over, and the normal limit far beyond it. */
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
