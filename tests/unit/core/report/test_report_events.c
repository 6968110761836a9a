/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events and sources made from rings: times in ns, limits, slack, full rings, and which events are
 * searched for sources.
 */
#include "core/report/report.h"

#define LINKS     3
#define MOCK_CPUS 4
#define MOCK_GAPS 33000
#include "tests/unit/kept_run.h"

#define BEGIN UINT64_C(1000000)
#define MS    UINT64_C(2000000) /* ticks: 2 GHz */
#define MS_NS UINT64_C(1000000)

static struct topology places[MOCK_CPUS];

/* Set up two packages of two cores, a threshold of 2000 ticks, and one window of 10 s. */
static void start(void)
{
	lay_run(MOCK_CPUS);
	platform->whole = true;
	platform->topology = places;
	platform->hz = 1000 * MS;
	platform->begin_tsc = BEGIN;
	report.stage = "bare";
	for (uint32_t i = 0; i < MOCK_CPUS; i++) {
		mock.cpu[i].index = 2 * i;
		mock.cpu[i].measured = true;
		places[i] = (struct topology){ true, i / 2, i % 2, 0, NULL };
	}
	for (unsigned i = 0; i < LINKS; i++)
		report.link[i].gaps_default = UINT64_MAX;
	assert_true(exposure_add(&report.search.exposure, 0, 10000 * MS_NS));
}

/* Add a gap; `at` is in ticks since the begin, on the common clock. */
static void gap(uint32_t cpu, uint64_t at, uint64_t ticks, enum cause cause)
{
	struct gap_ring *r = &mock.cpu[cpu].ring;
	struct gap g = { .start = BEGIN + at + (uint64_t)mock.cpu[cpu].tsc_offset, .ticks = ticks };

	g.cause = (uint8_t)cause;
	r->slot[r->used++] = g;
	mock.cpu[cpu].stage.cause_gaps[cause]++;
	mock.cpu[cpu].stage.gaps++;
}

/* Report the events. Returns how many the first link got. */
static unsigned report_them(void)
{
	forget_lines();
	copies.used = 0;
	report.search.sources = 0;
	for (unsigned i = 0; i < LINKS; i++) {
		keep_nothing_yet(&links[i]);
		report.link[i].gaps_unsent = report.link[i].events_unsent = 0;
	}
	report_events(&report);
	return links[0].count[RECORD_EVENT];
}

TEST_F(start, NULL, test_record)
{
	const struct record_event *e;

	mock.cpu[1].tsc_offset = -500000;
	gap(0, 20000, 100000, CAUSE_SMI);
	gap(1, 24000, 97000, CAUSE_SMI);
	gap(3, 30000, 1000, CAUSE_SMI);
	assert_int_equal(report_them(), 1);
	e = links[0].event;
	assert_string_equal(e->stage, "bare");
	assert_int_equal(e->of, 1);
	assert_int_equal(e->t_ns, 10000);
	assert_int_equal(e->len_ns, 50500);
	assert_int_equal(e->gaps, 3);
	assert_int_equal(e->cpus, 3);
	assert_string_equal(e->list, "0,2,6");
	assert_int_equal(e->first, 0);
	assert_int_equal(e->last, 2);
	assert_int_equal(e->skew_ns, 5000);
	assert_string_equal(e->cause, "smi");
	assert_string_equal(e->scope, "machine");
	assert_false(e->partial);
	/* A start a little before the begin does not wrap to one 500 years later. */
	mock.slot[0][0].start = BEGIN - 100;
	report_them();
	assert_int_equal(links[0].event->t_ns, 0);
}

/* Each link gets as many of the longest events as it takes, in time order, and counts the rest. */
TEST_F(start, NULL, test_limits)
{
	for (uint64_t i = 0; i < 12; i++)
		gap((uint32_t)i % MOCK_CPUS, 10000 * i, 2000 + 2 * i, CAUSE_UNKNOWN);
	report.link[0].gaps_default = 2;
	report.link[1].gaps_default = 5;
	assert_int_equal(report_them(), 2);
	assert_int_equal(links[0].event[0].t_ns, 50000);
	assert_int_equal(links[0].event[0].of, 12);
	assert_int_equal(links[0].event[1].t_ns, 55000);
	assert_int_equal(report.link[0].events_unsent, 10);
	assert_int_equal(links[1].count[RECORD_EVENT], 5);
	assert_int_equal(links[1].event[0].t_ns, 35000);
	assert_int_equal(report.link[1].events_unsent, 7);
	assert_int_equal(links[2].count[RECORD_EVENT], 12);
	assert_int_equal(report.link[2].events_unsent, 0);
	assert_text("12 events: 12 on one cpu; the 10 longest:");
	/* The key is for all links; a bounded link takes at most its own default. */
	report.link[1].gaps_bounded = true;
	config.gaps = (struct config_limit){ true, 7 };
	assert_int_equal(report_them(), 7);
	assert_int_equal(links[1].count[RECORD_EVENT], 5);
	assert_int_equal(report.link[2].events_unsent, 5);
	config.gaps.value = 0;
	assert_int_equal(report_them(), 0);
	assert_int_equal(report.link[0].events_unsent, 12);
}

/*
 * The stage's sums lack the window in which a core was lost; its ring, and its longest gap, do not.
 */
TEST_F(start, NULL, test_lost_window)
{
	gap(0, 20000, 5000, CAUSE_NMI);
	gap(1, 20000, 100000, CAUSE_SMI);
	memset(&mock.cpu[1].stage, 0, sizeof(mock.cpu[1].stage));
	mock.cpu[1].measured = false;
	assert_int_equal(report_them(), 2);
	assert_string_equal(links[0].event[0].cause, "smi");
	assert_string_equal(links[0].event[0].list, "2");
	mock.cpu[1].worst = mock.cpu[1].ring.slot[0];
	mock.cpu[1].ring.used = 0;
	mock.cpu[1].ring.dropped = 1;
	assert_int_equal(report_them(), 2);
	mock.cpu[1].worst = (struct gap){ 0 };
	mock.cpu[1].ring.dropped = 0;
	assert_int_equal(report_them(), 1);
}

/* Even if clocks are off by more than the threshold, gaps further apart are not merged. */
TEST_F(start, NULL, test_slack)
{
	gap(0, 10000, 5000, CAUSE_SMI);
	gap(2, 15300, 5000, CAUSE_SMI);
	gap(1, 22299, 5000, CAUSE_SMI);
	assert_int_equal(report_them(), 3);
	mock.cpu[1].tsc_offset_bound = (struct maybe){ 301, true };
	assert_int_equal(report_them(), 2);
	mock.cpu[2].tsc_offset_bound = (struct maybe){ 1000000, true };
	assert_int_equal(report_them(), 1);
	mock.slot[1][0].start++;
	assert_int_equal(report_them(), 2);
}

TEST_F(start, NULL, test_scope_needs_the_whole_machine)
{
	for (uint32_t i = 0; i < MOCK_CPUS; i++) {
		places[i].package = 0;
		gap(i, 1000, 5000, CAUSE_SMI);
	}
	report_them();
	assert_string_equal(links[0].event[0].scope, "machine");
	platform->whole = false;
	report_them();
	assert_string_equal(links[0].event[0].scope, "package");
	platform->whole = true;
	mock.cpu[3].measured = false;
	report_them();
	assert_string_equal(links[0].event[0].scope, "package");
}

TEST_F(start, NULL, test_full_ring)
{
	gap(0, 1000, 2000, CAUSE_SMI);
	gap(1, 1000, 2000, CAUSE_SMI);
	gap(0, 10000, 2000, CAUSE_SMI);
	mock.cpu[1].ring.dropped = 1;
	assert_int_equal(report_them(), 2);
	assert_string_equal(links[0].event[0].list, "0,2");
	assert_string_equal(links[0].event[0].scope, "package");
	assert_false(links[0].event[0].partial);
	assert_null(links[0].event[1].scope);
	assert_true(links[0].event[1].partial);
}

/* Gaps of other causes neither stretch an event nor tie two together. */
TEST_F(start, NULL, test_one_cause)
{
	gap(0, 1000, 50000, CAUSE_UNKNOWN);
	gap(1, 2000, 2000, CAUSE_SMI);
	gap(2, 2100, 2000, CAUSE_SMI);
	gap(1, 30000, 2000, CAUSE_SMI);
	config.gaps = (struct config_limit){ true, 10 };
	assert_int_equal(report_them(), 3);
	assert_int_equal(links[0].event[0].t_ns, 500);
	assert_int_equal(links[0].event[1].t_ns, 1000);
	assert_int_equal(links[0].event[1].cpus, 2);
	assert_int_equal(links[0].event[2].t_ns, 15000);
	assert_text("3 events: 2 on one cpu, 1 of the machine:");
}

/* 600 bytes of core numbers are too many for a line. */
TEST_F(start, NULL, test_list_too_long)
{
	static struct cpu many[300];
	static struct gap one[300];
	static struct gaplist_head many_heads[CAUSES * 300];
	static struct event_cpu many_events[CAUSES * 300];

	for (uint32_t i = 0; i < 300; i++) {
		one[i] = (struct gap){ .start = BEGIN, .ticks = 5000, .cause = CAUSE_UNKNOWN };
		many[i].position = i;
		many[i].index = 2 * i;
		many[i].ring = (struct gap_ring){ .slot = &one[i], .capacity = 1, .used = 1 };
		many[i].stage.cause_gaps[CAUSE_UNKNOWN] = 1;
	}
	platform->cpu = many;
	platform->cpus = 300;
	platform->topology = NULL;
	report.scratch.heads = many_heads;
	report.scratch.event_cpus = many_events;
	assert_int_equal(report_them(), 1);
	assert_int_equal(links[0].event[0].cpus, 300);
	assert_null(links[0].event[0].list);
	assert_null(links[0].event[0].scope);
}

/* ---- Sources ---- */

/* Add `count` events, one every 64 ms, each with a gap on two cores. */
static void train(unsigned count, enum cause cause)
{
	for (unsigned i = 0; i < count; i++) {
		gap(0, (7 + 64 * i) * MS, 5000, cause);
		gap(1, (7 + 64 * i) * MS + 300, 5000, cause);
	}
}

/* Check for one source of `events` events, and for `cut` in the text; 0: no source. */
static void assert_source(unsigned events, const char *cut)
{
	report_them();
	for (unsigned i = 0; i < LINKS; i++)
		assert_int_equal(links[i].count[RECORD_SOURCE], events != 0);
	if (events) {
		assert_int_equal(links[0].source->period_ns, 64 * MS_NS);
		assert_int_equal(links[0].source->events, events);
		assert_int_equal(links[0].source->fill_ppm, 1000000);
	}
	if (cut)
		assert_text(cut);
	else
		assert_no_text("sources were looked for");
}

TEST_F(start, NULL, test_source)
{
	static const struct period_timer timer = { "SWSMI timer 64 ms", 64 * MS_NS };

	train(150, CAUSE_SMI);
	gap(0, 9700 * MS, 5000, CAUSE_NMI);
	assert_source(150, NULL);
	assert_string_equal(links[0].source->stage, "bare");
	assert_string_equal(links[0].source->cause, "smi");
	assert_null(links[0].source->origin);
	assert_string_equal(links[0].source->hint, "matches the SWSMI timer's 64 ms");
	report.search.timers[0] = timer;
	assert_source(150, NULL);
	assert_string_equal(links[0].source->origin, timer.name);
}

/* Events of unknown cause every 64 ms: without SMIs, no timer that raises SMIs is named. */
TEST_F(start, NULL, test_no_smi_timer_without_smis)
{
	train(150, CAUSE_UNKNOWN);
	for (unsigned guest = 0; guest < 2; guest++) {
		platform->hypervisor = guest;
		assert_source(150, NULL);
		assert_null(links[0].source->hint);
		assert_null(links[0].source->origin);
	}
}

/*
 * Events now and then at a multiple of 4 ms are a host's ticks. These are looked for only if there
 * is a host, and not among SMIs.
 */
TEST_F(start, NULL, test_ticks_of_a_host)
{
	static const struct {
		bool hypervisor;
		enum cause cause;
		unsigned found;
	} rows[] = { { true, CAUSE_UNKNOWN, 1 },
		     { false, CAUSE_UNKNOWN, 0 },
		     { true, CAUSE_SMI, 0 } };

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		unsigned tick = 2;

		start();
		for (unsigned i = 0; i < 60; i++) {
			tick += 20 + i * 29 % 41;
			gap(0, tick * 4 * MS, 5000, rows[r].cause);
		}
		platform->hypervisor = rows[r].hypervisor;
		report_them();
		assert_int_equal(links[0].count[RECORD_SOURCE], rows[r].found);
		if (!rows[r].found) {
			assert_text("no event recurs with a known period");
			continue;
		}
		assert_int_equal(links[0].source->period_ns, 4 * MS_NS);
		assert_string_equal(links[0].source->hint, "matches a kernel's tick of 250 Hz");
	}
}

/* If there is no room for all events, the first ones are searched. */
TEST_F(start, NULL, test_too_many_events)
{
	report.search.exposure.count = 0;
	for (uint64_t i = 0; i < MOCK_GAPS; i++)
		gap(0, 64 * i * MS, 5000, CAUSE_SMI);
	config.gaps = (struct config_limit){ true, 0 };
	assert_source(REPORT_TIMES, "among the first 32768 of 33000 smi events");
}

/* Events in windows for which there was no room are not searched. */
TEST_F(start, NULL, test_windows_missing)
{
	train(150, CAUSE_SMI);
	report.search.exposure.window[0].end = 6400 * MS_NS;
	report.search.exposure_full = true;
	assert_source(100, "among the first 100 of 150 smi events");
	report.search.exposure.count = 0;
	assert_source(0, "among the first 0 of 150 smi events");
}

/* After a ring is full, gaps are missing, so the windows from there on are left out. */
TEST_F(start, NULL, test_source_and_full_ring)
{
	train(150, CAUSE_SMI);
	mock.cpu[1].ring.used = 50;
	mock.cpu[1].ring.dropped = 100;
	assert_source(50, "among the first 50 of 150 smi events");
	assert_in_range(report.search.exposure.window[0].end, (7 + 64 * 49) * MS_NS,
			(7 + 64 * 49 + 1) * MS_NS);
	/* A ring that is full from the begin leaves nothing to search. */
	mock.cpu[1].ring.used = 0;
	assert_source(0, "among the first 0 of 150 smi events");
	assert_int_equal(report.search.exposure.count, 0);
}

/* After a TSC stepped back, times fall: all are searched. */
TEST_F(start, NULL, test_falling_times)
{
	train(20, CAUSE_SMI);
	mock.cpu[1].ring.used = 0;
	mock.slot[0][10].start -= 640 * MS;
	mock.slot[0][0].start += 640 * MS;
	assert_source(20, NULL);
}
