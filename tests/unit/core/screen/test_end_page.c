/* SPDX-License-Identifier: BSD-2-Clause */
/* The end page after a reset: any bytes in the firmware's variables are safe. */
#include "core/screen/end_page.h"

#include "tests/unit/cells.h"
#include "tests/unit/common/test.h"
#include "tests/unit/shown_run.h"

static struct end_page page;

static void make(void)
{
	shown_begin(2, 800, 600);
	shown_configure("max=20us");
	shown_stage("bare");
	shown_gap(1, 1, 152300, CAUSE_SMI);
	shown_window();
	report_stage_end(&shown.report);
	shown.reasons = (struct verdict_reasons){ .verdict = VERDICT_FAIL };
	verdict_reason(&shown.reasons, "max: too long");
	end_page_make(&page, &shown.begin, &shown.report, &shown.reasons, 0xabc);
}

/* A page as it was made is unchanged by the check. */
TEST_F(NULL, shown_end, test_accepted)
{
	struct end_page before;

	make();
	before = page;
	assert_true(end_page_check(&page, sizeof(page)));
	assert_memory_equal(&before, &page, sizeof(page));
	assert_string_equal(page.head.machine, "Acme Quiet 9000");
	assert_string_equal(page.number, "longest gap 152 us");
	assert_non_null(strstr(page.about, "machine: Acme Quiet 9000"));
	assert_non_null(strstr(page.facts, "limits: max=20us\n"));
	assert_non_null(strstr(page.facts, "run 0000000000000abc of "));
	assert_cells(page.lines, "1", "NOISE(us) MAX(us) GAPS SMI NMI", "152.3 152.3 1 1 0");
}

/* Anybody may write to the firmware's variables. */
TEST_F(NULL, shown_end, test_refused)
{
	make();
	assert_false(end_page_check(&page, sizeof(page) - 1));
	assert_false(end_page_check(&page, sizeof(page) + 1));
	assert_false(end_page_check(&page, 0));
	page.reasons.verdict = VERDICTS;
	assert_false(end_page_check(&page, sizeof(page)));
	make();
	page.reasons.count = RECORD_STRINGS;
	assert_false(end_page_check(&page, sizeof(page)));
}

TEST_F(NULL, shown_end, test_any_bytes)
{
	for (unsigned byte = 0x7f; byte <= 0xff; byte += 0x80) {
		struct end_page_notes notes = { NULL, page.code };

		make();
		memset(&page, (int)byte, sizeof(page));
		page.reasons.verdict = VERDICT_FAIL;
		page.reasons.count = RECORD_STRINGS - 1;
		assert_true(end_page_check(&page, sizeof(page)));
		assert_int_equal(page.facts[0], '?');
		assert_int_equal(strlen(page.facts), sizeof(page.facts) - 1);
		assert_int_equal(strlen(page.number), sizeof(page.number) - 1);
		end_page_draw(&shown.screen, &page, &notes, NULL);
		for (unsigned row = 0; row < shown.screen.cells.rows; row++)
			for (const char *at = shown_row(row); *at; at++)
				assert_in_range(*at, ' ', '~');
	}
}
