/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages: what a person reads there, against what was planted. */
#include "core/screen/screen_code.h"

#include "core/modes/services/service_room.h"
#include "core/modes/survey/survey_room.h"
#include "tests/unit/common/test.h"
#include "tests/unit/kept_lines.h"
#include "tests/unit/shown_run.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static const struct {
	uint32_t width, height;
} sizes[] = { { 640, 480 },   { 800, 600 },   { 1024, 768 },  { 1366, 768 },
	      { 1920, 1080 }, { 3840, 2160 }, { 1080, 1920 }, { 3440, 1440 } };

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void assert_shown(const char *words)
{
	if (shown_find(words) < 0)
		fail_msg("\"%s\" is not on the screen of %ux%u cells", words,
			 shown.screen.cells.columns, shown.screen.cells.rows);
}

static void assert_not_shown(const char *words)
{
	int row = shown_find(words);

	if (row >= 0)
		fail_msg("\"%s\" is in row %d", words, row);
}

/* The ink of the first cell of these words; large or not. */
static uint8_t ink_of(const char *words)
{
	const struct cells *c = &shown.screen.cells;
	int row = shown_find(words);
	bool large;

	assert_true(row >= 0);
	large = !strcmp(shown_large((unsigned)row), words);
	for (unsigned x = 0; x < c->columns; x++) {
		const struct cell *cell = &c->wanted[(size_t)row * c->columns + x];

		if (large ? cell->scale > 1
			  : !strncmp(shown_row((unsigned)row) + x, words, strlen(words)))
			return cell->inks & 15;
	}
	return INKS;
}

static void live(void)
{
	screen_live(&shown.screen, "Esc ends it.");
}

/* A test of a page on a screen of each size, of a machine of so many cores. */
#define TEST_PAGE(name, cores)                                               \
	static void name##_page(void);                                       \
	TEST(name)                                                           \
	{                                                                    \
		for (size_t i = 0; i < SIZES; i++) {                         \
			shown_begin(cores, sizes[i].width, sizes[i].height); \
			name##_page();                                       \
		}                                                            \
	}                                                                    \
	static void name##_page(void)

/* Start */

TEST_PAGE(test_start, 4)
{
	const struct screen_question question = {
		.seconds = 5,
		.config = "duration=1m window=1s threshold=1us stages=handoff",
		.typed = "duration=10m",
		.complaint = "",
	};

	screen_start(&shown.screen, &question);
	assert_shown("noisefloor 1.2.3");
	assert_shown("Acme Quiet 9000");
	assert_shown("American Megatrends Inc. 3.3 02/21/2026");
	assert_shown("Fast(R) Processor 6130");
	assert_shown("starts in 5 s");
	assert_shown("duration=1m");
	assert_shown("stages=handoff");
	assert_shown("Enter starts now. Esc leaves.");
	assert_shown("> duration=10m_");
}

TEST(test_start_is_touched)
{
	const struct screen_question question = {
		.config = "duration=1m",
		.typed = "duration=10",
		.complaint = "duration=10 needs a unit",
	};

	shown_begin(4, 640, 480);
	screen_start(&shown.screen, &question);
	assert_not_shown("starts in 0 s");
	assert_shown("ready");
	assert_shown("duration=10 needs a unit");
	assert_int_equal(ink_of("duration=10 needs a unit"), INK_BAD);
}

/* A long configuration is wrapped: all of its words are shown. */
TEST_PAGE(test_long_configuration, 4)
{
	TEXT_DEFINE(t, 800);
	const struct screen_question question = { .config = t.buf, .typed = "", .complaint = "" };
	char *word;

	config_print(&shown.config, &t);
	screen_start(&shown.screen, &question);
	for (word = strtok(t.buf, " "); word; word = strtok(NULL, " "))
		assert_shown(word);
}

/* Live */

TEST_PAGE(test_live, 4)
{
	shown_stage("handoff");
	shown_gap(2, 250 * MS, 812 * US, CAUSE_SMI);
	shown_gap(1, 500 * MS, 3 * US, CAUSE_UNKNOWN);
	shown_window();
	shown_window();
	live();
	assert_shown("4 of 4 cores measured");
	assert_shown("stage handoff");
	assert_shown("window 3 of 60, 58 s left");
	assert_shown("812 us");
	assert_shown("smi on cpu 2 at 0.250 s");
	assert_shown("Esc ends it.");
	assert_shown("CPU  NOISE(us)  MAX(us)  GAPS  SMI  NMI");
	assert_shown("  0        0.0      0.0     0    0    0");
	assert_shown("  1        3.0      3.0     1    0    0");
	assert_shown("  2      812.0    812.0     1    1    0");
	assert_shown("all      815.0    812.0     2    1    0");
}

/* If nothing was found, nothing is shown. */
TEST(test_live_quiet)
{
	shown_begin(4, 1024, 768);
	shown_stage("bare");
	shown_window();
	live();
	assert_shown("< 1.00 us");
	assert_shown("no gap so far");
	assert_not_shown("cpu ");
	for (unsigned y = 7; y < shown.screen.cells.rows; y++)
		for (unsigned x = 0; x < shown.screen.cells.columns; x++) {
			const struct cell *c =
				&shown.screen.cells.wanted[y * shown.screen.cells.columns + x];

			assert_true(c->glyph >= ' ');
			assert_true((c->inks & 15) != INK_BAD);
		}
}

/* A number in red is over the limit, and no other. */
TEST(test_limit)
{
	shown_begin(2, 640, 480);
	shown_configure("max=100us");
	shown_stage("handoff");
	shown_gap(0, MS, 100 * US, CAUSE_SMI);
	shown_window();
	live();
	assert_int_equal(ink_of("100 us"), INK_BRIGHT);
	shown_gap(0, MS, 101 * US, CAUSE_SMI);
	shown_window();
	live();
	assert_int_equal(ink_of("101 us"), INK_BAD);
}

TEST(test_time_left)
{
	shown_begin(1, 640, 480);
	shown_configure("duration=2h stages=bare,acpi,handoff");
	shown_stage("acpi");
	live();
	assert_shown("window 1 of 7200, 4 h 00 min left");
	for (unsigned i = 0; i < 60; i++)
		shown_window();
	live();
	assert_shown("window 61 of 7200, 3 h 59 min left");
	shown_configure("duration=90s");
	shown_stage("handoff");
	live();
	assert_shown("1 min 30 s left");
}

static unsigned progress(void)
{
	const struct cells *c = &shown.screen.cells;
	int row = shown_find("stage handoff");
	unsigned eighths = 0;

	for (unsigned x = 0; x < c->columns; x++) {
		uint8_t glyph = c->wanted[(size_t)(row + 1) * c->columns + x].glyph;

		if (glyph >= GLYPH_LEFT(1) && glyph <= GLYPH_LEFT(8))
			eighths += glyph - GLYPH_LEFT(0);
	}
	return eighths;
}

TEST(test_progress)
{
	unsigned full;

	shown_begin(1, 640, 480);
	full = 8 * (shown.screen.cells.columns - 2);
	shown_stage("handoff");
	for (unsigned n = 0; n <= 60; n++) {
		live();
		assert_int_equal(progress(), full * n / 60);
		shown_window();
	}
}

/* Cores */

/* With many cores, the worst come first. */
TEST_PAGE(test_table_of_many, 255)
{
	int worst;

	shown_stage("handoff");
	shown_gap(100, 1, 20 * US, CAUSE_UNKNOWN);
	shown_gap(254, 1, 20 * MS, CAUSE_UNKNOWN);
	shown_window();
	live();
	assert_shown("the 16 worst of 255 cores");
	worst = shown_find("254    20000.0  20000.0     1    0    0");
	assert_true(worst > 0);
	assert_int_equal(shown_find("100       20.0     20.0     1    0    0"), worst + 1);
	assert_int_equal(shown_find("  0        0.0      0.0     0    0    0"), worst + 2);
}

/* End */

static const char *const no_notes[] = { NULL };

static struct end_page page;

static void end(enum verdict verdict, const char *const *notes)
{
	const struct record_end record = { .verdict = verdict_name(verdict),
					   .sampled_ns = { shown.report.times.sampled,
							   shown.report.times.sampled != 0 } };
	const struct end_page_notes beside = { notes, "It may be switched off." };

	shown.reasons.verdict = verdict;
	summary_end(&shown.report.summary, &record);
	end_page_make(&page, &shown.begin, &shown.report, &shown.reasons, 0xabc);
	end_page_draw(&shown.screen, &page, &beside, NULL);
}

/* Height of the largest letters, in parts of the screen's. */
static unsigned largest_percent(void)
{
	const struct cells *c = &shown.screen.cells;
	unsigned scale = 0;

	for (size_t i = 0; i < (size_t)c->columns * c->rows; i++)
		if (c->wanted[i].scale > scale)
			scale = c->wanted[i].scale;
	return scale * 100 / c->rows;
}

TEST(test_verdicts)
{
	static const struct {
		enum verdict verdict;
		const char *word;
		uint8_t ink;
	} verdicts[] = {
		{ VERDICT_PASS, "PASS", INK_GOOD },
		{ VERDICT_FAIL, "FAIL", INK_BAD },
		{ VERDICT_INCOMPLETE, "INCOMPLETE", INK_WARN },
		{ VERDICT_ERROR, "ERROR", INK_BAD },
	};

	for (size_t i = 0; i < SIZES; i++)
		for (size_t v = 0; v < sizeof(verdicts) / sizeof(verdicts[0]); v++) {
			shown_begin(4, sizes[i].width, sizes[i].height);
			shown_stage("handoff");
			shown_gap(0, 1, 12300, CAUSE_SMI);
			shown_window();
			verdict_reason(&shown.reasons, "the reason for it");
			end(verdicts[v].verdict, no_notes);
			assert_shown(verdicts[v].word);
			assert_int_equal(ink_of(verdicts[v].word), verdicts[v].ink);
			assert_shown("longest gap 12.3 us");
			assert_shown("the reason for it");
			assert_shown("It may be switched off.");
			assert_shown("  0       12.3     12.3     1    1    0");
			/* A short word can be read across the room. */
			if (strlen(verdicts[v].word) <= 5 && sizes[i].width > sizes[i].height)
				assert_true(largest_percent() >= 19);
		}
}

/* A pass with a remark does not look like one without. */
TEST_PAGE(test_short_pass, 4)
{
	shown_stage("handoff");
	shown_window();
	snprintf(shown.reasons.remark, sizeof(shown.reasons.remark), "2 s is too short");
	end(VERDICT_PASS, no_notes);
	assert_shown("PASS, BUT SHORT");
	assert_int_equal(ink_of("PASS, BUT SHORT"), INK_WARN);
	assert_shown("2 s is too short");
	assert_int_equal(ink_of("2 s is too short"), INK_WARN);
	shown.reasons.remark[0] = '\0';
	end(VERDICT_PASS, no_notes);
	assert_not_shown("BUT SHORT");
	assert_not_shown("too short");
}

/* Without limits there is no verdict: the floor is the result. */
TEST_PAGE(test_floor, 4)
{
	shown_stage("handoff");
	shown_gap(0, 1, 12300, CAUSE_SMI);
	shown_window();
	end(VERDICT_NONE, no_notes);
	assert_shown("LONGEST GAP");
	assert_shown("12.3 us");
	assert_not_shown("PASS");
	shown_stage("handoff");
	shown_window();
	end(VERDICT_NONE, no_notes);
	assert_shown("< 1.00 us");
}

/* No window has passed: neither "no gap" nor "< 1 us" nor 0 of anything is known. */
TEST_PAGE(test_nothing_was_sampled, 2)
{
	shown_stage("handoff");
	live();
	assert_shown("n/a");
	assert_not_shown("NOISE(us)");
	assert_not_shown("no gap");
	assert_not_shown("none");
	assert_not_shown("< 1");
	end(VERDICT_INCOMPLETE, no_notes);
	assert_shown("longest gap n/a");
	assert_not_shown("  none");
	assert_not_shown("< 1");
}

/* "none" is a result; if no service was called beside other cores, there is no result. */
TEST_PAGE(test_services, 2)
{
	static struct service_room room;
	struct record_service *r = &room.done[0];

	shown.config.mode = MODE_SERVICES;
	memset(&room, 0, sizeof(room));
	shown_stage("firmware");
	mock.platform.services = &room;
	room.count = 1;
	*r = (struct record_service){ .service = "get_time", .why = "not there" };
	end(VERDICT_NONE, no_notes);
	assert_shown("LONGEST STOP OF OTHERS");
	assert_shown("get_time was not called: not there");
	assert_shown("n/a");
	assert_int_equal(shown_find("none"), shown_find("no limits were set: the verdict is none"));
	/* No other core samples. */
	*r = (struct record_service){ .service = "get_time",
				      .calls = 9,
				      .max_ns = { 5 * US, true } };
	end(VERDICT_FAIL, no_notes);
	assert_shown("get_time takes up to 5.00 us; whom it stops is not known");
	assert_shown("longest stop of others n/a");
	r->others = 1;
	end(VERDICT_FAIL, no_notes);
	assert_shown("longest stop of others none");
	r->stops = true;
	r->stopped = 1;
	r->longest_ns = (struct maybe){ 81 * US, true };
	end(VERDICT_FAIL, no_notes);
	assert_shown("longest stop of others 81.0 us");
	assert_shown("get_time stops all 2 cores, ");
}

/* The pages of mode=stretch show no gaps, not even zero. */
TEST_PAGE(test_stretch, 4)
{
	shown.config.mode = MODE_STRETCH;
	shown.config.limit[LIMIT_MAX_STRETCH] = (struct config_limit){ true, 1100000 };
	shown_stage("handoff");
	shown.report.progress.turns = 3;
	live();
	assert_shown("turn 4 of");
	assert_shown("n/a");
	mock.platform.cpu[1].tail = (struct maybe){ 1098765, true };
	end(VERDICT_PASS, no_notes);
	assert_shown("p99.9 of stretch 1.098765");
	assert_shown("   0          n/a");
	assert_shown("   1     1.098765");
	mock.platform.cpu[2].tail = (struct maybe){ 12345678, true };
	live();
	assert_shown("12.345678");
	assert_not_shown("GAP");
	end(VERDICT_NONE, no_notes);
	assert_shown("   2    12.345678");
	/* A core that the host took away: as wide as the head of its column. */
	mock.platform.cpu[3].tail = (struct maybe){ 12345678901, true };
	end(VERDICT_NONE, no_notes);
	assert_shown(" CPU        P99.9");
	assert_shown("   3 12345.678901");
	assert_not_shown("GAP");
	assert_not_shown("oise floor");
	assert_not_shown("NOISE");
}

/* The pages of a survey show no measurement: its readings are in the records. */
TEST_PAGE(test_survey, 2)
{
	static struct survey_room room;

	shown.config.mode = MODE_SURVEY;
	mock.platform.survey = &room;
	memset(&room, 0, sizeof(room));
	shown_stage("firmware");
	/* No core was read yet. */
	live();
	assert_shown("n/a");
	assert_not_shown("0 cores");
	assert_not_shown("0 parts");
	room.cores = 2;
	room.parts.parts = 31;
	room.parts.bytes = 54321;
	shown.report.progress.turns = 1;
	end(VERDICT_NONE, no_notes);
	assert_shown("SURVEY, NOTHING MEASURED");
	assert_shown("2 cores");
	assert_shown("31 parts of 54321 bytes were sent");
	assert_not_shown("GAP");
	assert_not_shown("NOISE");
	live();
	assert_shown("`noisefloor show` lists how");
}

/*
 * A picture of the page is evidence: it has what was measured, for how long, by which limits, and
 * when.
 */
TEST_PAGE(test_facts, 4)
{
	shown.begin.hypervisor = "KVM";
	shown_configure("max=20us preset=hft");
	shown_stage("handoff");
	shown_gap(3, 1, 152300, CAUSE_SMI);
	shown_gap(2, 1, 2 * US, CAUSE_UNKNOWN);
	shown_window();
	report_stage_end(&shown.report);
	end(VERDICT_FAIL, no_notes);
	assert_shown("limits: max=20us");
	assert_shown("preset=hft");
	assert_shown("sampled: 1.00 s in each stage, 4 of 4 cores");
	assert_shown("hypervisor: KVM");
	assert_shown("2026-03-01T08:15:00Z");
	assert_shown("longest gap: 152 us, smi, cpu 3, stage handoff");
	assert_shown("smi: 1 gap, 152 us in all");
	assert_shown("unknown: 1 gap, 2.00 us in all");
	assert_shown("Acme Quiet 9000");
}

static unsigned modules_shown(void)
{
	const struct cells *c = &shown.screen.cells;
	unsigned n = 0;

	for (size_t i = 0; i < (size_t)c->columns * c->rows; i++)
		n += c->wanted[i].glyph == GLYPH_MODULES;
	return n;
}

/* The code is drawn completely, beside the text, or not at all. */
TEST(test_code)
{
	static struct screen_code code;
	const unsigned lengths[] = { 300, 850 };
	unsigned columns, rows, fitted = 0;
	char text[900];
	bool fits;

	for (size_t i = 0; i < SIZES; i++)
		for (size_t n = 0; n < 2; n++) {
			const struct end_page_notes beside = { NULL, "It may be switched off." };

			memset(text, 'x', lengths[n]);
			text[lengths[n]] = '\0';
			assert_true(screen_code_make(&code, text));
			shown_begin(4, sizes[i].width, sizes[i].height);
			shown_stage("handoff");
			shown_gap(3, 1, 152300, CAUSE_SMI);
			shown_window();
			report_stage_end(&shown.report);
			shown.reasons.verdict = VERDICT_FAIL;
			end_page_make(&page, &shown.begin, &shown.report, &shown.reasons, 0);
			end_page_draw(&shown.screen, &page, &beside, &code);
			columns = screen_code_columns(&code);
			rows = screen_code_rows(&code);
			/* 2 margins and 34 beside it and a gap; 3 lines above it and 1 below. */
			fits = shown.screen.cells.columns >= columns + 37 &&
			       shown.screen.cells.rows >= rows + 4;
			assert_int_equal(modules_shown(), fits ? columns * rows : 0);
			fitted += fits;
			assert_shown("FAIL");
			assert_shown("longest gap 152 us");
			assert_shown("It may be switched off.");
		}
	/* The shorter on all but the upright one. */
	assert_true(fitted >= SIZES - 1);
}

TEST(test_error_before_start)
{
	static const char *const notes[] = { "noisefloor.conf:3: duration=10 needs a unit",
					     "load options: unknown key", NULL };

	shown_begin(4, 640, 480);
	verdict_reason(&shown.reasons, "the run did not start");
	end(VERDICT_ERROR, notes);
	assert_shown("ERROR");
	assert_shown("the run did not start");
	assert_shown(notes[0]);
	assert_shown(notes[1]);
	/* Nothing was measured, so there is no floor. */
	assert_not_shown("longest gap");
	assert_not_shown("NOISE(us)");
	assert_not_shown("limits");
	assert_not_shown("run 0");
}

TEST(test_end_of_several_stages)
{
	const struct record_cpu firmware = { .stage = "firmware",
					     .exposure_ns = 1000 * MS,
					     .max_ns = 812 * US,
					     .gaps = 77,
					     .smi = { 31, true } };
	const struct record_cpu bare = {
		.stage = "bare", .exposure_ns = 1000 * MS, .max_ns = 5 * US, .gaps = 3
	};

	shown_begin(2, 640, 480);
	shown_stage("firmware");
	shown_window();
	summary_cpu(&shown.report.summary, &firmware, &mock.platform.cpu[0]);
	end(VERDICT_PASS, no_notes);
	assert_not_shown("firmware  longest");
	shown_stage("bare");
	summary_cpu(&shown.report.summary, &bare, &mock.platform.cpu[0]);
	end(VERDICT_PASS, no_notes);
	assert_shown("firmware  longest   812 us          77 gaps        31 SMI");
	assert_shown("bare      longest  5.00 us           3 gaps       n/a SMI");
	/* This stage has no record of a core. */
	shown_stage("handoff");
	end(VERDICT_INCOMPLETE, no_notes);
	assert_shown("handoff   n/a");
	assert_not_shown("handoff   longest");
}

static void print_end(enum verdict verdict, const char *const *notes)
{
	const struct end_page_notes beside = { notes, "It may be switched off." };

	end(verdict, notes);
	forget_lines();
	end_page_print(&page, &beside, keep_line, NULL);
}

TEST(test_end_as_text)
{
	static const char *const notes[] = { "saved as x", NULL };

	shown_begin(2, 800, 600);
	shown_configure("max=20us");
	shown_stage("handoff");
	shown_gap(1, 1, 152300, CAUSE_SMI);
	shown_window();
	report_stage_end(&shown.report);
	verdict_reason(&shown.reasons, "max: too long");
	print_end(VERDICT_FAIL, notes);
	assert_text("machine: Acme Quiet 9000");
	assert_text("verdict: fail\nmax: too long\nsaved as x\nlimits: max=20us\n"
		    "sampled: 1.00 s in each stage, 2 of 2 cores, stages handoff, "
		    "gaps from 1us on\nrun 0000000000000abc of ");
	assert_text("\nlongest gap: 152 us, smi, cpu 1, stage handoff\n");
	assert_text("\nIt may be switched off.\n");
	shown.reasons.count = 0;
	snprintf(shown.reasons.remark, sizeof(shown.reasons.remark), "2 s is too short");
	print_end(VERDICT_PASS, notes);
	assert_text("verdict: pass\n2 s is too short\nsaved as x\n");
}

/* A run without measurement has no summary. */
TEST(test_no_run_as_text)
{
	static const char *const notes[] = { "no file: the volume is full", NULL };

	shown_begin(2, 800, 600);
	print_end(VERDICT_INCOMPLETE, notes);
	assert_string_equal(kept_text, "verdict: incomplete\nno file: the volume is full\n"
				       "It may be switched off.\n");
}

/* Cells to paint since the last call, without what is behind the column NMI of the table. */
static unsigned changed_cells, table_row, table_end;

static void count_cell(void *ctx, unsigned column, unsigned row, const uint32_t *pixels)
{
	(void)ctx;
	(void)pixels;
	changed_cells += row < table_row || column < table_end;
}

static unsigned paint(void)
{
	static uint32_t pixels[CELL_PIXELS];
	const struct cells_painter painter = {
		.font = cells_font,
		.zoom = 1,
		.palette = cells_palette,
		.pixels = pixels,
		.put = count_cell,
	};
	int head;

	head = shown_find("  NMI");
	assert_true(head > 0);
	table_row = (unsigned)head;
	table_end = (unsigned)(strstr(shown_row(table_row), "  NMI") + 5 - shown_row(table_row));
	changed_cells = 0;
	assert_true(cells_paint(&shown.screen.cells, &painter));
	return changed_cells;
}

/* A window changes little on the page: its number, the time, and its own results. */
TEST_PAGE(test_little_changes, 255)
{
	unsigned most;

	shown_stage("handoff");
	shown_window();
	live();
	assert_true(paint() > 1000);
	for (unsigned n = 0; n < 30; n++) {
		shown_window();
		live();
		assert_true(paint() <= 30);
	}
	/* An SMI on all cores, as long as all before. */
	most = 0;
	for (unsigned n = 0; n < 10; n++) {
		for (uint32_t core = 0; core < 255; core++)
			shown_gap(core, 100 * MS, 90 * US, CAUSE_SMI);
		shown_window();
		live();
		if (n)
			most = paint() > most ? changed_cells : most;
		else
			paint();
	}
	assert_true(most <= 150);
}

/* Strings of firmware may be missing, long and wild. */
TEST(test_wild_names)
{
	static char wild[600];

	memset(wild, '\x9b', sizeof(wild) - 1);
	shown_begin(2, 640, 480);
	shown.begin.machine.vendor = NULL;
	shown.begin.machine.product = wild;
	shown.begin.machine.bios_vendor = "\x1b[2J";
	shown.begin.cpu.brand = NULL;
	shown_stage("bare");
	live();
	assert_shown("BIOS ?[2J");
	for (size_t i = 0; i < (size_t)shown.screen.cells.columns * shown.screen.cells.rows; i++)
		assert_true(shown.screen.cells.wanted[i].glyph <= '~');
}

TEST_GROUP(NULL, shown_end);
