/* SPDX-License-Identifier: BSD-2-Clause */
/* The end page drawn again from what was kept: the cells are the same, and any bytes are safe. */
#include "core/screen/end_kept.h"

#include "tests/unit/common/test.h"
#include "tests/unit/shown_run.h"

#define CORES 255u

static struct end_kept *kept;
static struct end_kept_state restored;
static struct cpu *cpu;

static int start(void **at)
{
	(void)at;
	kept = calloc(1, end_kept_bytes(CORES));
	cpu = calloc(CORES, sizeof(*cpu));
	return !kept || !cpu;
}

static int finish(void **at)
{
	(void)at;
	free(kept);
	free(cpu);
	shown_end();
	return 0;
}

static void end_run(enum verdict verdict)
{
	const struct record_end record = { .verdict = verdict_name(verdict),
					   .sampled_ns = { shown.report.times.sampled, true } };

	shown.reasons.verdict = verdict;
	summary_end(&shown.report.summary, &record);
}

/* Draw the page of the run into *before, and the page of what was kept of it into *after. */
static size_t draw_both(struct cell **before, struct cell **after)
{
	struct cells *c = &shown.screen.cells;
	size_t count = (size_t)c->columns * c->rows * sizeof(struct cell), bytes;
	struct screen_end end = { .reasons = &shown.reasons, .what_next = "x", .sid = 0xabc };

	*before = malloc(count);
	*after = malloc(count);
	assert_true(*before && *after);
	screen_end(&shown.screen, &end);
	memcpy(*before, c->wanted, count);
	bytes = end_kept_make(kept, &shown.begin, &shown.report, &end, "CODE");
	assert_true(end_kept_check(kept, bytes));
	memset(cpu, 0, CORES * sizeof(*cpu));
	end_kept_restore(kept, cpu, &restored);
	screen_init(&shown.screen, &restored.report, &restored.begin);
	end.reasons = &kept->reasons;
	end.sid = 0;
	end.facts = kept->facts;
	screen_end(&shown.screen, &end);
	memcpy(*after, c->wanted, count);
	return count;
}

static void check_same(void)
{
	struct cell *before, *after;
	size_t count = draw_both(&before, &after);

	assert_memory_equal(before, after, count);
	free(before);
	free(after);
}

TEST_F(start, finish, test_the_same_page)
{
	static const uint32_t sizes[][2] = {
		{ 640, 480 }, { 800, 600 }, { 1920, 1080 }, { 1080, 1920 }
	};
	static const uint32_t cores[] = { 1, 4, CORES };

	for (unsigned i = 0; i < 12; i++) {
		shown_begin(cores[i / 4], sizes[i % 4][0], sizes[i % 4][1]);
		shown.begin.arch = i % 3 ? "x86_64" : "aarch64";
		shown_configure("max=20us max_smi=0");
		for (unsigned stage = 0; stage < 2; stage++) {
			shown_stage(stage ? "handoff" : "bare");
			shown_gap(cores[i / 4] - 1, 1, 152300, CAUSE_SMI);
			shown_gap(0, 2000, 9000 + i, CAUSE_UNKNOWN);
			shown_window();
			shown_sum_up();
		}
		shown.reasons.count = 0;
		verdict_reason(&shown.reasons, "max: too long");
		end_run(i % 2 ? VERDICT_FAIL : VERDICT_NONE);
		check_same();
		assert_string_equal(kept->code, "CODE");
		assert_int_equal(kept->sid, 0xabc);
		assert_non_null(strstr(kept->about, "machine: Acme Quiet 9000"));
	}
}

TEST_F(start, finish, test_stretch)
{
	shown_begin(4, 800, 600);
	shown.config.mode = MODE_STRETCH;
	shown_stage("handoff");
	shown.platform.cpu[2].tail = (struct maybe){ 1050000, true };
	shown_sum_up();
	shown.reasons.count = 0;
	end_run(VERDICT_NONE);
	check_same();
	assert_true(cpu[2].tail.known);
}

static size_t make(void)
{
	const struct screen_end end = { .reasons = &shown.reasons };

	shown_begin(2, 800, 600);
	shown_stage("bare");
	shown_gap(1, 1, 152300, CAUSE_SMI);
	shown_window();
	return end_kept_make(kept, &shown.begin, &shown.report, &end, "");
}

/* Anybody may write to the firmware's variables. */
TEST_F(start, finish, test_refused)
{
	size_t bytes = make();

	assert_true(end_kept_check(kept, bytes));
	assert_false(end_kept_check(kept, bytes - 1));
	assert_false(end_kept_check(kept, 0));
	kept->cores++;
	assert_false(end_kept_check(kept, bytes));
	kept->cores = UINT32_MAX;
	assert_false(end_kept_check(kept, bytes));
	kept->cores = END_KEPT_CORES_MAX + 1;
	assert_false(end_kept_check(kept, end_kept_bytes(kept->cores)));
	bytes = make();
	kept->hz = 0;
	assert_false(end_kept_check(kept, bytes));
	bytes = make();
	kept->mode = MODES;
	assert_false(end_kept_check(kept, bytes));
	bytes = make();
	kept->reasons.verdict = VERDICTS;
	assert_false(end_kept_check(kept, bytes));
	bytes = make();
	kept->reasons.count = RECORD_STRINGS;
	assert_false(end_kept_check(kept, bytes));
}

/* The axis of its lengths spans three decades of ns, of which there are 19. */
TEST_F(start, finish, test_any_threshold)
{
	static const uint64_t thresholds[] = { 0, 1, UINT64_C(10000000000000000000), UINT64_MAX };

	for (unsigned i = 0; i < sizeof(thresholds) / sizeof(thresholds[0]); i++) {
		size_t bytes = make();
		struct screen_end end = { .reasons = &kept->reasons, .facts = "", .what_next = "" };

		kept->threshold_ns = thresholds[i];
		kept->limit[LIMIT_MAX].value = UINT64_MAX;
		kept->limit[LIMIT_MAX].set = true;
		assert_true(end_kept_check(kept, bytes));
		memset(cpu, 0, CORES * sizeof(*cpu));
		end_kept_restore(kept, cpu, &restored);
		screen_init(&shown.screen, &restored.report, &restored.begin);
		screen_end(&shown.screen, &end);
	}
}

TEST_F(start, finish, test_any_bytes)
{
	size_t bytes = make();
	struct screen_end end = { .reasons = &kept->reasons, .facts = kept->facts };
	uint32_t cores = kept->cores;

	for (unsigned byte = 0x7f; byte <= 0xff; byte += 0x80) {
		memset(kept, (int)byte, bytes);
		kept->cores = cores;
		kept->hz = SHOWN_HZ;
		kept->mode = MODE_GAPS;
		kept->reasons.verdict = VERDICT_FAIL;
		kept->reasons.count = RECORD_STRINGS - 1;
		assert_true(end_kept_check(kept, bytes));
		assert_int_equal(kept->facts[0], '?');
		assert_int_equal(strlen(kept->facts), sizeof(kept->facts) - 1);
		memset(cpu, 0, CORES * sizeof(*cpu));
		end_kept_restore(kept, cpu, &restored);
		screen_init(&shown.screen, &restored.report, &restored.begin);
		end.what_next = kept->code;
		screen_end(&shown.screen, &end);
	}
}
