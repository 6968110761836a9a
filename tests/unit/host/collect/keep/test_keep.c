/* SPDX-License-Identifier: BSD-2-Clause */
/* Which clock --keep believes; which runs it removes is in tests/system/test_keep.py. */
#include "tests/unit/common/test.h"

#include "host/collect/keep/keep.h"

#define NOW UINT64_C(1700000000)

TEST(test_steady_clock)
{
	struct keep_clock clock = { 0 };

	/* Whatever it is at first; corrected a little each time. */
	for (uint64_t s = 0; s < 100000; s += 600)
		assert_true(keep_believes(&clock, NOW + s + s / 600 * (KEEP_STEP_S - 1), 5 + s));
	clock = (struct keep_clock){ 0 };
	assert_true(keep_believes(&clock, 0, 100000));
	assert_true(keep_believes(&clock, 600, 100600));
}

TEST(test_clock_that_is_set)
{
	static const int64_t steps_s[] = { KEEP_STEP_S, -KEEP_STEP_S, 200 * 86400, -200 * 86400 };

	for (size_t i = 0; i < sizeof(steps_s) / sizeof(steps_s[0]); i++) {
		struct keep_clock clock = { 0 };
		uint64_t set = NOW + (uint64_t)steps_s[i];

		assert_true(keep_believes(&clock, NOW, 5));
		assert_false(keep_believes(&clock, set + 600, 605));
		assert_false(keep_believes(&clock, set + 600, 605));
		assert_false(keep_believes(&clock, set + 600 + KEEP_LEAST_S - 1,
					   605 + KEEP_LEAST_S - 1));
		assert_true(keep_believes(&clock, set + 600 + KEEP_LEAST_S, 605 + KEEP_LEAST_S));
		/* Set right again. */
		assert_false(keep_believes(&clock, NOW + 20000, 20005));
	}
}
