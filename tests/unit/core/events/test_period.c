/* SPDX-License-Identifier: BSD-2-Clause */
/* The dictionary test for sources: scores on seeded traces, names, and odd input. */
#include "core/events/period.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/windows.h"

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

static struct trace tr;
static struct period_list found;

static const struct period_timer enabled[] = {
	{ "SWSMI timer 64 ms", 64 * MS },
	{ "periodic SMI timer 8 s", 8 * S },
	{ "long timer", 5870 * MS },
};
#define ENABLED (sizeof(enabled) / sizeof(enabled[0]))

static const struct period_context plain = { .cause = CAUSE_SMI };
static const struct period_context host = { .cause = CAUSE_UNKNOWN, .guest = true };

static void search(const struct period_context *of)
{
	found.count = 0;
	period_search(SERIES(tr.t, tr.count, NULL), of, &found);
}

static void search_timers(const struct period_timer *timers, size_t count)
{
	search(&(struct period_context){ CAUSE_SMI, false, timers, count });
}

static void through_windows(struct trace *trace, const struct exposure *watched,
			    struct period_list *list)
{
	list->count = 0;
	period_search(SERIES(trace->t, trace->count, watched), &plain, list);
	assert_int_equal(list->searched, trace->count);
}

static void dictionary(struct trace *trace, struct period_list *list)
{
	through_windows(trace, NULL, list);
}

static const struct score_case cases[] = {
	{ "64 ms, 0-30 % missing, jitter 0.1 %, in 2/s",
	  2,
	  { 0.064 },
	  { 0, 0.3 },
	  0.001,
	  0,
	  20,
	  20 },
	{ "64 ms, jitter 1 %, in 2/s", 2, { 0.064 }, { 0, 0 }, 0.01, 0, 20, 20 },
	{ "64 ms, jitter 1 %, in 50/s", 50, { 0.064 }, { 0, 0 }, 0.01, 0, 3, 3 },
	{ "64 ms, jitter 0.1 %, in 500/s", 500, { 0.064 }, { 0, 0 }, 0.001, 0, 3, 3 },
	{ "16 ms rearmed, 2 % late, in 1/s", 1, { 0.016 }, { 0, 0.05 }, 0, 0.02, 10, 10 },
	{ "1.5 ms rearmed, 10 % late, in 1/s", 1, { 0.0015 }, { 0, 0 }, 0, 0.1, 2, 2 },
	{ "8 s, jitter 0.1 %, in 0.2/s", 0.2, { 8 }, { 0, 0 }, 0.001, 0, 20, 18 },
	{ "8 s, jitter 0.01 %, in 2/s", 2, { 8 }, { 0, 0 }, 0.0001, 0, 20, 18 },
	{ "64 ms and 1.2 s, 10-30 % missing, in 2/s",
	  2,
	  { 0.064, 1.2 },
	  { 0.1, 0.3 },
	  0.001,
	  0,
	  20,
	  19 },
	{ "0.3, 1, 1.5 s, 10-30 % missing, jitter 0.1 %, in 1/s",
	  1,
	  { 0.3, 1, 1.5 },
	  { 0.1, 0.3 },
	  0.001,
	  0,
	  20,
	  19 },
	{ "nothing in 3/s", 3, { 0 }, { 0, 0 }, 0, 0, 40, 40 },
	{ "nothing in 0.3/s", 0.3, { 0 }, { 0, 0 }, 0, 0, 40, 40 },
	{ "nothing in 30/s", 30, { 0 }, { 0, 0 }, 0, 0, 10, 10 },
};

TEST(test_scores)
{
	bool enough = true;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		enough = score_enough(&cases[i], dictionary) && enough;
	assert_true(enough);
}

static void steady(double period, double seconds)
{
	struct trace_train train = { .period = period, .jitter = 0.0002 };

	trace_begin(&tr, 7);
	trace_add_poisson(&tr, 1, seconds);
	trace_add_train(&tr, &train, seconds);
	trace_sort(&tr);
}

/* Every 32nd event comes after a round 1.5 s: the train itself is found, and is no known timer. */
TEST(test_period_of_no_timer)
{
	steady(0.047, 60);
	dictionary(&tr, &found);
	assert_int_equal(found.count, 1);
	assert_true(trace_is_period(found.source[0].period_ns, 0.047, 0.001));
	assert_null(found.source[0].hint);

	/* The dictionary has no multiple of this period. */
	steady(5.87, 60);
	dictionary(&tr, &found);
	assert_int_equal(found.count, 0);
}

/* All members of a source besides the period. */
TEST(test_source)
{
	struct trace_train train = { .period = 1.0, .missing = 0.2, .jitter = 0.002 };
	const struct record_source *s = found.source;
	struct event_series *of;
	size_t events;

	trace_begin(&tr, 3);
	trace_add_train(&tr, &train, 300);
	events = tr.count;
	trace_add_poisson(&tr, 0.5, 300);
	trace_sort(&tr);
	of = SERIES(tr.t, tr.count, NULL);
	found.count = 0;
	period_search(of, &plain, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.searched, tr.count);
	assert_true(trace_is_period(s->period_ns, 1.0, 0.0002));
	assert_in_range(s->jitter_ns, 1700000, 2600000);
	assert_in_range(s->events, events - 5, events + 5);
	assert_in_range(s->fill_ppm, events * 1000000 / 300 - 20000,
			events * 1000000 / 300 + 20000);
	assert_true(s->chance_milli < -50000);
	assert_int_equal(of->count, tr.count - s->events);
	/* The remaining events still rise, and were there before. */
	for (size_t i = 1; i < of->count; i++)
		assert_true(tr.t[i - 1] <= tr.t[i]);
}

/* A likely origin only where the chipset has this timer on, at this rate. */
TEST(test_origin)
{
	steady(0.064, 60);
	search(&plain);
	assert_int_equal(found.count, 1);
	assert_null(found.source[0].origin);
	assert_string_equal(found.source[0].hint, "matches the SWSMI timer's 64 ms");

	steady(0.064, 60);
	search_timers(enabled, ENABLED);
	assert_int_equal(found.count, 1);
	assert_ptr_equal(found.source[0].origin, enabled[0].name);

	steady(0.064, 60);
	search_timers(enabled + 1, ENABLED - 1);
	assert_int_equal(found.count, 1);
	assert_null(found.source[0].origin);
}

/* A timer that is no row of the dictionary is searched for because it is enabled. */
TEST(test_enabled_timer)
{
	steady(5.87, 60);
	search_timers(enabled, ENABLED);
	assert_int_equal(found.count, 1);
	assert_true(trace_is_period(found.source[0].period_ns, 5.87, 0.001));
	assert_ptr_equal(found.source[0].origin, enabled[2].name);
	assert_null(found.source[0].hint);
}

/* The only source, whose train has this period. */
static const struct record_source *named(uint64_t period, const struct period_context *of)
{
	const struct train train = { .hits = 1, .slots = 1, .period = period };

	found.count = 0;
	period_add(&found, &train, of);
	assert_int_equal(found.count, 1);
	return found.source;
}

static const char *origin_of(uint64_t period, const struct period_timer *timers, size_t count)
{
	return named(period, &(struct period_context){ CAUSE_SMI, false, timers, count })->origin;
}

/* The SWSMI timer may be off by 4 ms, and 0.6 ms at its fastest; other timers by 1 %. */
TEST(test_names_within_slack)
{
	static const struct period_timer swsmi = { "SWSMI timer 16 ms", 16 * MS };
	static const struct period_timer fast = { "SWSMI timer 1.5 ms", 1500000 };
	static const struct period_timer tco = { "TCO timer", 1200 * MS };
	static const struct period_timer two[] = { { "a", 1000 * MS }, { "b", 1010 * MS } };

	assert_non_null(origin_of(16 * MS, &swsmi, 1));
	assert_non_null(origin_of(12 * MS, &swsmi, 1));
	assert_non_null(origin_of(20 * MS, &swsmi, 1));
	assert_null(origin_of(12 * MS - 1, &swsmi, 1));
	assert_null(origin_of(20 * MS + 1, &swsmi, 1));
	assert_non_null(origin_of(2100000, &fast, 1));
	assert_null(origin_of(2100001, &fast, 1));
	assert_non_null(origin_of(1212 * MS, &tco, 1));
	assert_null(origin_of(1213 * MS, &tco, 1));
	/* The nearest of two. */
	assert_string_equal(origin_of(1004 * MS, two, 2), "a");
	assert_string_equal(origin_of(1006 * MS, two, 2), "b");
	assert_null(origin_of(16 * MS, NULL, 0));
}

TEST(test_hints)
{
	static const struct {
		uint64_t period;
		const char *hint;
	} hints[] = {
		{ 1500000, "matches the SWSMI timer's 1.5 ms" },
		{ 1514000, "matches the SWSMI timer's 1.5 ms" },
		{ 1516000, NULL },
		{ 1484000, NULL },
		{ 32 * S, "matches the periodic SMI timer's 32 s" },
		{ 4200 * MS, "matches the TCO timer at 7 ticks of 0.6 s" },
		{ S, "matches a round second" },
		{ 3600 * S, "matches a round hour" },
		{ 0, NULL },
		{ 47 * MS, NULL },
		{ UINT64_MAX, NULL },
	};

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		const char *hint = named(hints[i].period, &plain)->hint;

		if (hints[i].hint)
			assert_string_equal(hint, hints[i].hint);
		else
			assert_null(hint);
	}
}

/* Hints for events that are not known to be SMIs, on the machine itself and above a kernel. */
TEST(test_names_without_smi)
{
	static const struct {
		uint64_t period;
		const char *bare, *guest;
	} rows[] = {
		{ 64 * MS, NULL, NULL },
		{ 4200 * MS, NULL, NULL },
		{ 32 * S, NULL, NULL },
		{ 1500000, NULL, NULL },
		{ 1 * MS, NULL, "matches a kernel's tick of 1000 Hz" },
		{ 3330000, NULL, "matches a kernel's tick of 300 Hz" },
		{ 4 * MS, NULL, "matches a kernel's tick of 250 Hz" },
		{ 4020000, NULL, "matches a kernel's tick of 250 Hz" },
		{ 10 * MS, "matches a round 10 ms", "matches a kernel's tick of 100 Hz" },
		{ S, "matches a round second", "matches a round second" },
	};
	static const struct period_timer timer = { "SWSMI timer 64 ms", 64 * MS };

	for (unsigned i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		const struct period_context context = { CAUSE_UNKNOWN, i % 2, &timer, 1 };
		const char *want = i % 2 ? rows[i / 2].guest : rows[i / 2].bare;
		const struct record_source *source = named(rows[i / 2].period, &context);

		assert_int_equal(source->hint != NULL, want != NULL);
		if (want)
			assert_string_equal(source->hint, want);
		/*
		 * A timer that the chipset has enabled may be the origin, but not underneath a
		 * guest.
		 */
		assert_int_equal(source->origin != NULL, rows[i / 2].period == 64 * MS && !(i % 2));
	}
}

TEST(test_timers_out_of_range)
{
	static const struct period_timer odd[] = {
		{ "none", 0 },
		{ "1 ns", 1 },
		{ "too long", TRAIN_PERIOD_MAX + 1 },
		{ "forever", UINT64_MAX },
		{ "shortest", TRAIN_PERIOD_MIN },
		{ "longest", TRAIN_PERIOD_MAX },
	};

	steady(0.064, 60);
	search_timers(odd, sizeof(odd) / sizeof(odd[0]));
	assert_int_equal(found.count, 1);
	assert_null(found.source[0].origin);

	/* The shortest there can be is found. */
	tr.count = 5000;
	for (size_t i = 0; i < tr.count; i++)
		tr.t[i] = S + i * TRAIN_PERIOD_MIN;
	search_timers(odd, sizeof(odd) / sizeof(odd[0]));
	assert_int_equal(found.count, 1);
	assert_string_equal(found.source[0].origin, "shortest");
}

static void assert_none(const uint64_t *t, size_t count, size_t searched)
{
	struct event_series events = { tr.t, count, NULL };

	memcpy(tr.t, t, count * sizeof(t[0]));
	found.count = 0;
	period_search(&events, &(struct period_context){ CAUSE_SMI, false, enabled, ENABLED },
		      &found);
	assert_int_equal(found.count, 0);
	assert_int_equal(found.searched, searched);
	assert_int_equal(events.count, searched);
}

TEST(test_few_events)
{
	static const uint64_t t[] = { 0, S, 2 * S, 3 * S, 4 * S };

	for (size_t count = 0; count <= 5; count++)
		assert_none(t, count, count);
}

TEST(test_all_at_once)
{
	static uint64_t t[1000];

	for (size_t i = 0; i < 1000; i++)
		t[i] = 5 * S;
	assert_none(t, 1000, 1000);
	t[999] = (UINT64_C(1) << 63) - 1;
	assert_none(t, 1000, 1000);
	t[999]++;
	assert_none(t, 1000, 999);
}

/* A TSC that stepped back: the times fall. */
TEST(test_any_order)
{
	tr.count = 500;
	for (size_t i = 0; i < tr.count; i++)
		tr.t[i] = (tr.count - i) * 64 * MS;
	dictionary(&tr, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.source[0].period_ns, 64 * MS);
	assert_int_equal(found.source[0].events, 500);
}

TEST(test_far_times)
{
	tr.count = 500;
	for (size_t i = 0; i < tr.count; i++)
		tr.t[i] = (UINT64_C(1) << 63) - 1 - (tr.count - 1 - i) * 64 * MS;
	dictionary(&tr, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.source[0].period_ns, 64 * MS);
	assert_int_equal(found.source[0].events, 500);
	assert_int_equal(found.source[0].jitter_ns, 0);
	assert_int_equal(found.source[0].fill_ppm, 1000000);
}

/* With too many events the first ones are searched, and the caller can see it. */
TEST(test_too_many_events)
{
	size_t count = TRAIN_EVENTS_MAX + 10;
	struct event_series events = { tr.t, count, NULL };

	for (size_t i = 0; i < count; i++)
		tr.t[i] = i * 64 * MS;
	found.count = 0;
	period_search(&events, &plain, &found);
	assert_int_equal(found.searched, TRAIN_EVENTS_MAX);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.source[0].events, TRAIN_EVENTS_MAX);
	assert_int_equal(events.count, 0);
}

/* Bursts, and windows that watch only a part of each period, are no sources. */
TEST(test_silent)
{
	trace_begin(&tr, 1);
	trace_add_poisson(&tr, 10, 120);
	for (unsigned burst = 0; burst < 20; burst++) {
		double at = trace_uniform(&tr) * 119;

		for (unsigned i = 0; i < 100; i++)
			trace_add(&tr, at + trace_uniform(&tr) * 0.003);
	}
	trace_sort(&tr);
	dictionary(&tr, &found);
	assert_int_equal(found.count, 0);

	trace_begin(&tr, 3);
	for (double at = 0; at < 600; at += trace_exponential(&tr) / 70) {
		if (at - (double)(uint64_t)at < 0.97)
			trace_add(&tr, at);
	}
	dictionary(&tr, &found);
	assert_int_equal(found.count, 0);
}

/* Each event with its echo: the same period twice is one source. */
TEST(test_same_period_once)
{
	tr.count = 0;
	for (size_t i = 0; i < 300; i++) {
		tr.t[tr.count++] = i * S;
		tr.t[tr.count++] = i * S + 230 * MS;
	}
	dictionary(&tr, &found);
	assert_int_equal(found.count, 1);
	assert_true(trace_is_period(found.source[0].period_ns, 1.0, 0.001));
}

TEST(test_list_of_sources)
{
	struct train train = { .hits = 10, .slots = 8, .period = 1000, .chance = -5000 };

	assert_int_equal(named(1000, &plain)->fill_ppm, 1000000);
	period_add(&found, &train, &plain);
	for (unsigned i = 0; i < 2; i++) {
		train.period = i ? 1010 : 990;
		period_add(&found, &train, &plain);
	}
	assert_int_equal(found.count, 1);
	train.period = 1020;
	period_add(&found, &train, &plain);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.source[1].fill_ppm, 1000000);
	for (unsigned i = 2; i <= PERIOD_SOURCES_MAX; i++) {
		train.period *= 2;
		period_add(&found, &train, &plain);
	}
	assert_int_equal(found.count, PERIOD_SOURCES_MAX);
}

/* More trains than fit the list: what is reported is there, and the search ends. */
TEST(test_too_many_sources)
{
	static struct period_timer timers[40];
	double period = 0.1;

	trace_begin(&tr, 5);
	for (size_t i = 0; i < 40; i++) {
		struct trace_train train = { .period = period };

		timers[i] = (struct period_timer){ "timer", (uint64_t)(period * TRACE_S) };
		trace_add_train(&tr, &train, 30);
		period *= 1.0371;
	}
	trace_sort(&tr);
	search_timers(timers, 40);
	assert_int_equal(found.count, PERIOD_SOURCES_MAX);
	for (size_t i = 0; i < found.count; i++)
		assert_non_null(found.source[i].origin);
}

/* Sampling in windows does not make a source of unrelated events. */
TEST(test_windows)
{
	assert_true(windows_all_right(through_windows));
}

/* Turns come at a few moments only, which by chance alone are multiples of many periods. */
TEST(test_scheduler)
{
	static const double ticks[] = { 0.001, 1.0 / 300, 0.004, 0.01 };

	for (unsigned i = 0; i < 40; i += rounds(5, 1)) {
		double tick = ticks[i % 4];

		trace_schedule(&tr, i, tick, i < 20 ? 1 : 20);
		search(&host);
		assert_int_equal(found.count, 1);
		assert_true(trace_is_turn(found.source[0].period_ns, tick));
		if (found.source[0].hint)
			assert_non_null(strstr(found.source[0].hint, "a kernel's tick"));
	}
}

/* A train each 100 ms that waits for a tick is found among the scheduler's turns. */
TEST(test_train_on_grid)
{
	const unsigned seeds = rounds(4, 10);
	unsigned right = 0;

	for (unsigned i = 0; i < seeds; i++) {
		trace_schedule(&tr, i, 0.004, 20);
		for (double at = 0.4e-3; at < 20; at += 0.1)
			trace_add(&tr, at);
		trace_sort(&tr);
		search(&host);
		for (size_t k = 0; k < found.count; k++)
			right += trace_is_period(found.source[k].period_ns, 0.1, 0.001);
	}
	assert_int_equal(right, seeds);
}
