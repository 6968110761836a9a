/* SPDX-License-Identifier: BSD-2-Clause */
/* The hypergeometric tail against fractions by hand, and against what a distribution must be. */
#include "host/statistics/hypergeometric.h"

#include <math.h>

#include "tests/unit/common/test.h"

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fabs(wanted)))
		fail_msg("%.12g is not %.12g", value, wanted);
}

TEST(test_by_hand)
{
	assert_near(hypergeometric_tail(10, 10, 10, 10), 1 / 184756.0);
	assert_near(hypergeometric_tail(6, 10, 10, 6), 210 / 38760.0);
	/* Of 4 and 3, 3 are drawn: none is marked 1 in 35 times, one 12 times, two 18, three 4. */
	assert_near(hypergeometric_tail(0, 4, 3, 3), 1);
	assert_near(hypergeometric_tail(1, 4, 3, 3), 34 / 35.0);
	assert_near(hypergeometric_tail(2, 4, 3, 3), 22 / 35.0);
	assert_near(hypergeometric_tail(3, 4, 3, 3), 4 / 35.0);
}

/* More than there are cannot be drawn; nor fewer marked ones than are left. */
TEST(test_ends)
{
	assert_true(hypergeometric_tail(5, 4, 3, 5) == 0);
	assert_near(hypergeometric_tail(2, 4, 3, 5), 1);
	assert_near(hypergeometric_tail(0, 0, 3, 2), 1);
	assert_true(hypergeometric_tail(1, 0, 3, 2) == 0);
	assert_true(isnan(hypergeometric_tail(1, 4, 3, 8)));
}

/* Who is marked and who is drawn may be exchanged. */
TEST(test_symmetry)
{
	for (uint64_t least = 0; least <= 60; least++)
		assert_near(hypergeometric_tail(least, 60, 440, 200),
			    hypergeometric_tail(least, 200, 300, 60));
}
