/* SPDX-License-Identifier: BSD-2-Clause */
/* Room in the firmware's store of variables. */
#include "probe/save/nvram.h"

#include "tests/unit/common/test.h"

#define ALL  57344u
#define MOST 3000u

/*
 * A hundred checkpoints are wanted. The store takes fewer; the report at the end, which has grown
 * since, finds room all the same, and the firmware keeps what is its own.
 */
TEST(test_checkpoints_leave_room)
{
	static const size_t sizes[] = { 300, 1500, MOST };

	for (unsigned i = 0; i < 3; i++) {
		size_t left = ALL - 15000, last = 2 * sizes[i] < MOST ? 2 * sizes[i] : MOST;
		unsigned taken = 0;

		while (taken < 100 && nvram_checkpoints(nvram_usable(ALL, left), sizes[i], MOST)) {
			left -= nvram_cost(sizes[i]);
			taken++;
		}
		assert_true(taken > 0 && taken < 100);
		assert_true(left >= ALL / 4 + nvram_cost(last));
	}
}

/*
 * A report that was short at the checkpoints ends with what it had no reason to have then: totals,
 * sources, verdict and reasons, some 4 KB. So much fits behind as many checkpoints as are allowed.
 */
TEST(test_a_short_report_may_grow)
{
	static const struct {
		size_t bytes, most, last;
	} rows[] = {
		{ 100, 12000, 200 + 4096 },
		{ 900, 12000, 1800 + 4096 },
		{ 3000, 12000, 6000 + 4096 },
		{ 900, MOST, MOST },
	};

	for (unsigned i = 0; i < 4; i++) {
		for (uint64_t left = 1000; left < ALL; left += 777) {
			uint64_t count = nvram_checkpoints(left, rows[i].bytes, rows[i].most);

			if (count)
				assert_true(left >= count * nvram_cost(rows[i].bytes) +
							    nvram_cost(rows[i].last));
		}
	}
}

TEST(test_room)
{
	/* In EDK II, a variable's head has 60 bytes, and this name 34. */
	assert_true(nvram_cost(500) >= 500 + 60 + 2 * sizeof(SAVED_NAME));
	assert_int_equal(nvram_usable(1000, 1000), 750);
	assert_int_equal(nvram_usable(1000, 250), 0);
	assert_int_equal(nvram_usable(1000, 100), 0);
	assert_int_equal(nvram_checkpoints(0, 500, MOST), 0);
	assert_true(nvram_checkpoints(UINT32_MAX, 500, MOST) > 100);
}
