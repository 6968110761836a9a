/* SPDX-License-Identifier: BSD-2-Clause */
/* The blind search for sources: scores on seeded traces of 120 s, and odd input. */
#include "host/sources/sources.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/windows.h"

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

static struct trace tr;
static struct period_list found;

static const struct period_context plain = { .cause = CAUSE_SMI };

static void through_windows(struct trace *trace, const struct exposure *watched,
			    struct period_list *list)
{
	sources_blind(SERIES(trace->t, trace->count, watched), &plain, list);
	assert_int_equal(list->searched, trace->count);
}

static void blind(struct trace *trace, struct period_list *list)
{
	through_windows(trace, NULL, list);
}

static const struct score_case cases[] = {
	{ "0.3, 1, 1.5 s, 10-30 % missing, in 1/s",
	  1,
	  { 0.3, 1, 1.5 },
	  { 0.1, 0.3 },
	  0,
	  0,
	  20,
	  19 },
	{ "the same, jitter 0.1 %", 1, { 0.3, 1, 1.5 }, { 0.1, 0.3 }, 0.001, 0, 20, 19 },
	{ "the same, jitter 1 %", 1, { 0.3, 1, 1.5 }, { 0.1, 0.3 }, 0.01, 0, 20, 19 },
	{ "64 ms, jitter 0.1 %, in 2/s", 2, { 0.064 }, { 0, 0 }, 0.001, 0, 20, 20 },
	{ "64 ms, 0-30 % missing, jitter 1 %, in 2/s", 2, { 0.064 }, { 0, 0.3 }, 0.01, 0, 20, 20 },
	{ "64 ms and 1.2 s, jitter 0.3 %, in 2/s",
	  2,
	  { 0.064, 1.2 },
	  { 0, 0.1 },
	  0.003,
	  0,
	  10,
	  10 },
	{ "2.2, 3.1, 0.77 s, 20-30 % missing, in 3/s",
	  3,
	  { 2.2, 3.1, 0.77 },
	  { 0.2, 0.3 },
	  0,
	  0,
	  40,
	  36 },
	{ "8 s in 0.2/s", 0.2, { 8 }, { 0, 0 }, 0, 0, 20, 18 },
	{ "8 s, jitter 0.1 %, in 0.2/s", 0.2, { 8 }, { 0, 0 }, 0.001, 0, 20, 18 },
	{ "8 s, jitter 0.5 %, in 0.2/s", 0.2, { 8 }, { 0, 0 }, 0.005, 0, 20, 18 },
	{ "47 ms rearmed, 3 % late, in 2/s", 2, { 0.047 }, { 0, 0.05 }, 0, 0.03, 10, 10 },
	{ "nothing in 3/s", 3, { 0 }, { 0, 0 }, 0, 0, 40, 40 },
	{ "nothing in 0.2/s", 0.2, { 0 }, { 0, 0 }, 0, 0, 40, 40 },
	{ "nothing in 30/s", 30, { 0 }, { 0, 0 }, 0, 0, 10, 10 },
};

TEST(test_scores)
{
	bool enough = true;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		enough = score_enough(&cases[i], blind) && enough;
	assert_true(enough);
}

static void shuffle(void)
{
	for (size_t i = tr.count; i > 1; i--) {
		size_t other = draw_bits(&tr.seed) % i;
		uint64_t t = tr.t[i - 1];

		tr.t[i - 1] = tr.t[other];
		tr.t[other] = t;
	}
}

/* In any order, and the caller's array is left alone. */
TEST(test_source)
{
	static const struct period_timer timer = { "SWSMI timer 64 ms", 64 * MS };
	struct trace_train train = { .period = 0.064, .missing = 0.1, .jitter = 0.005 };
	static uint64_t before[TRACE_EVENTS_MAX];
	const struct record_source *s = found.source;
	size_t events;

	trace_begin(&tr, 1);
	trace_add_train(&tr, &train, 60);
	events = tr.count;
	trace_add_poisson(&tr, 1, 60);
	shuffle();
	memcpy(before, tr.t, tr.count * sizeof(tr.t[0]));
	sources_blind(SERIES(tr.t, tr.count, NULL),
		      &(struct period_context){ CAUSE_SMI, false, &timer, 1 }, &found);
	assert_memory_equal(before, tr.t, tr.count * sizeof(tr.t[0]));
	assert_int_equal(found.count, 1);
	assert_int_equal(found.searched, tr.count);
	assert_true(trace_is_period(s->period_ns, 0.064, 0.0001));
	assert_in_range(s->jitter_ns, 270000, 420000);
	assert_in_range(s->events, events - 10, events + 10);
	assert_in_range(s->fill_ppm, 870000, 930000);
	assert_true(s->chance_milli < -100000);
	assert_string_equal(s->origin, "SWSMI timer 64 ms");
	assert_string_equal(s->hint, "matches the SWSMI timer's 64 ms");
}

/* Turns come at a few moments only: no source but the scheduler. */
TEST(test_scheduler)
{
	static const struct period_context host = { .cause = CAUSE_UNKNOWN, .guest = true };
	static const double ticks[] = { 0.001, 1.0 / 300, 0.004, 0.01 };

	for (unsigned i = 0; i < 12; i += rounds(5, 1)) {
		trace_schedule(&tr, i, ticks[i % 4], i < 8 ? 1 : 10);
		sources_blind(SERIES(tr.t, tr.count, NULL), &host, &found);
		assert_in_range(found.count, 1, PERIOD_SOURCES_MAX);
		for (size_t k = 0; k < found.count; k++)
			assert_true(trace_is_turn(found.source[k].period_ns, ticks[i % 4]));
	}
}

TEST(test_few_events)
{
	uint64_t t[] = { 0, S, 2 * S, 3 * S, 4 * S };

	sources_blind(SERIES(NULL, 0, NULL), &plain, &found);
	assert_int_equal(found.count, 0);
	for (size_t count = 1; count <= 5; count++) {
		sources_blind(SERIES(t, count, NULL), &plain, &found);
		assert_int_equal(found.count, 0);
		assert_int_equal(found.searched, count);
	}
}

/* If all events come at once, each makes a pair with each other: the work stays bounded. */
TEST(test_all_at_once)
{
	tr.count = rounds(TRAIN_EVENTS_MAX / 16, TRAIN_EVENTS_MAX);
	for (size_t i = 0; i < tr.count; i++)
		tr.t[i] = 5 * S;
	blind(&tr, &found);
	assert_int_equal(found.count, 0);
	tr.t[0] = (UINT64_C(1) << 63) - 1;
	blind(&tr, &found);
	assert_int_equal(found.count, 0);
}

TEST(test_far_times)
{
	tr.count = 500;
	for (size_t i = 0; i < tr.count; i++)
		tr.t[i] = (UINT64_C(1) << 63) - 1 - i * 47 * MS;
	blind(&tr, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.source[0].period_ns, 47 * MS);
	assert_int_equal(found.source[0].events, 500);

	/* Events are spread over the whole range of times. */
	for (size_t i = 0; i < tr.count; i++)
		tr.t[i] = i * ((UINT64_C(1) << 63) / tr.count);
	blind(&tr, &found);
	assert_int_equal(found.count, 0);

	tr.t[7] = UINT64_C(1) << 63;
	sources_blind(SERIES(tr.t, tr.count, NULL), &plain, &found);
	assert_int_equal(found.count, 0);
	assert_int_equal(found.searched, tr.count - 1);
}

TEST(test_shortest_period)
{
	tr.count = 200;
	for (size_t i = 0; i < tr.count; i++)
		tr.t[i] = S + i * 12000;
	blind(&tr, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.source[0].period_ns, 12000);
}

/*
 * There are too few events among others for a peak of their distances, but the dictionary has the
 * period.
 */
TEST(test_dictionary_helps)
{
	struct trace_train train = { .period = 8, .jitter = 0.0001 };

	trace_begin(&tr, 1);
	trace_add_poisson(&tr, 2, 120);
	trace_add_train(&tr, &train, 120);
	trace_sort(&tr);
	blind(&tr, &found);
	assert_int_equal(found.count, 1);
	assert_true(trace_is_period(found.source[0].period_ns, 8, 0.001));
}

TEST(test_bursts)
{
	trace_begin(&tr, 1);
	trace_add_poisson(&tr, 10, 120);
	for (unsigned burst = 0; burst < 20; burst++) {
		double at = trace_uniform(&tr) * 119;

		for (unsigned i = 0; i < 100; i++)
			trace_add(&tr, at + trace_uniform(&tr) * 0.003);
	}
	blind(&tr, &found);
	assert_int_equal(found.count, 0);
}

/* Sampling in windows does not make a source of unrelated events. */
TEST(test_windows)
{
	assert_true(windows_all_right(through_windows));
}
