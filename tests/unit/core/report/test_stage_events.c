/* SPDX-License-Identifier: BSD-2-Clause */
/* From rings to event records: times in ns, limits, slack, rings that were full. */
#include "core/report/stage_events.h"

#include "tests/unit/common/test.h"
#include "tests/unit/capture.h"

#include <string.h>

#define CPUS      4
#define GAPS      16
#define SLOTS     8
#define BEGIN_TSC UINT64_C(1000000)
#define THRESHOLD 2000 /* ticks; 1 us at 2 GHz */

static struct cpu cpus[CPUS];
static struct topology places[CPUS];
static struct gap slots[CPUS][GAPS];
static struct gaplist_head heads[CPUS];
static struct event_cpu event_cpus[CPUS];
static struct event_slot event_slots[SLOTS];
static struct capture capture;
static struct platform platform;
static const struct stage_events events = { .platform = &platform,
					    .stage = "bare",
					    .threshold = THRESHOLD,
					    .heads = heads,
					    .cpus = event_cpus,
					    .slots = event_slots,
					    .capacity = SLOTS };

/* Two packages of two cores. */
static int start(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	platform =
		(struct platform){ .cpu = cpus, .cpus = CPUS, .whole = true, .topology = places };
	platform.hz = 2000000000;
	platform.begin_tsc = BEGIN_TSC;
	for (uint32_t i = 0; i < CPUS; i++) {
		cpus[i].position = i;
		cpus[i].index = 2 * i;
		cpus[i].measured = true;
		places[i] = (struct topology){ true, i / 2, i % 2, 0, NULL };
		cpus[i].ring = (struct gap_ring){ .slot = slots[i], .capacity = GAPS };
	}
	capture_start(&capture, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	capture_free(&capture);
	return 0;
}

/* Ticks since the begin, on the common clock. */
static void gap(uint32_t cpu, uint64_t at, uint64_t ticks, uint32_t smi)
{
	struct gap_ring *r = &cpus[cpu].ring;
	struct gap g = { .start = BEGIN_TSC + at + (uint64_t)cpus[cpu].tsc_offset, .ticks = ticks };

	g.cause = smi ? CAUSE_SMI : CAUSE_UNKNOWN;
	r->slot[r->used++] = g;
	cpus[cpu].stage.cause_gaps[g.cause]++;
}

/* The n-th record holds this. */
static void assert_sent(unsigned n, const char *part)
{
	const char *line = capture_at(&capture, n);
	char record[RECORD_LINE_MAX + 1] = "";

	if (line)
		snprintf(record, sizeof(record), "%.*s", (int)strcspn(line, "\n"), line);
	if (!strstr(record, part))
		fail_msg("no `%s` in record %u, `%s`", part, n, record);
}

TEST_F(start, teardown, test_record)
{
	cpus[1].tsc_offset = -500000;
	gap(0, 20000, 100000, 1);
	gap(1, 24000, 97000, 1);
	gap(3, 30000, 1000, 1);
	assert_int_equal(stage_events_send(&events, &capture.link, UINT64_MAX, 77), 0);
	assert_int_equal(capture.lines, 1);
	assert_sent(
		0,
		"\"type\":\"event\",\"stage\":\"bare\",\"t_ns\":10000,\"of\":77,\"len_ns\":50500,"
		"\"gaps\":3,\"cpus\":3,\"list\":\"0,2,6\",\"first\":0,\"last\":2,"
		"\"skew_ns\":5000,\"end_skew_ns\":45000,\"cause\":\"smi\",\"causes\":{"
		"\"smi\":{\"gaps\":3,\"ns\":99000}},"
		"\"scope\":\"machine\",\"partial\":false,\"crc\"");
}

TEST_F(start, teardown, test_limit)
{
	for (uint64_t i = 0; i < 12; i++)
		gap((uint32_t)i % CPUS, 10000 * i, 2000 + 2 * i, 0);
	assert_int_equal(stage_events_send(&events, &capture.link, 2, 77), 10);
	assert_int_equal(capture.lines, 2);
	assert_sent(0, "\"t_ns\":50000,\"of\":77,\"len_ns\":1010,");
	assert_sent(1, "\"t_ns\":55000,\"of\":77,\"len_ns\":1011,");
	assert_int_equal(stage_events_send(&events, &capture.link, 0, 77), 12);
	assert_int_equal(capture.lines, 2);
	assert_int_equal(stage_events_send(&events, &capture.link, 1000, 77), 12 - SLOTS);
	assert_int_equal(capture.lines, 2 + SLOTS);
	assert_int_equal(stage_events_send(&events, &capture.link, UINT64_MAX, 77), 0);
	assert_int_equal(capture.lines, 2 + SLOTS + 12);
}

/* Clocks that are off by more than the threshold do not tie gaps further apart than that. */
TEST_F(start, teardown, test_slack)
{
	gap(0, 10000, 5000, 1);
	gap(2, 15300, 5000, 1);
	gap(1, 22299, 5000, 1);
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_int_equal(capture.lines, 3);
	cpus[1].tsc_offset_bound = (struct maybe){ 301, true };
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_int_equal(capture.lines, 3 + 2);
	cpus[2].tsc_offset_bound = (struct maybe){ 1000000, true };
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_int_equal(capture.lines, 3 + 2 + 1);
	slots[1][0].start++;
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_int_equal(capture.lines, 3 + 2 + 1 + 2);
}

TEST_F(start, teardown, test_scope_needs_the_whole_machine)
{
	for (uint32_t i = 0; i < CPUS; i++) {
		places[i].package = 0;
		gap(i, 1000, 5000, 1);
	}
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_sent(0, "\"scope\":\"machine\"");
	platform.whole = false;
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_sent(1, "\"scope\":\"package\"");
	platform.whole = true;
	cpus[3].measured = false;
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_sent(2, "\"scope\":\"package\"");
}

TEST_F(start, teardown, test_full_ring)
{
	gap(0, 1000, 2000, 1);
	gap(1, 1000, 2000, 1);
	gap(0, 10000, 2000, 1);
	cpus[1].ring.dropped = 1;
	stage_events_send(&events, &capture.link, UINT64_MAX, 77);
	assert_int_equal(capture.lines, 2);
	assert_sent(0, "\"list\":\"0,2\"");
	assert_sent(0, "\"scope\":\"package\",\"partial\":false");
	assert_sent(1, "\"scope\":null,\"partial\":true");
}

struct reported {
	struct stage_totals totals;
	uint32_t events;
	uint64_t start[SLOTS];
	bool counted; /* all, before the first was reported */
};

static void take(void *ctx, const struct event *e)
{
	struct reported *t = ctx;

	t->counted = t->counted && t->totals.events == 5;
	t->start[t->events++] = e->start - BEGIN_TSC;
}

/* Counted by scope, and the longest reported in time order. */
TEST_F(start, teardown, test_count)
{
	struct reported t = { .counted = true };

	for (uint32_t i = 0; i < CPUS; i++)
		gap(i, 1000, 3000, 1);
	gap(0, 10000, 3001, 0);
	gap(1, 10500, 100, 0);
	gap(2, 20000, 2000, 0);
	gap(3, 30000, 9000, 0);
	gap(0, 50000, 2999, 0);
	gap(3, 50000, 2999, 0);
	stage_events_count(&events, &t.totals, 3, take, &t);
	assert_true(t.counted);
	assert_int_equal(t.totals.events, 5);
	assert_int_equal(t.totals.scope[SCOPE_MACHINE], 2);
	assert_int_equal(t.totals.scope[SCOPE_PACKAGE], 1);
	assert_int_equal(t.totals.scope[SCOPE_CPU], 2);
	assert_int_equal(t.events, 3);
	assert_int_equal(t.start[0], 1000);
	assert_int_equal(t.start[1], 10000);
	assert_int_equal(t.start[2], 30000);
}

/* Gaps of other causes neither stretch an event nor tie two together. */
TEST_F(start, teardown, test_one_cause)
{
	struct reported t = { 0 };

	gap(0, 1000, 50000, 0);
	gap(1, 2000, 2000, 1);
	gap(2, 2100, 2000, 1);
	gap(1, 30000, 2000, 1);
	assert_int_equal(stage_events_merge(&events, CAUSE_SMI, 0, take, &t), 2);
	assert_int_equal(t.start[0], 2000);
	assert_int_equal(t.start[1], 30000);
	assert_int_equal(stage_events_merge(&events, CAUSE_NMI, 0, take, &t), 0);
	t.events = 0;
	stage_events_count(&events, &t.totals, SLOTS, take, &t);
	assert_int_equal(t.events, 3);
	assert_int_equal(t.start[0], 1000);
	assert_int_equal(t.start[1], 2000);
	assert_int_equal(t.start[2], 30000);
}

/* 600 bytes of core numbers are too many for a line. */
TEST_F(start, teardown, test_list_too_long)
{
	static struct cpu many[300];
	static struct gap one[300];
	static struct gaplist_head many_heads[300];
	static struct event_cpu many_events[300];
	struct stage_events s = events;

	for (uint32_t i = 0; i < 300; i++) {
		one[i] = (struct gap){ .start = BEGIN_TSC, .ticks = 5000, .cause = CAUSE_UNKNOWN };
		many[i].position = i;
		many[i].index = 2 * i;
		many[i].ring = (struct gap_ring){ .slot = &one[i], .capacity = 1, .used = 1 };
		many[i].stage.cause_gaps[CAUSE_UNKNOWN] = 1;
	}
	platform.cpu = many;
	platform.cpus = 300;
	platform.topology = NULL;
	s.heads = many_heads;
	s.cpus = many_events;
	stage_events_send(&s, &capture.link, UINT64_MAX, 77);
	assert_int_equal(capture.lines, 1);
	assert_sent(0, "\"cpus\":300,\"list\":null,\"first\":0,");
	assert_sent(0, "\"scope\":null,");
}
