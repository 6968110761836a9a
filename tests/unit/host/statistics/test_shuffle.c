/* SPDX-License-Identifier: BSD-2-Clause */
/* The permutation test against chances that can be counted by hand. */
#include "host/statistics/shuffle.h"

#include <math.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#define RUNS 12

static bool always(const void *ctx, size_t x, size_t other)
{
	(void)ctx;
	return x != other;
}

static struct shuffle_test test[3];

static struct shuffle one(size_t n, const double *x, const double *y, const double *order)
{
	memset(test, 0, sizeof(test));
	return (struct shuffle){
		n, order, x, y, 1, .level = 0.01, .joins = always, .test = test, .tests = 1
	};
}

/* y is higher in all runs of a kind: of 924 ways to deal six of twelve, two are as extreme. */
TEST(test_separated)
{
	static const double x[RUNS] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
	static double y[RUNS];
	struct shuffle s = one(RUNS, x, y, NULL);

	for (size_t r = 0; r < RUNS; r++)
		y[r] = 3 * x[r] + 1e-3 * (double)(r / 2);
	shuffle_judge(&s);
	assert_int_equal(test[0].outcome, SHUFFLE_FOUND);
	assert_true(fabs(test[0].chance * 924 / 2 - 1) < 0.4);
	assert_true(fabs(test[0].slope - 3) < 1e-9);
}

/* One run of twelve is higher, and it is the only one of its kind: that is 1 in 12. */
TEST(test_single)
{
	static const double x[RUNS] = { 0, 0, 0, 0, 1 };
	struct shuffle s = one(RUNS, x, x, NULL);

	shuffle_judge(&s);
	assert_int_equal(test[0].outcome, SHUFFLE_NOTHING);
	assert_true(fabs(test[0].chance * 12 - 1) < 0.1);
}

/* One x that goes with y, and another that does not: the likelier one is first. */
TEST(test_two)
{
	static const double x[2 * RUNS] = { 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
					    0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
	static double y[RUNS];
	struct shuffle s = one(RUNS, x, y, NULL);
	uint64_t seed = 2;

	for (size_t r = 0; r < RUNS; r++)
		y[r] = x[RUNS + r] + 0.1 * draw_normal(&seed);
	s.xs = s.tests = 2;
	test[1].x = 1;
	shuffle_judge(&s);
	assert_int_equal(test[0].x, 1);
	assert_int_equal(test[0].outcome, SHUFFLE_FOUND);
	assert_int_equal(test[1].outcome, SHUFFLE_NOTHING);
}

/* Without any relation, 1 in 20 chances is below 0.05, whatever the distribution. */
TEST(test_silence)
{
	static const double x[RUNS] = { 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1 };
	static double y[RUNS], order[RUNS];
	struct shuffle s = one(RUNS, x, y, order);
	uint64_t seed = 1;
	size_t below = 0;

	for (size_t r = 0; r < RUNS; r++)
		order[r] = (double)r;
	for (size_t i = 0; i < 100; i++) {
		for (size_t r = 0; r < RUNS; r++)
			y[r] = exp(2 * draw_normal(&seed));
		shuffle_judge(&s);
		below += test[0].chance < 0.05;
	}
	/* A mean of 5 in 100 trials: more than 12 occur 1 time in 700. */
	assert_in_range(below, 1, 12);
}

TEST(test_spread)
{
	static const double x[4] = { 0, 0, 1, 1 }, y[4] = { 1, 3, 10, 12 };
	struct shuffle s = one(4, x, y, NULL);
	size_t freedom;

	/* Each value is 1 away from the mean of its kind: the square root of 4 over 2. */
	assert_true(fabs(shuffle_spread(&s, 0, &freedom) - sqrt(2)) < 1e-9);
	assert_int_equal(freedom, 2);
	s.n = 2;
	shuffle_spread(&s, 0, &freedom);
	assert_int_equal(freedom, 1);
}

/* Each item is first as often as any other, and as often in its old place. */
TEST(test_deal)
{
	size_t place[5] = { 0 };
	uint64_t seed = 7;

	for (size_t i = 0; i < 5000; i++) {
		size_t item[5] = { 0, 1, 2, 3, 4 }, seen = 0;

		shuffle_deal(item, 5, &seed);
		for (size_t k = 0; k < 5; k++)
			seen |= (size_t)1 << item[k];
		assert_int_equal(seen, 31);
		place[item[0]]++;
	}
	for (size_t k = 0; k < 5; k++)
		assert_in_range(place[k], 850, 1150);
}

TEST_GROUP(NULL, NULL);
