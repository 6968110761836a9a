/* SPDX-License-Identifier: BSD-2-Clause */
/* The last page as text: what the page has, in order. */
#include "core/screen/end_text.h"

#include "tests/unit/kept_lines.h"
#include "tests/unit/shown_run.h"

static int finish(void **state)
{
	(void)state;
	shown_end();
	return 0;
}

static void print(enum verdict verdict, const char *const *notes)
{
	const struct record_end record = { .verdict = verdict_name(verdict),
					   .sampled_ns = { shown.report.times.sampled, true } };
	const struct screen_end end = { .reasons = &shown.reasons,
					.notes = notes,
					.what_next = "It may be switched off.",
					.sid = 0xabc };

	shown.reasons.verdict = verdict;
	summary_end(&shown.report.summary, &record);
	forget_lines();
	end_text_print(&shown.begin, &shown.report, &end, keep_line, NULL);
}

TEST(test_a_run)
{
	static const char *const notes[] = { "saved as x", NULL };

	shown_begin(2, 800, 600);
	shown_configure("max=20us");
	shown_stage("handoff");
	shown_gap(1, 1, 152300, CAUSE_SMI);
	shown_window();
	shown_sum_up();
	verdict_reason(&shown.reasons, "max: too long");
	print(VERDICT_FAIL, notes);
	assert_text("machine: Acme Quiet 9000");
	assert_text("verdict: fail\nmax: too long\nsaved as x\nlimits: max=20us\n"
		    "sampled: 1.00 s in each stage, 2 of 2 cores, stages handoff, "
		    "gaps from 1us on\nrun 0000000000000abc of ");
	assert_text("\nlongest gap: 152 us, smi, cpu 1, stage handoff\n");
	assert_text("\nIt may be switched off.\n");
	shown.reasons.count = 0;
	snprintf(shown.reasons.remark, sizeof(shown.reasons.remark), "2 s is too short");
	print(VERDICT_PASS, notes);
	assert_text("verdict: pass\n2 s is too short\nsaved as x\n");
}

/* What was not measured is not summed up. */
TEST(test_no_run)
{
	static const char *const notes[] = { "no file: the volume is full", NULL };

	shown_begin(2, 800, 600);
	print(VERDICT_INCOMPLETE, notes);
	assert_string_equal(kept_text, "verdict: incomplete\nno file: the volume is full\n"
				       "It may be switched off.\n");
}

TEST_GROUP(NULL, finish);
