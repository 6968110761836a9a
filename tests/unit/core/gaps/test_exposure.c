/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows and the pauses between them. */
#include "core/gaps/exposure.h"

#include "tests/unit/common/test.h"

#define ROOM 4

static struct exposure_window window[ROOM];
static struct exposure e;

/* 100-200, 300-400, 1000-2000 */
static void three_windows(void)
{
	e = (struct exposure){ .window = window, .capacity = ROOM };
	assert_true(exposure_add(&e, 100, 200));
	assert_true(exposure_add(&e, 300, 400));
	assert_true(exposure_add(&e, 1000, 2000));
}

TEST_F(three_windows, NULL, test_add)
{
	assert_false(exposure_add(&e, 2500, 2500));
	assert_false(exposure_add(&e, 2500, 2400));
	assert_false(exposure_add(&e, 1999, 2400));
	assert_int_equal(e.count, 3);
	/* Without a pause. */
	assert_true(exposure_add(&e, 2000, 2001));
	assert_int_equal(e.count, ROOM);
	assert_false(exposure_add(&e, 3000, 4000));
	assert_int_equal(e.count, ROOM);
}

TEST_F(three_windows, NULL, test_unknown)
{
	const struct exposure none = { 0 };
	const struct exposure *unknown[] = { NULL, &none };

	assert_true(exposure_known(&e));
	for (unsigned i = 0; i < 2; i++) {
		assert_false(exposure_known(unknown[i]));
		assert_int_equal(exposure_between(unknown[i], 50, 250), 200);
		assert_true(exposure_meets(unknown[i], 210, 220));
		assert_int_equal(exposure_next(unknown[i], 0), UINT64_MAX);
	}
}

TEST_F(three_windows, NULL, test_window_of)
{
	static const struct {
		uint64_t t;
		size_t window;
	} cases[] = { { 0, 0 },   { 99, 0 },  { 100, 0 },  { 200, 0 },  { 299, 0 },
		      { 300, 1 }, { 999, 1 }, { 1000, 2 }, { 5000, 2 }, { UINT64_MAX, 2 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(exposure_window_of(&e, cases[i].t), cases[i].window);
}

/* Compare with a count of single instants. */
TEST_F(three_windows, NULL, test_between)
{
	for (uint64_t from = 0; from < 2200; from += 7) {
		uint64_t sampled = 0;

		for (uint64_t to = from; to < 2200; to++) {
			assert_int_equal(exposure_between(&e, from, to), sampled);
			sampled += (to >= 100 && to < 200) || (to >= 300 && to < 400) ||
				   (to >= 1000 && to < 2000);
		}
	}
	assert_int_equal(exposure_between(&e, 0, UINT64_MAX), 1200);
}

TEST_F(three_windows, NULL, test_meets)
{
	assert_false(exposure_meets(&e, 0, 99));
	assert_true(exposure_meets(&e, 0, 100));
	assert_true(exposure_meets(&e, 150, 150));
	assert_true(exposure_meets(&e, 200, 250));
	assert_false(exposure_meets(&e, 201, 299));
	assert_true(exposure_meets(&e, 201, 300));
	/* A window wholly inside. */
	assert_true(exposure_meets(&e, 250, 900));
	assert_false(exposure_meets(&e, 2001, UINT64_MAX));
}

TEST_F(three_windows, NULL, test_next)
{
	assert_int_equal(exposure_next(&e, 0), 100);
	assert_int_equal(exposure_next(&e, 99), 100);
	assert_int_equal(exposure_next(&e, 100), 300);
	assert_int_equal(exposure_next(&e, 999), 1000);
	assert_int_equal(exposure_next(&e, 1000), UINT64_MAX);
}
