/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning of rates with events that recur, or never come. */
#include "arch/spans.h"

#include "tests/unit/common/test.h"

#define LONGEST  UINT64_C(8000000)
#define SHORTEST UINT64_C(500000)
#define WANTED   8u
#define LENGTH   UINT64_C(20000) /* length of a gap */

/* A core that something takes for LENGTH, `period` ticks after it has ended the last time. */
static struct {
	uint64_t now, next, period; /* 0: never */
	uint64_t spent;
	unsigned whole, over; /* learned from, without a gap in it and with */
	uint64_t shortest;
} core;

static bool sample(uint64_t ticks, bool through)
{
	uint64_t end = core.now + ticks;
	bool whole = true;

	while (core.period && core.next <= end && (whole || through)) {
		core.now = core.next + LENGTH;
		core.next = core.now + core.period;
		whole = false;
	}
	if (core.now < end && (whole || through))
		core.now = end;
	return whole;
}

static void learn(uint64_t period)
{
	struct spans s = spans_of(LONGEST, SHORTEST, WANTED);

	core.now = core.whole = core.over = 0;
	core.period = period;
	core.next = period / 3;
	core.shortest = LONGEST;
	while (spans_more(&s)) {
		bool whole = sample(s.ticks, s.through);

		assert_in_range(s.ticks, SHORTEST, LONGEST);
		if (s.ticks < core.shortest)
			core.shortest = s.ticks;
		if (!spans_take(&s, whole))
			continue;
		core.whole += whole;
		core.over += !whole;
	}
}

TEST(test_nothing_comes)
{
	learn(0);
	assert_int_equal(core.whole, WANTED);
	assert_int_equal(core.over, 0);
	assert_int_equal(core.now, WANTED * LONGEST);
}

/* If the shortest span fits between interruptions, only such spans are learned from. */
TEST(test_something_comes_again_and_again)
{
	for (uint64_t period = SHORTEST + LENGTH; period < 10 * LONGEST; period += 77777) {
		learn(period);
		assert_int_equal(core.over, 0);
		assert_int_equal(core.whole, WANTED);
		/* Spans are no shorter than necessary. */
		assert_true(core.shortest == LONGEST || core.shortest * 4 > period);
	}
}

/*
 * No span fits between gaps: all go over gaps, as long as they may, and after so many tries
 * learning ends.
 */
TEST(test_it_comes_too_often)
{
	learn(SHORTEST / 2);
	assert_int_equal(core.whole, 0);
	assert_int_equal(core.over, WANTED);
	assert_true(core.now <= (SPANS_TRIES + 1) * WANTED * LONGEST);
}

/* The last tries are lost: the spans so far have to suffice, and are not diluted. */
TEST(test_it_comes_later)
{
	struct spans s = spans_of(LONGEST, SHORTEST, WANTED);
	unsigned tries = 0;

	assert_true(spans_more(&s));
	assert_true(spans_take(&s, true));
	for (; spans_more(&s); tries++)
		assert_false(spans_take(&s, false));
	assert_int_equal(tries, SPANS_TRIES * WANTED - 1);
	assert_false(s.through);
}
