/* SPDX-License-Identifier: BSD-2-Clause */
/* Following trains, and the Rayleigh test: what they find, and that they stay silent. */
#include "core/events/chance.h"
#include "core/events/rayleigh.h"
#include "core/events/train.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/trace.h"
#include "tests/unit/windows.h"

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

static struct trace tr;

/* Every slot but those in `missing`, a mask. */
static void fill_slots(uint64_t start, uint64_t period, unsigned slots, uint64_t missing)
{
	tr.count = 0;
	for (unsigned i = 0; i < slots; i++) {
		if (i >= 64 || !(missing >> i & 1))
			tr.t[tr.count++] = start + i * period;
	}
}

TEST(test_follow_exact)
{
	struct train_course course = { .start = 5 * S, .period = 10 * MS, .reach = 100000 };
	struct train found;

	fill_slots(5 * S, 10 * MS, 100, 0);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 100);
	assert_int_equal(found.slots, 100);
	assert_int_equal(found.period, 10 * MS);
	assert_int_equal(found.jitter, 0);
	assert_int_equal(train_fill(&found), 1000000);
	/* 99 slots, each hit with 2 * 0.1 ms * 100 / 990 ms. */
	assert_int_equal(found.chance, chance_of_hits(99, 99, chance_share(20, 990)));
}

TEST(test_follow_with_holes)
{
	struct train_course course = { .start = 5 * S, .period = 10 * MS, .reach = 100000 };
	struct train found;

	fill_slots(5 * S, 10 * MS, 20, 0x2a054);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 14);
	assert_int_equal(found.slots, 20);
	assert_int_equal(train_fill(&found), 700000);

	/* The course may begin before the train does. */
	course.start = 5 * S - 20 * MS;
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 14);
	assert_int_equal(found.slots, 22);
	assert_int_equal(found.period, 10 * MS);
}

/* Not given up, however many slots are missing, as long as enough are hit. */
TEST(test_follow_many_holes)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };
	struct train found;
	unsigned whole = 0;

	for (unsigned i = 0; i < 50; i++) {
		tr.seed = i;
		tr.count = 0;
		tr.t[tr.count++] = course.start;
		for (unsigned slot = 1; slot < 20000; slot++)
			if (trace_uniform(&tr) < 0.62)
				tr.t[tr.count++] = course.start + slot * course.period;
		if (!train_follow(SERIES(tr.t, tr.count, NULL), &course, &found))
			continue;
		assert_int_equal(found.hits, tr.count);
		whole++;
	}
	/* By chance its beginning has few: it is given up, one in some dozens. */
	print_message("%u of 50\n", whole);
	assert_in_range(whole, 45, 50);
	fill_slots(S, 20 * MS, 10000, 0);
	assert_false(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
}

TEST(test_follow_corrects_period)
{
	struct train_course course = { .start = S, .period = 101 * MS / 10, .reach = MS };
	struct train found;

	fill_slots(S, 10 * MS, 1000, 0);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 1000);
	assert_int_equal(found.period, 10 * MS);

	/* Too far off for its reach. */
	course.reach = 20000;
	assert_false(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
}

TEST(test_no_train)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };
	struct train found;

	assert_false(train_follow(SERIES(tr.t, 0, NULL), &course, &found));
	fill_slots(S, 10 * MS, TRAIN_HITS_MIN - 1, 0);
	assert_false(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	fill_slots(S, 10 * MS, TRAIN_HITS_MIN, 0);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));

	/* Every second slot, and just over and under the fill that makes a train. */
	fill_slots(S, 20 * MS, 100, 0);
	assert_false(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	fill_slots(S, 10 * MS, 20, 0x55500);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	fill_slots(S, 10 * MS, 20, 0x55550);
	assert_int_equal(tr.count, 12);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	fill_slots(S, 10 * MS, 20, 0x75550);
	assert_int_equal(tr.count, 11);
	assert_false(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
}

/* A train that stopped is not waited for to the end of time. */
TEST(test_stopped_train)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };
	struct train found;

	fill_slots(S, 10 * MS, 1000, 0);
	tr.t[tr.count++] = UINT64_C(1) << 62;
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 1000);
	assert_in_range(found.slots, 1000, 1100);
}

TEST(test_far_times)
{
	uint64_t last = UINT64_MAX - 3 * S;
	struct train_course course = {
		.start = last - 99 * S,
		.period = S,
		.reach = S / 8,
	};
	struct train found;

	fill_slots(course.start, S, 100, 0);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 100);

	/* The next slot would be past the last time there is. */
	fill_slots(UINT64_MAX - 99 * S, S, 100, 0);
	course.start = tr.t[0];
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 100);

	course.start = UINT64_MAX;
	assert_false(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
}

/* The jitter that was put in comes out, also where its squares need scaling. */
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
		struct train found;

		trace_begin(&tr, i);
		trace_add_train(&tr, &train, 2000 * periods[i]);
		trace_sort(&tr);
		course.start = tr.t[0];
		assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
		assert_true((double)found.jitter > 0.9 * wanted);
		assert_true((double)found.jitter < 1.2 * wanted);
	}
}

static bool search(double period, double spread, struct train *found)
{
	struct train_choice choice = {
		.period = (uint64_t)(period * TRACE_S),
		.spread = (uint64_t)(spread * TRACE_S),
		.others = 1,
		.beat = INT64_MAX,
	};

	return train_search(SERIES(tr.t, tr.count, NULL), &choice, found);
}

/* Lateness of a rearmed timer adds up: after 1,000 events it is many periods. */
TEST(test_rearmed)
{
	struct trace_train train = { .period = 0.0015, .lateness = 0.05, .missing = 0.05 };
	struct train found;

	trace_begin(&tr, 1);
	trace_add_train(&tr, &train, 5);
	trace_add_poisson(&tr, 10, 5);
	trace_sort(&tr);
	assert_true(search(0.00155, 0.0002, &found));
	assert_true(found.course.rearmed);
	assert_true(found.chance < -4000);
	assert_true(trace_is_period(found.period, 0.0015 * 1.05, 0.01));
	assert_true(train_fill(&found) > 850000);
}

/* Too late to be in reach, it is taken up again; what shows that it is there is no hit. */
TEST(test_rearmed_begins_again)
{
	struct train_course course = { .period = 10 * MS, .reach = MS };
	struct train found;

	tr.count = 0;
	for (size_t i = 0; i < 60; i++)
		tr.t[tr.count++] = S + i * 10 * MS + (i + 10) / 20 * 4 * MS;
	course.start = tr.t[0];
	assert_false(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	course.rearmed = true;
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	/* Three times late; each time two slots are missed, and the event after them is no hit. */
	assert_int_equal(found.hits, 60 - 3 * 2);
	assert_int_equal(found.slots, 60);

	/* It may begin some slots after the course does. */
	course.start = tr.t[0] - 30 * MS;
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 60 - 3 * 2);
	assert_int_equal(found.slots, 63);
}

TEST(test_search_takes_best_reach)
{
	struct trace_train sharp = { .period = 1, .jitter = 0.00005 };
	struct trace_train blurred = { .period = 1, .jitter = 0.01 };
	struct train found, wide;

	trace_begin(&tr, 1);
	trace_add_poisson(&tr, 3, 120);
	trace_add_train(&tr, &sharp, 120);
	trace_sort(&tr);
	assert_true(search(1, 0.01, &found));
	assert_true(found.course.reach < S / 500);
	assert_true(found.chance < -100000);

	trace_begin(&tr, 1);
	trace_add_poisson(&tr, 3, 120);
	trace_add_train(&tr, &blurred, 120);
	trace_sort(&tr);
	assert_true(search(1, 0.01, &found));
	assert_true(found.course.reach > S / 100);

	/* Widened, it has the outermost events too, on the same evidence. */
	wide = found;
	train_widen(SERIES(tr.t, tr.count, NULL), &wide);
	assert_true(wide.hits >= found.hits);
	assert_int_equal(wide.chance, found.chance);
	assert_true(train_fill(&wide) > 950000);
}

TEST(test_widen_to_nothing)
{
	struct train found, wide;

	fill_slots(S, 10 * MS, 100, 0);
	assert_true(search(0.01, 0.0001, &found));
	wide = found;
	train_widen(SERIES(tr.t, tr.count, NULL), &wide);
	assert_memory_equal(&wide, &found, sizeof(wide));

	/* With its events gone it stays as it was. */
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

TEST(test_remove)
{
	struct train_course course = { .start = S, .period = 10 * MS, .reach = 100000 };

	fill_slots(S, 10 * MS, 50, 0x88);
	tr.t[tr.count++] = S + 3 * MS;
	tr.t[tr.count++] = S + 35 * MS;
	tr.t[tr.count++] = S + 9999 * MS;
	trace_sort(&tr);
	assert_int_equal(left_of(SERIES(tr.t, tr.count, NULL), &course), 3);
	assert_int_equal(tr.t[0], S + 3 * MS);
	assert_int_equal(tr.t[1], S + 35 * MS);
	assert_int_equal(tr.t[2], S + 9999 * MS);
	assert_int_equal(left_of(SERIES(tr.t, 0, NULL), &course), 0);
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
	struct train found;

	fill_windows(10 * MS, 20);
	assert_int_equal(tr.count, 2000);
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_int_equal(found.hits, 2000);
	assert_int_equal(found.slots, 2000);
	assert_int_equal(found.period, 10 * MS);
	/* All events, in the time that was sampled: from the first to the last one. */
	assert_int_equal(
		found.chance,
		chance_of_hits(1999, 1999, chance_share(200000 * 2000, 20 * 995 * MS - 5 * MS)));
	assert_int_equal(left_of(SERIES(tr.t, tr.count, &watched.exposure), &course), 0);

	/* What is missed in a window is. */
	fill_windows(10 * MS, 20);
	memmove(&tr.t[500], &tr.t[530], (tr.count - 530) * sizeof(tr.t[0]));
	tr.count -= 30;
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_int_equal(found.hits, 1970);
	assert_int_equal(found.slots, 2000);
	memmove(&tr.t[500], &tr.t[550], (tr.count - 550) * sizeof(tr.t[0]));
	tr.count -= 50;
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_int_equal(found.hits, 500);
	assert_int_equal(found.slots, 500 + 64);

	/* To someone who does not know of the pauses the train ends in the first. */
	fill_windows(10 * MS, 20);
	assert_true(train_follow(SERIES(tr.t, tr.count, NULL), &course, &found));
	assert_int_equal(found.hits, 100);
}

/* A course that begins before anything is seen; windows that end before the events do. */
TEST(test_follow_at_the_ends_of_sampling)
{
	struct train_course course = { .start = S / 2, .period = 10 * MS, .reach = 100000 };
	struct train found;
	uint64_t far;

	fill_windows(10 * MS, 20);
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_int_equal(found.hits, 2000);
	assert_int_equal(found.slots, 2000);
	tr.t[tr.count++] = 1000 * S;
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_int_equal(found.hits, 2000);

	/* A pause of 13 days and more is not gone on after. */
	far = S + ((UINT64_C(1) << 51) / S + 1) * S;
	assert_true(exposure_add(&watched.exposure, far, far + 100 * S));
	for (unsigned i = 0; i < 1000; i++)
		tr.t[tr.count++] = far + i * 10 * MS;
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_int_equal(found.hits, 2000);
	assert_true(exposure_known(&watched.exposure));
}

/* Where a rearmed timer has got to in a pause nobody knows: its next event is no hit. */
TEST(test_rearmed_through_pauses)
{
	struct train_course course = {
		.start = S, .period = 10 * MS, .reach = 100000, .rearmed = true
	};
	struct train found;
	uint64_t late = 0;

	fill_windows(10 * MS, 20);
	for (size_t i = 0; i < tr.count; i++) {
		late = i % 100 ? late : late + 313 * 1000 * 7;
		tr.t[i] += late % (9 * MS);
	}
	course.start = tr.t[0];
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_int_equal(found.hits, 2000 - 19);
	assert_in_range(found.slots, 2000 - 19, 2000 + 19);
	course.rearmed = false;
	assert_true(train_follow(SERIES(tr.t, tr.count, &watched.exposure), &course, &found));
	assert_true(found.hits < 500);
}

/* In step with the windows, a train is what the windows make it; out of step with them it is not.
 */
TEST(test_search_in_step)
{
	struct train_choice choice = { .period = 2 * S, .spread = S / 10, .others = 1 };
	struct train found;

	fill_windows(2 * S, 40);
	assert_int_equal(tr.count, 40);
	assert_true(train_search(SERIES(tr.t, tr.count, NULL), &choice, &found));
	assert_true(found.chance < -20000);
	assert_false(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));

	/* With fewer windows than make a train they are not to blame. */
	fill_windows(200 * MS, TRAIN_HITS_MIN - 1);
	choice = (struct train_choice){ .period = 200 * MS, .spread = 10 * MS, .others = 1 };
	assert_true(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));
	assert_true(found.chance < -20000);
	fill_windows(200 * MS, TRAIN_HITS_MIN);
	assert_false(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));

	/* 210 ms comes at other moments of each window. */
	fill_windows(210 * MS, 40);
	choice.period = 210 * MS;
	assert_true(train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));
	assert_in_range(found.hits, tr.count - tr.count / 50, tr.count);
	assert_true(found.chance < -100000);
}

/* Noise at any moment of the middle fifth of each window: a wide reach makes a train of it. */
TEST(test_search_in_step_with_wide_noise)
{
	struct train_choice choice = {
		.period = 1005 * MS, .spread = 20 * MS, .others = 40, .beat = -4000
	};
	struct train found;
	unsigned lured = 0;

	for (unsigned seed = 1; seed <= 60; seed++) {
		trace_begin(&tr, seed);
		windows_lay(&watched, &tr, 1, 0.005, 0, 120);
		windows_add_noise(&watched, &tr, 0.4, 0.2);
		windows_look(&watched, &tr);
		lured += train_search(SERIES(tr.t, tr.count, NULL), &choice, &found);
		assert_false(
			train_search(SERIES(tr.t, tr.count, &watched.exposure), &choice, &found));
	}
	assert_int_equal(lured, 60);
}

/*
 * A chance of 1 in 10 and less must come up in no more than 1 of 10 traces
 * without a train; 1 in 100 likewise. It is a bound: in truth it is far rarer.
 */
TEST(test_chance_is_honest)
{
	enum { TRACES = 400 };
	unsigned tenth = 0, hundredth = 0, any = 0;
	struct train found;

	for (unsigned seed = 0; seed < TRACES; seed++) {
		trace_begin(&tr, seed);
		trace_add_poisson(&tr, 0.5 + 0.01 * seed, 120);
		if (tr.count < 2 || !search(0.3 + 0.02 * seed, 0.01, &found))
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
	struct train found;

	tr.count = 0;
	assert_false(search(1, 0.01, &found));
	for (tr.count = 0; tr.count < 5000; tr.count++)
		tr.t[tr.count] = 77 * S;
	assert_false(search(1, 0.01, &found));
	/* A reach never below what the times resolve. */
	fill_slots(S, TRAIN_PERIOD_MIN, 1000, 0);
	assert_true(search(0.00001, 0.000001, &found));
	assert_int_equal(found.course.reach, 1000);
}

static void rayleigh(double period, double slack, struct rayleigh *r)
{
	trace_sort(&tr);
	rayleigh_test(SERIES(tr.t, tr.count, NULL), (uint64_t)(period * TRACE_S),
		      (uint64_t)(slack * TRACE_S), r);
}

TEST(test_rayleigh_under_many_others)
{
	struct trace_train train = { .period = 0.064, .jitter = 0.01 };
	struct rayleigh r;

	trace_begin(&tr, 1);
	trace_add_poisson(&tr, 200, 120);
	rayleigh(0.064, 0.00064, &r);
	assert_int_equal(r.chance, 0);

	trace_add_train(&tr, &train, 120);
	rayleigh(0.064, 0.00064, &r);
	assert_true(r.chance < -10000);
	assert_true(trace_is_period(r.period, 0.064, 0.0001));
	assert_true(r.length > 1875 * 8 / 10 && r.length < 1875 * 12 / 10);
	assert_in_range(r.slots, 1874, 1876);
}

/* In 10 minutes the phase of a timer 0.5 % off turns round many times: tuning follows. */
TEST(test_rayleigh_tunes)
{
	static const double off[] = { -0.008, -0.005, -0.0001, 0, 0.0001, 0.005, 0.008 };
	struct rayleigh r;

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		struct trace_train train = { .period = 0.064 * (1 + off[i]), .missing = 0.3 };

		trace_begin(&tr, i);
		trace_add_poisson(&tr, 2, 600);
		trace_add_train(&tr, &train, 600);
		rayleigh(0.064, 0.00064, &r);
		assert_true(r.chance < -100000);
		assert_true(trace_is_period(r.period, train.period, 0.00001));
	}
	/* Not further than the slack. */
	rayleigh(0.064, 0.0001, &r);
	assert_int_equal(r.period, 64 * MS);
	assert_int_equal(r.chance, 0);
}

/* The first slot is where the events are. */
TEST(test_rayleigh_start)
{
	struct rayleigh r;

	fill_slots(S, 100 * MS, 1000, 0);
	tr.t[tr.count++] = S - 30 * MS;
	rayleigh(0.1, 0.001, &r);
	assert_true(r.chance < -100000);
	assert_in_range(r.start, S - MS, S + MS);
}

/* Not a train, though in step: bursts, a wave, a hole in each period, two events of many. */
TEST(test_rayleigh_silent)
{
	struct rayleigh r;

	trace_begin(&tr, 1);
	trace_add_poisson(&tr, 10, 120);
	for (unsigned burst = 0; burst < 5; burst++) {
		double at = trace_uniform(&tr) * 119;

		for (unsigned i = 0; i < 200; i++)
			trace_add(&tr, at + trace_uniform(&tr) * 0.003);
	}
	for (double period = 0.064; period < 10; period *= 1.37) {
		rayleigh(period, period / 100, &r);
		assert_true(r.chance > -4000);
	}

	/* One in step for each other: a wave, far longer than a train would be. */
	trace_begin(&tr, 2);
	for (double at = 0; at < 120; at += trace_exponential(&tr) / 400) {
		double phase = at - (double)(uint64_t)at;

		if (phase < 0.25 || (phase > 0.5 && trace_uniform(&tr) < 0.5))
			trace_add(&tr, at);
	}
	rayleigh(1, 0.01, &r);
	assert_true(r.length > 1000);
	assert_int_equal(r.chance, 0);

	/* Many events in each slot, spread over a tenth of the period. */
	trace_begin(&tr, 4);
	for (unsigned i = 0; i < 6000; i++)
		trace_add(&tr, trace_uniform(&tr) * 0.1 + i % 120);
	rayleigh(1, 0.01, &r);
	assert_true(r.length > 1500);
	assert_int_equal(r.chance, 0);

	/* Watched for 0.97 s of each second. */
	trace_begin(&tr, 3);
	for (double at = 0; at < 600; at += trace_exponential(&tr) / 70) {
		if (at - (double)(uint64_t)at < 0.97)
			trace_add(&tr, at);
	}
	rayleigh(1, 0.01, &r);
	assert_int_equal(r.chance, 0);

	/* Too short a time for a period. */
	fill_slots(S, S, 5, 0);
	rayleigh(1, 0.01, &r);
	assert_int_equal(r.slots, 5);
	assert_int_equal(r.chance, 0);
	rayleigh_test(SERIES(tr.t, 0, NULL), S, S / 100, &r);
	assert_int_equal(r.chance, 0);
	rayleigh_test(SERIES(tr.t, 1, NULL), S, S / 100, &r);
	assert_int_equal(r.chance, 0);
}

/* Sampling 0.3 s of each second makes anything at all come once a second. */
TEST(test_rayleigh_in_windows)
{
	struct trace_train train = { .period = 1.25, .jitter = 0.001 };
	struct rayleigh r;

	trace_begin(&tr, 1);
	windows_lay(&watched, &tr, 0.3, 0.7, 0, 600);
	trace_add_poisson(&tr, 3, 600);
	windows_look(&watched, &tr);
	rayleigh(1, 0.01, &r);
	assert_true(r.chance < -10000);
	rayleigh_test(SERIES(tr.t, tr.count, &watched.exposure), S, S / 100, &r);
	assert_int_equal(r.chance, 0);

	/* A period that comes at other moments of each window is found as before. */
	trace_begin(&tr, 1);
	windows_lay(&watched, &tr, 0.9, 0.04, 0.02, 600);
	trace_add_train(&tr, &train, 600);
	windows_look(&watched, &tr);
	rayleigh_test(SERIES(tr.t, tr.count, &watched.exposure), S / 4 * 5, S / 80, &r);
	assert_true(r.chance < -100000);
	assert_in_range(r.length, tr.count - tr.count / 20, tr.count + tr.count / 20);
	assert_in_range(r.slots, tr.count - tr.count / 20, tr.count + tr.count / 20);
	assert_true(trace_is_period(r.period, 1.25, 0.0001));

	/* Two windows are a little in step with any period: what that takes off is made up for. */
	/* From start to start 26 2/3 turns: 3/4 of the sum is left. */
	fill_windows(75 * MS, 2);
	rayleigh_test(SERIES(tr.t, tr.count, &watched.exposure), 75 * MS, MS, &r);
	assert_in_range(r.length, tr.count - 1, tr.count + 1);

	/* One window that takes all in is no window. */
	trace_begin(&tr, 1);
	trace_add_train(&tr, &train, 600);
	watched.exposure.count = 0;
	assert_true(exposure_add(&watched.exposure, 0, 1000 * S));
	rayleigh_test(SERIES(tr.t, tr.count, &watched.exposure), S / 4 * 5, S / 80, &r);
	assert_true(r.chance < -100000);
}

TEST(test_rayleigh_far_times)
{
	struct rayleigh r;

	fill_slots(0, S, 100, 0);
	tr.t[tr.count++] = (UINT64_C(1) << 63) - 1;
	rayleigh(1, 0.01, &r);
	assert_int_equal(r.chance, 0);
	fill_slots((UINT64_C(1) << 63) - 1 - 99 * S, S, 100, 0);
	rayleigh(1, 0.01, &r);
	assert_true(r.chance < -20000);
	assert_int_equal(r.length, 100);

	/* The longest period over the longest time. */
	fill_slots(0, TRAIN_PERIOD_MAX, 100000, 0);
	rayleigh((double)TRAIN_PERIOD_MAX / TRACE_S, 1, &r);
	assert_true(r.chance < -20000);
}
