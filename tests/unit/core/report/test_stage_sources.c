/* SPDX-License-Identifier: BSD-2-Clause */
/* From rings to sources: which events are searched, and which not. */
#include "core/report/stage_sources.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define CPUS    2
#define GAPS    600
#define WINDOWS 8
#define TIMES   512
#define BEGIN   UINT64_C(1000000)
#define MS      UINT64_C(2000000) /* ticks: 2 GHz */
#define MS_NS   UINT64_C(1000000)

static struct cpu cpus[CPUS];
static struct gap slots[CPUS][GAPS];
static struct gaplist_head heads[CPUS];
static struct event_cpu event_cpus[CPUS];
static struct exposure_window windows[WINDOWS];
static struct exposure watched;
static uint64_t times[TIMES];
static struct platform platform;
static struct stage_events events;
static struct stage_sources sources;
static struct stage_search search;
static struct period_list found;

static int start(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	platform = (struct platform){ .cpu = cpus, .cpus = CPUS, .hz = 1000 * MS };
	platform.begin_tsc = BEGIN;
	for (uint32_t i = 0; i < CPUS; i++) {
		cpus[i].index = cpus[i].position = i;
		cpus[i].measured = true;
		cpus[i].ring = (struct gap_ring){ .slot = slots[i], .capacity = GAPS };
	}
	watched = (struct exposure){ .window = windows, .capacity = WINDOWS };
	events = (struct stage_events){
		.platform = &platform, .stage = "bare", .heads = heads, .cpus = event_cpus
	};
	sources = (struct stage_sources){
		.events = &events, .watched = &watched, .times = times, .capacity = TIMES
	};
	return 0;
}

/* Ticks since the begin. */
static void gap(uint32_t cpu, uint64_t at, enum cause cause)
{
	struct gap_ring *r = &cpus[cpu].ring;
	struct gap g = { .start = BEGIN + at, .ticks = 5000 };

	g.cause = (uint8_t)cause;
	cpus[cpu].stage.cause_gaps[cause]++;
	r->slot[r->used++] = g;
}

/* One window of 10 s; an SMI on both cores every 64 ms in the first `events` of them. */
static void fill(unsigned count)
{
	assert_true(exposure_add(&watched, 0, 10000 * MS_NS));
	for (unsigned i = 0; i < count; i++) {
		gap(0, (7 + 64 * i) * MS, CAUSE_SMI);
		gap(1, (7 + 64 * i) * MS + 300, CAUSE_SMI);
	}
}

static void find(enum cause cause)
{
	stage_sources_begin(&sources);
	stage_sources_find(&sources, cause, &search, &found);
}

TEST_F(start, NULL, test_found)
{
	struct record_source record;

	fill(150);
	gap(0, 9700 * MS, CAUSE_NMI);
	assert_true(stage_events_any(sources.events, CAUSE_SMI));
	assert_true(stage_events_any(sources.events, CAUSE_NMI));
	assert_false(stage_events_any(sources.events, CAUSE_UNKNOWN));
	find(CAUSE_SMI);
	assert_int_equal(search.status, PERIOD_OK);
	assert_int_equal(search.events, 150);
	assert_int_equal(search.searched, 150);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.source[0].events, 150);
	assert_int_equal(found.source[0].period_ns, 64 * MS_NS);
	stage_sources_record(&sources, CAUSE_SMI, &found.source[0], &record);
	assert_string_equal(record.stage, "bare");
	assert_string_equal(record.cause, "smi");
	assert_int_equal(record.period_ns, 64 * MS_NS);
	assert_int_equal(record.fill_ppm, 1000000);
	assert_int_equal(record.events, 150);
	assert_int_equal(record.chance_milli, found.source[0].chance_milli);
	assert_null(record.origin);
	assert_string_equal(record.hint, "matches the SWSMI timer's 64 ms");

	find(CAUSE_NMI);
	assert_int_equal(search.events, 1);
	assert_int_equal(found.count, 0);
}

/* Events of unknown cause every 64 ms: no timer's that raises SMIs, as none was seen. */
TEST_F(start, NULL, test_no_smi_timer_without_smis)
{
	assert_true(exposure_add(&watched, 0, 10000 * MS_NS));
	for (unsigned i = 0; i < 150; i++)
		gap(0, (7 + 64 * i) * MS, CAUSE_UNKNOWN);
	for (unsigned guest = 0; guest < 2; guest++) {
		platform.hypervisor = guest;
		find(CAUSE_UNKNOWN);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.source[0].period_ns, 64 * MS_NS);
		assert_null(found.source[0].hint);
		assert_null(found.source[0].origin);
	}
}

/*
 * Now and then, at a multiple of 4 ms: a host's ticks, which are looked for only where there is a
 * host, and not among SMIs.
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

		start(state);
		assert_true(exposure_add(&watched, 0, 10000 * MS_NS));
		for (unsigned i = 0; i < 60; i++) {
			tick += 20 + i * 29 % 41;
			gap(0, tick * 4 * MS, rows[r].cause);
		}
		platform.hypervisor = rows[r].hypervisor;
		find(rows[r].cause);
		assert_int_equal(found.count, rows[r].found);
		if (!found.count)
			continue;
		assert_int_equal(found.source[0].period_ns, 4 * MS_NS);
		assert_string_equal(found.source[0].hint, "matches a kernel's tick of 250 Hz");
	}
}

/* The first ones, when there is not room for all. */
TEST_F(start, NULL, test_too_many)
{
	fill(150);
	sources.capacity = 100;
	find(CAUSE_SMI);
	assert_int_equal(search.events, 150);
	assert_int_equal(search.searched, 100);
	assert_int_equal(found.source[0].events, 100);
	assert_int_equal(found.source[0].fill_ppm, 1000000);
}

/* Windows past the room for them: what came in them is not searched. */
TEST_F(start, NULL, test_windows_missing)
{
	fill(150);
	windows[0].end = 6400 * MS_NS;
	sources.windows_missing = true;
	find(CAUSE_SMI);
	assert_int_equal(search.events, 150);
	assert_int_equal(search.searched, 100);
	watched.count = 0;
	find(CAUSE_SMI);
	assert_int_equal(search.searched, 0);
	assert_int_equal(found.count, 0);
}

/* A ring was full: from there on gaps are missing, and windows with them. */
TEST_F(start, NULL, test_full_ring)
{
	fill(150);
	cpus[1].ring.used = 50;
	cpus[1].ring.dropped = 100;
	find(CAUSE_SMI);
	assert_int_equal(search.searched, 50);
	assert_int_equal(found.source[0].events, 50);
	assert_int_equal(found.source[0].fill_ppm, 1000000);
	assert_in_range(windows[0].end, (7 + 64 * 49) * MS_NS, (7 + 64 * 49 + 1) * MS_NS);

	/* Full from the begin: nothing to go by. */
	cpus[1].ring.used = 0;
	find(CAUSE_SMI);
	assert_int_equal(watched.count, 0);
	assert_int_equal(search.searched, 0);
}

/* A clock that is a little behind the begin's is not ahead by 500 years. */
TEST_F(start, NULL, test_before_the_begin)
{
	fill(20);
	slots[0][0].start = slots[1][0].start = BEGIN - 100;
	find(CAUSE_SMI);
	assert_int_equal(search.status, PERIOD_OK);
	assert_int_equal(times[0], 0);
}

/* A TSC that stepped back: times that fall are not searched. */
TEST_F(start, NULL, test_falling_times)
{
	fill(20);
	cpus[1].ring.used = 0;
	slots[0][10].start = BEGIN + 5 * MS;
	find(CAUSE_SMI);
	assert_int_equal(search.status, PERIOD_BAD_TIMES);
	assert_int_equal(search.searched, 0);
	assert_int_equal(found.count, 0);
}
