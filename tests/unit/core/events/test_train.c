/* SPDX-License-Identifier: BSD-2-Clause */
/* Following trains: what they find, and that they stay silent. */
#include "core/events/chance.h"
#include "core/events/train.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/trace.h"
#include "tests/unit/windows.h"

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

static struct trace tr;
static struct train found;

/* Follow the trace's events, in windows that may be NULL: not known. */
static bool follows(const struct train_course *course, const struct exposure *watched)
{
	return train_follow(SERIES(tr.t, tr.count, watched), course, &found);
}

static void assert_follows(const struct train_course *course, const struct exposure *watched,
			   uint64_t hits, uint64_t slots)
{
	assert_true(follows(course, watched));
	assert_int_equal(found.hits, hits);
	assert_int_equal(found.slots, slots);
}

/* Add an event in every slot but those in `missing`, a mask. */
static void fill_slots(uint64_t start, uint64_t period, unsigned slots, uint64_t missing)
{
	tr.count = 0;
	for (unsigned i = 0; i < slots; i++) {
		if (i >= 64 || !(missing >> i & 1))
			tr.t[tr.count++] = start + i * period;
	}
}

TEST(test_follow_with_holes)
{
	struct train_course course = { .start = 5 * S, .period = 10 * MS, .reach = 100000 };

	fill_slots(5 * S, 10 * MS, 20, 0x2a054);
	assert_follows(&course, NULL, 14, 20);
	assert_int_equal(train_fill(&found), 700000);

	/* The course may begin before the train does. */
	course.start = 5 * S - 20 * MS;
	assert_follows(&course, NULL, 14, 22);
	assert_int_equal(found.period, 10 * MS);
}

/* A train with enough hits is not given up, however many slots are missed. */
TEST(test_follow_many_holes)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };
	unsigned whole = 0;

	for (unsigned i = 0; i < 50; i++) {
		tr.seed = i;
		tr.count = 0;
		tr.t[tr.count++] = course.start;
		for (unsigned slot = 1; slot < 20000; slot++)
			if (trace_uniform(&tr) < 0.62)
				tr.t[tr.count++] = course.start + slot * course.period;
		if (!follows(&course, NULL))
			continue;
		assert_int_equal(found.hits, tr.count);
		whole++;
	}
	/* A few trains are given up, because by chance they have few events at the beginning. */
	print_message("%u of 50\n", whole);
	assert_in_range(whole, 45, 50);
	fill_slots(S, 20 * MS, 10000, 0);
	assert_false(follows(&course, NULL));
}

TEST(test_no_train)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };

	tr.count = 0;
	assert_false(follows(&course, NULL));
	fill_slots(S, 10 * MS, TRAIN_HITS_MIN - 1, 0);
	assert_false(follows(&course, NULL));
	fill_slots(S, 10 * MS, TRAIN_HITS_MIN, 0);
	assert_true(follows(&course, NULL));

	/* Every second slot, and just over and under the fill that makes a train. */
	fill_slots(S, 20 * MS, 100, 0);
	assert_false(follows(&course, NULL));
	fill_slots(S, 10 * MS, 20, 0x55500);
	assert_true(follows(&course, NULL));
	fill_slots(S, 10 * MS, 20, 0x55550);
	assert_int_equal(tr.count, 12);
	assert_true(follows(&course, NULL));
	fill_slots(S, 10 * MS, 20, 0x75550);
	assert_int_equal(tr.count, 11);
	assert_false(follows(&course, NULL));
}

/* A train that stopped is not waited for to the end of time. */
TEST(test_stopped_train)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };

	fill_slots(S, 10 * MS, 1000, 0);
	tr.t[tr.count++] = UINT64_C(1) << 62;
	assert_true(follows(&course, NULL));
	assert_int_equal(found.hits, 1000);
	assert_in_range(found.slots, 1000, 1100);
}

/* The jitter that was put in is found, also if its squares need scaling. */
TEST(test_jitter)
{
	static const double periods[] = { 0.0015, 1.0, 60.0 };

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct trace_train train = { .period = periods[i], .jitter = 0.01 };
		struct train_course course = {
			.period = (uint64_t)(periods[i] * TRACE_S),
			.reach = (uint64_t)(periods[i] * TRACE_S) / 8,
		};
		double wanted = train.jitter * train.period * TRACE_S;

		trace_begin(&tr, i);
		trace_add_train(&tr, &train, 2000 * periods[i]);
		trace_sort(&tr);
		course.start = tr.t[0];
		assert_true(follows(&course, NULL));
		assert_true((double)found.jitter > 0.9 * wanted);
		assert_true((double)found.jitter < 1.2 * wanted);
	}
}

static bool search(double period, double spread)
{
	struct train_choice choice = {
		.period = (uint64_t)(period * TRACE_S),
		.spread = (uint64_t)(spread * TRACE_S),
		.others = 1,
		.beat = INT64_MAX,
	};

	return train_search(SERIES(tr.t, tr.count, NULL), &choice, &found);
}

/*
 * A rearmed train whose event was too late for its reach begins again, at an event that is no hit.
 */
TEST(test_rearmed_begins_again)
{
	struct train_course course = { .period = 10 * MS, .reach = MS };

	tr.count = 0;
	for (size_t i = 0; i < 60; i++)
		tr.t[tr.count++] = S + i * 10 * MS + (i + 10) / 20 * 4 * MS;
	course.start = tr.t[0];
	assert_false(follows(&course, NULL));
	course.rearmed = true;
	/* Three times late; each time two slots are missed, and the event after them is no hit. */
	assert_follows(&course, NULL, 60 - 3 * 2, 60);

	/* The first event may come some slots after the course begins. */
	course.start = tr.t[0] - 30 * MS;
	assert_follows(&course, NULL, 60 - 3 * 2, 63);
}

TEST(test_widen_to_nothing)
{
	struct train wide;

	fill_slots(S, 10 * MS, 100, 0);
	assert_true(search(0.01, 0.0001));
	wide = found;
	train_widen(SERIES(tr.t, tr.count, NULL), &wide);
	assert_memory_equal(&wide, &found, sizeof(wide));

	/* Without its events the train stays as it was. */
	wide.jitter = wide.course.reach;
	found = wide;
	train_widen(SERIES(tr.t, 3, NULL), &wide);
	assert_memory_equal(&wide, &found, sizeof(wide));
	found.course.start = wide.course.start = 100 * S;
	train_widen(SERIES(tr.t, tr.count, NULL), &wide);
	assert_memory_equal(&wide, &found, sizeof(wide));
}

static size_t left_of(struct event_series *s, const struct train_course *course)
{
	train_remove(s, course);
	return s->count;
}

/* Windows of 0.995 s every 2 s; every slot in a window is hit, the first one at S. */
static struct windows watched;

static void fill_windows(uint64_t period, size_t windows)
{
	watched.exposure = (struct exposure){ .window = watched.window, .capacity = WINDOWS_MAX };
	tr.count = 0;
	for (size_t i = 0; i < windows; i++)
		assert_true(
			exposure_add(&watched.exposure, S + i * 2 * S, 2 * S + i * 2 * S - 5 * MS));
	for (uint64_t t = S; t < 2 * windows * S; t += period) {
		if (exposure_meets(&watched.exposure, t, t))
			tr.t[tr.count++] = t;
	}
}

/* Slots in pauses are neither hit nor missed, however many there are in a row. */
TEST(test_follow_through_pauses)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };

	fill_windows(10 * MS, 20);
	assert_int_equal(tr.count, 2000);
	assert_follows(&course, &watched.exposure, 2000, 2000);
	assert_int_equal(found.period, 10 * MS);
	/* All events, in the time that was sampled: from the first to the last one. */
	assert_int_equal(
		found.chance,
		chance_of_hits(1999, 1999, chance_share(200000 * 2000, 20 * 995 * MS - 5 * MS)));
	assert_int_equal(left_of(SERIES(tr.t, tr.count, &watched.exposure), &course), 0);

	/* Slots missed inside a window count as misses. */
	fill_windows(10 * MS, 20);
	memmove(&tr.t[500], &tr.t[530], (tr.count - 530) * sizeof(tr.t[0]));
	tr.count -= 30;
	assert_follows(&course, &watched.exposure, 1970, 2000);
	memmove(&tr.t[500], &tr.t[550], (tr.count - 550) * sizeof(tr.t[0]));
	tr.count -= 50;
	assert_follows(&course, &watched.exposure, 500, 500 + 64);

	/* If the pauses are not known, the train ends in the first. */
	fill_windows(10 * MS, 20);
	assert_true(follows(&course, NULL));
	assert_int_equal(found.hits, 100);
}

/* A course that begins before the first window; and windows that end before the events do. */
TEST(test_follow_at_the_ends_of_sampling)
{
	struct train_course course = { .start = S / 2, .period = 10 * MS, .reach = 100000 };
	uint64_t far;

	fill_windows(10 * MS, 20);
	assert_follows(&course, &watched.exposure, 2000, 2000);
	tr.t[tr.count++] = 1000 * S;
	assert_true(follows(&course, &watched.exposure));
	assert_int_equal(found.hits, 2000);

	/* A train does not continue after a pause of 13 days or more. */
	far = S + ((UINT64_C(1) << 51) / S + 1) * S;
	assert_true(exposure_add(&watched.exposure, far, far + 100 * S));
	for (unsigned i = 0; i < 1000; i++)
		tr.t[tr.count++] = far + i * 10 * MS;
	assert_true(follows(&course, &watched.exposure));
	assert_int_equal(found.hits, 2000);
	assert_true(exposure_known(&watched.exposure));
}

/* The phase of a rearmed timer after a pause is unknown: its next event is no hit. */
TEST(test_rearmed_through_pauses)
{
	struct train_course course = {
		.start = S, .period = 10 * MS, .reach = 100000, .rearmed = true
	};
	uint64_t late = 0;

	fill_windows(10 * MS, 20);
	for (size_t i = 0; i < tr.count; i++) {
		late = i % 100 ? late : late + 313 * 1000 * 7;
		tr.t[i] += late % (9 * MS);
	}
	course.start = tr.t[0];
	assert_true(follows(&course, &watched.exposure));
	assert_int_equal(found.hits, 2000 - 19);
	assert_in_range(found.slots, 2000 - 19, 2000 + 19);
	course.rearmed = false;
	assert_true(follows(&course, &watched.exposure));
	assert_true(found.hits < 500);
}

/*
 * A train in step with the windows is made by the windows, and does not count; one out of step
 * does.
 */
TEST(test_search_in_step)
{
	struct train_choice choice = { .period = 2 * S, .spread = S / 10, .others = 1 };

	fill_windows(2 * S, 40);
	assert_int_equal(tr.count, 40);
	assert_true(train_search(SERIES(tr.t, tr.count, NULL), &choice, &found));
	assert_true(found.chance < -20000);
	assert_false(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));

	/* Fewer windows than a train needs hits cannot have made the train. */
	fill_windows(200 * MS, TRAIN_HITS_MIN - 1);
	choice = (struct train_choice){ .period = 200 * MS, .spread = 10 * MS, .others = 1 };
	assert_true(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));
	assert_true(found.chance < -20000);
	fill_windows(200 * MS, TRAIN_HITS_MIN);
	assert_false(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));

	/* Events every 210 ms come at other moments of each window. */
	fill_windows(210 * MS, 40);
	choice.period = 210 * MS;
	assert_true(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));
	assert_in_range(found.hits, tr.count - tr.count / 50, tr.count);
	assert_true(found.chance < -100000);
}

/*
 * In traces without a train, a chance of 1 in 10 or less must occur in no more than 1 of 10 traces,
 * and 1 in 100 likewise. The chance is a bound: it occurs far less often.
 */
TEST(test_chance_is_honest)
{
	enum { TRACES = 400 };
	unsigned tenth = 0, hundredth = 0, any = 0;

	for (unsigned seed = 0; seed < TRACES; seed++) {
		trace_begin(&tr, seed);
		trace_add_poisson(&tr, 0.5 + 0.01 * seed, 120);
		if (tr.count < 2 || !search(0.3 + 0.02 * seed, 0.01))
			continue;
		any++;
		tenth += found.chance <= -1000;
		hundredth += found.chance <= -2000;
	}
	print_message("  %u trains in %u traces without one; at 1/10: %u, at 1/100: %u\n", any,
		      TRACES, tenth, hundredth);
	assert_true(any > TRACES / 10);
	assert_true(tenth <= TRACES / 10);
	assert_true(hundredth <= TRACES / 100);
}

TEST(test_search_without_events)
{
	tr.count = 0;
	assert_false(search(1, 0.01));
	for (tr.count = 0; tr.count < 5000; tr.count++)
		tr.t[tr.count] = 77 * S;
	assert_false(search(1, 0.01));
	/* The reach is never below what the times resolve. */
	fill_slots(S, TRAIN_PERIOD_MIN, 1000, 0);
	assert_true(search(0.00001, 0.000001));
	assert_int_equal(found.course.reach, 1000);
}
