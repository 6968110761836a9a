/* SPDX-License-Identifier: BSD-2-Clause */
/* Data stored of a run, and records refused when there are too many. */
#include "host/capture/result.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/test.h"

static struct result *kept;
static union record record;

static void start(void)
{
	memset(&record, 0, sizeof(record));
	kept = result_new(0);
}

static void teardown(void)
{
	result_free(kept);
}

static bool keep(enum record_type type)
{
	uint64_t before = kept->left_out;

	result_keep(kept, type, &record, true);
	return kept->left_out == before;
}

TEST_F(start, teardown, test_too_many_stages)
{
	static const enum record_type types[] = { RECORD_WINDOW, RECORD_GAP, RECORD_EVENT,
						  RECORD_SOURCE, RECORD_CPU };
	char name[16];

	for (unsigned i = 0; i < RESULT_STAGES_MAX; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		record.cpu = (struct record_cpu){ .stage = name };
		assert_true(keep(RECORD_CPU));
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		memset(&record, 0, sizeof(record));
		/* The stage's name is the first field of each. */
		record.cpu.stage = "one more";
		assert_false(keep(types[i]));
		record.cpu.stage = "s63";
		/* Another core than the one that it has. */
		if (types[i] == RECORD_CPU)
			record.cpu.cpu = 1;
		assert_true(keep(types[i]));
	}
	assert_int_equal(kept->stages, RESULT_STAGES_MAX);
	assert_null(result_find_stage(kept, "one more"));
}

TEST_F(start, teardown, test_a_stage_without_a_name)
{
	assert_true(keep(RECORD_GAP));
	assert_non_null(result_find_stage(kept, "n/a"));
	record.gap.cpu = UINT32_MAX;
	assert_false(keep(RECORD_GAP));
	assert_int_equal(kept->gaps, 1);
}

TEST_F(start, teardown, test_too_many_sources)
{
	record.source.stage = "bare";
	for (unsigned i = 0; i < RESULT_SOURCES_MAX; i++)
		assert_true(keep(RECORD_SOURCE));
	assert_false(keep(RECORD_SOURCE));
	assert_int_equal(result_find_stage(kept, "bare")->sources, RESULT_SOURCES_MAX);
}

TEST_F(start, teardown, test_too_many_windows_and_gaps)
{
	/* The name is the first field of both. */
	record.window.stage = "bare";
	kept->windows = RESULT_WINDOWS_MAX - 1;
	kept->gaps = RESULT_GAPS_MAX - 1;
	for (unsigned n = 0; n < 2; n++) {
		assert_int_equal(keep(RECORD_WINDOW), !n);
		assert_int_equal(keep(RECORD_GAP), !n);
	}
}

/* Among events of equal length the later ones give way; the list is in the order of time. */
TEST_F(start, teardown, test_the_longest_events_are_kept)
{
	const struct result_stage *stage;

	for (unsigned i = 0; i < 3 * TABLE_EVENTS; i++) {
		/* Times jump back and forth; a third of the events is longer than the rest. */
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
	result_sort(kept);
	stage = result_find_stage(kept, "bare");
	assert_int_equal(stage->events, 3 * TABLE_EVENTS);
	assert_int_equal(stage->of, 99);
	assert_int_equal(stage->listed, TABLE_EVENTS);
	for (unsigned i = 0; i < TABLE_EVENTS; i++) {
		assert_true(stage->longest[i].len_ns >= 10);
		assert_true(!i || stage->longest[i].t_ns > stage->longest[i - 1].t_ns);
	}
	assert_int_equal(stage->scope[SCOPE_CPU] + stage->scope[SCOPE_UNKNOWN], 3 * TABLE_EVENTS);
}

TEST_F(start, teardown, test_equally_long_events)
{
	for (unsigned i = 0; i < 2 * TABLE_EVENTS; i++) {
		record.event = (struct record_event){ .stage = "bare", .len_ns = 5 };
		record.event.t_ns = 2 * TABLE_EVENTS - i;
		assert_true(keep(RECORD_EVENT));
	}
	result_sort(kept);
	/* The first in time stay, in whatever order they came. */
	assert_int_equal(result_find_stage(kept, "bare")->longest[0].t_ns, 1);
	assert_int_equal(result_find_stage(kept, "bare")->longest[TABLE_EVENTS - 1].t_ns,
			 TABLE_EVENTS);
}

TEST_F(start, teardown, test_sums_and_bounds_of_cores)
{
	static const uint64_t bounds[] = { 3, 9, 5, 1 };
	const struct result_stage *stage;

	for (unsigned i = 0; i < 4; i++) {
		record.cpu = (struct record_cpu){ .stage = "bare", .gaps = UINT64_MAX / 2 };
		record.cpu.cpu = i;
		record.cpu.tsc_offset_bound = (struct maybe){ .known = true, .value = bounds[i] };
		assert_true(keep(RECORD_CPU));
	}
	record.cpu.cpu = 4;
	record.cpu.tsc_offset_bound.known = false;
	assert_true(keep(RECORD_CPU));
	stage = result_find_stage(kept, "bare");
	assert_int_equal(stage->cpus, 5);
	assert_int_equal(stage->gaps_counted, UINT64_MAX);
	assert_int_equal(stage->bound[0], 9);
	assert_int_equal(stage->bound[1], 5);
}

/* Cores are sorted by number, without duplicates, whatever their order in the capture. */
TEST_F(start, teardown, test_cores_are_sorted)
{
	static const uint32_t cpus[] = { 7, 3, 3, 9, 1, 7 };
	unsigned count = 0;

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		record.cpu = (struct record_cpu){ .stage = "bare", .cpu = cpus[i], .gaps = i };
		count += keep(RECORD_CPU);
	}
	record.cpu = (struct record_cpu){ .stage = "acpi", .cpu = 3 };
	assert_true(keep(RECORD_CPU));
	assert_int_equal(count, 4);
	result_sort(kept);
	assert_int_equal(result_cpu(kept, 0)->cpu, 1);
	assert_int_equal(result_cpu(kept, 1)->cpu, 3);
	assert_int_equal(result_cpu(kept, 1)->gaps, 1);
	assert_int_equal(result_cpu(kept, 3)->cpu, 9);
	assert_string_equal(result_cpu(kept, 4)->stage, "acpi");
	assert_null(result_cpu(kept, 5));
}

/* Stored data live on when the record's own strings and pairs are gone. */
TEST_F(start, teardown, test_what_is_kept_is_a_copy)
{
	uint64_t pair[1][2] = { { 1000, 2 } };
	char name[] = "bare", verdict[] = "fail";
	const struct record_cpu *cpu;

	record.cpu = (struct record_cpu){ .stage = name, .histogram = { pair, 1 } };
	assert_true(keep(RECORD_CPU));
	memset(&record, 0, sizeof(record));
	record.end.verdict = verdict;
	assert_true(keep(RECORD_END));
	assert_false(keep(RECORD_END));
	memset(name, 'x', sizeof(name));
	memset(verdict, 'x', sizeof(verdict));
	memset(pair, 0, sizeof(pair));
	cpu = result_cpu(kept, 0);
	assert_string_equal(cpu->stage, "bare");
	assert_int_equal(cpu->histogram.at[0][0], 1000);
	assert_string_equal(kept->end.verdict, "fail");
}
