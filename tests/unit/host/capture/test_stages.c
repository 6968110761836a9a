/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host keeps of a run's stages, and what it says no to when there is too much. */
#include "host/capture/stages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct stages kept;
static union record record;

static int start(void **state)
{
	(void)state;
	memset(&record, 0, sizeof(record));
	return 0;
}

static int stop(void **state)
{
	(void)state;
	stages_free(&kept);
	return 0;
}

static bool keep(enum record_type type)
{
	return stages_keep(&kept, type, &record);
}

static void test_too_many_stages(void **state)
{
	static const enum record_type types[] = { RECORD_WINDOW, RECORD_GAP, RECORD_EVENT,
						  RECORD_SOURCE, RECORD_CPU };
	char name[16];

	(void)state;
	for (unsigned i = 0; i < STAGES_MAX; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		record.cpu = (struct record_cpu){ .stage = name };
		assert_true(keep(RECORD_CPU));
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		start(NULL);
		/* The stage's name is the first field of each. */
		record.cpu.stage = "one more";
		assert_false(keep(types[i]));
		record.cpu.stage = "s63";
		assert_true(keep(types[i]));
	}
	assert_int_equal(kept.count, STAGES_MAX);
	assert_null(stages_find(&kept, "one more"));
}

static void test_a_stage_without_a_name(void **state)
{
	(void)state;
	assert_true(keep(RECORD_GAP));
	assert_non_null(stages_find(&kept, "n/a"));
	record.gap.cpu = UINT32_MAX;
	assert_false(keep(RECORD_GAP));
	assert_int_equal(kept.gaps, 1);
}

static void test_too_many_sources(void **state)
{
	(void)state;
	record.source.stage = "bare";
	for (unsigned i = 0; i < STAGES_SOURCES_MAX; i++)
		assert_true(keep(RECORD_SOURCE));
	assert_false(keep(RECORD_SOURCE));
	assert_int_equal(stages_find(&kept, "bare")->sources, STAGES_SOURCES_MAX);
}

static void test_too_many_windows(void **state)
{
	(void)state;
	record.window.stage = "bare";
	kept.windows = STAGES_WINDOWS_MAX - 1;
	assert_true(keep(RECORD_WINDOW));
	assert_false(keep(RECORD_WINDOW));
}

static void test_too_many_gaps(void **state)
{
	(void)state;
	record.gap.stage = "bare";
	kept.gaps = STAGES_GAPS_MAX - 1;
	assert_true(keep(RECORD_GAP));
	assert_false(keep(RECORD_GAP));
}

/* Of events as long, the later ones give way; the list is in the order of time. */
static void test_the_longest_events_are_kept(void **state)
{
	const struct run_stage *stage;

	(void)state;
	for (unsigned i = 0; i < 3 * TABLE_EVENTS; i++) {
		/* Times jump to and fro; a third of the events is longer than the rest. */
		record.event = (struct record_event){
			.stage = "bare",
			.of = 99,
			.t_ns = i * 7 % (3 * TABLE_EVENTS),
			.len_ns = i % 3 ? 5 : 10 + i,
			.scope = i % 2 ? "cpu" : "no such scope",
			.cause = i % 2 ? "smi" : "no such cause",
		};
		assert_true(keep(RECORD_EVENT));
	}
	stage = stages_find(&kept, "bare");
	assert_int_equal(stage->events, 3 * TABLE_EVENTS);
	assert_int_equal(stage->of, 99);
	assert_int_equal(stage->listed, TABLE_EVENTS);
	for (unsigned i = 0; i < TABLE_EVENTS; i++) {
		assert_true(stage->longest[i].len_ns >= 10);
		assert_true(!i || stage->longest[i].t_ns > stage->longest[i - 1].t_ns);
	}
	assert_int_equal(stage->scope[SCOPE_CPU] + stage->scope[SCOPE_UNKNOWN], 3 * TABLE_EVENTS);
}

static void test_equally_long_events(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * TABLE_EVENTS; i++) {
		record.event = (struct record_event){ .stage = "bare", .len_ns = 5 };
		record.event.t_ns = 2 * TABLE_EVENTS - i;
		assert_true(keep(RECORD_EVENT));
	}
	/* The first in time stay, whatever came first. */
	assert_int_equal(stages_find(&kept, "bare")->longest[0].t_ns, 1);
	assert_int_equal(stages_find(&kept, "bare")->longest[TABLE_EVENTS - 1].t_ns, TABLE_EVENTS);
}

static void test_sums_and_bounds_of_cores(void **state)
{
	static const uint64_t bounds[] = { 3, 9, 5, 1 };
	const struct run_stage *stage;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		record.cpu = (struct record_cpu){ .stage = "bare", .gaps = UINT64_MAX / 2 };
		record.cpu.tsc_offset_bound = (struct maybe){ .known = true, .value = bounds[i] };
		assert_true(keep(RECORD_CPU));
	}
	record.cpu.tsc_offset_bound.known = false;
	assert_true(keep(RECORD_CPU));
	stage = stages_find(&kept, "bare");
	assert_true(stage->counted);
	assert_int_equal(stage->gaps_counted, UINT64_MAX);
	assert_int_equal(stage->bound[0], 9);
	assert_int_equal(stage->bound[1], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_too_many_stages, start, stop),
		cmocka_unit_test_setup_teardown(test_a_stage_without_a_name, start, stop),
		cmocka_unit_test_setup_teardown(test_too_many_sources, start, stop),
		cmocka_unit_test_setup_teardown(test_too_many_windows, start, stop),
		cmocka_unit_test_setup_teardown(test_too_many_gaps, start, stop),
		cmocka_unit_test_setup_teardown(test_the_longest_events_are_kept, start, stop),
		cmocka_unit_test_setup_teardown(test_equally_long_events, start, stop),
		cmocka_unit_test_setup_teardown(test_sums_and_bounds_of_cores, start, stop),
	};

	return cmocka_run_group_tests_name("stages", tests, NULL, NULL);
}
