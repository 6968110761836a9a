/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run reported again: the same records and text, and nothing that upsets a terminal. */
#include "core/gaps/hist.h"
#include "core/report/report_saved.h"
#include "core/report/table.h"

#include "tests/unit/common/test.h"
#include "tests/unit/saved_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS 4u
#define S    UINT64_C(1000000000)

static struct compact_reader reader;
static struct report report;
static struct record_cpu cpus[CPUS];
static uint32_t order[CPUS];
static struct report_restored restored;
static struct cpu restored_cpus[CPUS];
static uint64_t pairs[HIST_BUCKETS][2];
static uint8_t room[1 << 18];
static char text[1 << 16];
static size_t used;

static void keep_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx;
	assert_true(used + bytes + 2 < sizeof(text));
	memcpy(text + used, line, bytes);
	used += bytes;
	text[used++] = '\n';
	text[used] = '\0';
}

static int start(void **state)
{
	(void)state;
	used = 0;
	text[0] = '\0';
	saved_start(room, sizeof(room));
	report = (struct report){ .line = keep_line,
				  .link = { { .to = &after.link } },
				  .links = 1,
				  .cpus = cpus,
				  .order = order };
	return 0;
}

static void add_stage(const char *name, uint32_t cores)
{
	static const uint64_t hist[][2] = { { 1000, 10 } };
	struct record_stage stage = { .stage = name, .sci_en = { 1, true } };
	struct record_window w = { .stage = name, .n = 1, .windows = 1, .len_ns = S };
	struct record_gap gap = { .stage = name, .cause = "smi", .why = "SMI: counter +1" };
	struct record_event event = { .stage = name, .cause = "smi" };
	struct record_source source = { .stage = name,
					.cause = "smi",
					.period_ns = S / 10,
					.events = 10,
					.origin = "a timer" };

	add(RECORD_STAGE, &stage);
	add(RECORD_WINDOW, &w);
	add(RECORD_GAP, &gap);
	for (uint32_t i = 0; i < cores; i++) {
		struct record_cpu cpu = { .stage = name,
					  .cpu = i,
					  .exposure_ns = S,
					  .noise_ns = 10000,
					  .max_ns = 1000 + i,
					  .gaps = 10,
					  .cause = { [CAUSE_SMI] = { 10, 10000 } },
					  .histogram = { hist, 1 } };

		add(RECORD_CPU, &cpu);
	}
	add(RECORD_EVENT, &event);
	add(RECORD_SOURCE, &source);
}

static void add_run(uint32_t cores)
{
	struct record_begin b = { .version = "1",
				  .machine = { .vendor = "Acme", .product = "X1", .uuid = "u-1" },
				  .hypervisor = "KVM" };
	struct record_log log = { .level = "info", .text = "handoff: done" };
	struct record_pause pause = { .stage = "handoff", .least_ns = S, .clock = "rtc" };
	struct record_end end = { .verdict = "fail",
				  .reasons = { "max: too long" },
				  .watched_ppm = { 998000, true } };

	add(RECORD_BEGIN, &b);
	add(RECORD_LOG, &log);
	add_stage("bare", cores);
	add_stage("handoff", cores);
	add(RECORD_PAUSE, &pause);
	add(RECORD_END, &end);
}

static void open_report(void)
{
	static const struct compact_head head = { .sid = SID };

	reader = (struct compact_reader){ .pairs = pairs, .pair_cap = HIST_BUCKETS };
	assert_int_equal(compact_open(&reader, room, compact_finish(&writer, &head)), COMPACT_OK);
}

static void assert_printed(const char *part)
{
	if (!strstr(text, part))
		fail_msg("no `%s` in\n%s", part, text);
}

TEST_F(start, teardown, test_records_and_text)
{
	add_run(2);
	open_report();
	report_replay(&report, &reader, CPUS, NULL);
	assert_string_equal(after.bytes, before.bytes);
	assert_printed("machine: Acme X1");
	assert_printed("info: handoff: done\n");
	assert_printed("stage bare\n");
	assert_printed("stage handoff\n");
	assert_printed("ACPI mode on (SCI_EN 1)");
	assert_printed("CPU  RUNTIME(us)");
	assert_printed("LIKELY\n");
	assert_printed("a timer");
	assert_printed("\nbare      longest ");
	assert_printed("\nhandoff   longest ");
	assert_printed("watched 99.8000 %");
	assert_printed("verdict: fail (max: too long)");
}

TEST_F(start, teardown, test_remark)
{
	struct record_end end = { .verdict = "pass",
				  .remark = "2 s is too short",
				  .sampled_ns = { 2 * S, true } };

	add_stage("handoff", 1);
	add(RECORD_END, &end);
	open_report();
	assert_true(report_restore(&reader, restored_cpus, CPUS, &restored));
	assert_int_equal(restored.reasons.verdict, VERDICT_PASS);
	assert_string_equal(restored.reasons.remark, "2 s is too short");
	report_replay(&report, &reader, CPUS, NULL);
	assert_string_equal(after.bytes, before.bytes);
	assert_non_null(strstr(after.bytes, "\"remark\":\"2 s is too short\",\"sampled_ns\":"
					    "2000000000,"));
	assert_printed("verdict: pass, but 2 s is too short\n");
}

/* Without one, and of what was there before. */
TEST_F(start, teardown, test_no_remark)
{
	struct record_end end = { .verdict = "pass", .sampled_ns = { 2 * S, true } };

	add_stage("handoff", 1);
	add(RECORD_END, &end);
	open_report();
	strcpy(restored.reasons.remark, "old");
	assert_true(report_restore(&reader, restored_cpus, CPUS, &restored));
	assert_string_equal(restored.reasons.remark, "");
	report_replay(&report, &reader, CPUS, NULL);
	assert_non_null(strstr(after.bytes, "\"remark\":null"));
	assert_printed("verdict: pass\n");
}

/* Twice gives twice the same, the stages' totals too. */
TEST_F(start, teardown, test_again_and_again)
{
	char *first;

	add_run(2);
	open_report();
	report_replay(&report, &reader, CPUS, NULL);
	first = strdup(text);
	used = 0;
	report.links = 0;
	report_replay(&report, &reader, CPUS, NULL);
	assert_string_equal(text, first);
	free(first);
}

/* A line may be as long as a record's: a verdict has its last reason, too. */
TEST_F(start, teardown, test_long_verdict)
{
	struct record_begin b = { .version = "1" };
	struct record_end end = { .verdict = "incomplete" };
	char reason[RECORD_STRINGS - 1][64];

	for (unsigned i = 0; i < RECORD_STRINGS - 1; i++) {
		snprintf(reason[i], sizeof(reason[i]), "interrupts were enabled while cpu %u", i);
		end.reasons[i] = reason[i];
	}
	add(RECORD_BEGIN, &b);
	add(RECORD_END, &end);
	open_report();
	report_replay(&report, &reader, CPUS, NULL);
	assert_printed("cpu 0; ");
	assert_printed("cpu 14)\n");
}

/* A table of each stage, before what followed it. */
TEST_F(start, teardown, test_tables_stand_where_they_stood)
{
	const char *first, *second, *stage;

	add_run(2);
	open_report();
	report_replay(&report, &reader, CPUS, NULL);
	first = strstr(text, "CPU  RUNTIME(us)");
	stage = strstr(text, "stage handoff\n");
	assert_non_null(first);
	second = strstr(first + 1, "CPU  RUNTIME(us)");
	assert_true(first < stage && stage < second);
	assert_null(strstr(second + 1, "CPU  RUNTIME(us)"));
}

TEST_F(start, teardown, test_more_cores_than_there_is_room_for)
{
	add_run(CPUS + 3);
	open_report();
	report_replay(&report, &reader, CPUS, NULL);
	assert_string_equal(after.bytes, before.bytes);
	assert_printed("CPU  RUNTIME(us)");
}

TEST_F(start, teardown, test_a_note_comes_before_the_end)
{
	struct record_log note = { .level = "info", .text = "a note" };
	struct record_end end = { .verdict = "pass" };
	struct record_begin b = { .version = "1" };

	assert_true(compact_add(&writer, RECORD_BEGIN, &b));
	assert_true(compact_add(&writer, RECORD_END, &end));
	record_send(&before.link, RECORD_BEGIN, &b);
	record_send(&before.link, RECORD_LOG, &note);
	record_send(&before.link, RECORD_END, &end);
	open_report();
	report_replay(&report, &reader, CPUS, "a note");
	assert_string_equal(after.bytes, before.bytes);
	assert_printed("info: a note\n");
}

/* A run that broke off in a stage. */
TEST_F(start, teardown, test_without_an_end)
{
	struct record_log note = { .level = "info", .text = "a note" };

	add_stage("bare", 2);
	record_send(&before.link, RECORD_LOG, &note);
	open_report();
	assert_true(report_restore(&reader, restored_cpus, CPUS, &restored));
	assert_int_equal(restored.reasons.verdict, VERDICT_INCOMPLETE);
	report_replay(&report, &reader, CPUS, "a note");
	assert_string_equal(after.bytes, before.bytes);
	assert_null(strstr(text, "verdict"));
}

TEST_F(start, teardown, test_contents)
{
	add_run(3);
	open_report();
	assert_true(report_restore(&reader, restored_cpus, CPUS, &restored));
	assert_int_equal(restored.reasons.verdict, VERDICT_FAIL);
	assert_int_equal(restored.cpus, 3);
	assert_int_equal(restored.records, 2 + 2 * (5 + 3) + 2);
	assert_string_equal(restored.begin.machine.product, "X1");
	assert_string_equal(restored.begin.machine.uuid, "u-1");
}

TEST_F(start, teardown, test_hostile_text)
{
	struct record_begin b = { .version = "\x1b[2J",
				  .machine = { .vendor = "\x1b]0;owned\x07", .product = "a\rb" } };
	struct record_log log = { .level = "info", .text = "\x9b\x7f\n\tend" };
	struct record_end end = { .verdict = "pass\x1b" };

	add(RECORD_BEGIN, &b);
	add(RECORD_LOG, &log);
	add(RECORD_END, &end);
	open_report();
	assert_true(report_restore(&reader, restored_cpus, CPUS, &restored));
	assert_int_equal(restored.reasons.verdict, VERDICT_ERROR);
	report_replay(&report, &reader, CPUS, NULL);
	assert_string_equal(after.bytes, before.bytes);
	for (size_t i = 0; i < used; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
}

/* Names that are not there are no names: a stage without one has no cores. */
TEST_F(start, teardown, test_absent_strings)
{
	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		static const union record nothing;

		add((enum record_type)type, &nothing);
	}
	open_report();
	report_replay(&report, &reader, CPUS, NULL);
	assert_int_equal(after.lines, before.lines);
}
