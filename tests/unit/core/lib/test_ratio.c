/* SPDX-License-Identifier: BSD-2-Clause */
/* Ratios at their edges, and as parts per million. Records may hold anything: nothing wraps. */
#include "core/lib/ratio.h"

#include "tests/unit/common/test.h"

TEST(test_known)
{
	assert_int_equal(ratio_of(3, 2), RATIO_ONE + RATIO_ONE / 2);
	assert_int_equal(ratio_of(0, 2), 0);
	assert_int_equal(ratio_of(UINT64_MAX, UINT64_MAX), RATIO_ONE);
	assert_int_equal(ratio_of(UINT64_MAX, UINT64_MAX / 2 + 1), 2 * RATIO_ONE - 1);
}

TEST(test_share)
{
	assert_int_equal(ratio_share(1, 3, 4, false), 3333);
	assert_int_equal(ratio_share(1, 3, 4, true), 3334);
	assert_int_equal(ratio_share(1, 4, 2, true), 25);
	assert_int_equal(ratio_share(UINT64_MAX, 1, RATIO_PPM, true), UINT64_MAX);
	assert_int_equal(ratio_share(UINT64_MAX, UINT64_MAX, RATIO_PPM, false), 1000000);
}

TEST(test_not_known)
{
	assert_int_equal(ratio_of(1, 0), 0);
	assert_int_equal(ratio_of(UINT64_MAX, 1), 0);
}

TEST(test_ppm)
{
	assert_int_equal(ratio_ppm(0), 0);
	assert_int_equal(ratio_ppm(RATIO_ONE + RATIO_ONE / 4), 1250000);
	/* A third rounds down, two thirds round up. */
	assert_int_equal(ratio_ppm(ratio_of(1, 3)), 333333);
	assert_int_equal(ratio_ppm(ratio_of(2, 3)), 666667);
}
