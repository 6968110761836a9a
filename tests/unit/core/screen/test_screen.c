/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages: what a person reads there, against what was planted. */
#include "core/screen/screen_code.h"

#include "core/modes/services/service_room.h"
#include "core/modes/survey/survey_room.h"
#include "core/lib/splitmix.h"
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

static int finish(void **state)
{
	(void)state;
	shown_end();
	return 0;
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

/* Start */

TEST(test_start)
{
	const struct screen_question question = {
		.seconds = 5,
		.config = "duration=1m window=1s threshold=1us stages=handoff",
		.usual = "duration=60s window=1s threshold=1us stages=handoff",
		.typed = "duration=10m",
		.complaint = "",
	};

	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(4, sizes[i].width, sizes[i].height);
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
		/* Settings other than the default stand out. */
		assert_int_equal(ink_of("duration=1m"), INK_BRIGHT);
		assert_int_equal(ink_of("window=1s"), INK_FAINT);
	}
}

TEST(test_start_is_touched)
{
	const struct screen_question question = {
		.config = "duration=1m",
		.usual = "",
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
TEST(test_long_configuration)
{
	char config[800];
	struct text t;

	for (size_t i = 0; i < SIZES; i++) {
		const struct screen_question question = {
			.config = config, .usual = "", .typed = "", .complaint = ""
		};
		char *word;

		shown_begin(4, sizes[i].width, sizes[i].height);
		text_init(&t, config, sizeof(config));
		config_print(&shown.config, &t);
		screen_start(&shown.screen, &question);
		for (word = strtok(config, " "); word; word = strtok(NULL, " "))
			assert_shown(word);
	}
}

/* Live */

TEST(test_live)
{
	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(4, sizes[i].width, sizes[i].height);
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
		assert_shown("0.250 s   812 us  smi     cpu 2");
		assert_shown("0.500 s  3.00 us  unknown cpu 1");
		assert_shown("Esc ends it.");
		/* GAPS MAX NOISE SMI of 2 s each. */
		assert_shown("   0       0     none          0     0");
		assert_shown("   1       1  3.00 us          2     0");
		assert_shown("   2       1   812 us        406     1");
	}
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

TEST(test_unknown_is_not_zero)
{
	shown_begin(2, 640, 480);
	shown.platform.cpu[1].smi.moved = false;
	shown_stage("bare");
	shown_gap(0, MS, 5 * US, CAUSE_SMI);
	shown_gap(1, MS, 5 * US, CAUSE_UNKNOWN);
	shown_window();
	live();
	assert_shown("   0       1  5.00 us          5     1");
	assert_shown("   1       1  5.00 us          5   n/a");
}

/* Lengths in red are those over the limit, and no others. */
TEST(test_limit)
{
	shown_begin(2, 640, 480);
	shown_configure("max=100us");
	shown_stage("handoff");
	shown_gap(0, MS, 100 * US, CAUSE_SMI);
	shown_window();
	live();
	assert_int_equal(ink_of("100 us"), INK_BRIGHT);
	assert_int_equal(ink_of("   0       1   100 us"), INK_TEXT);
	shown_gap(0, MS, 101 * US, CAUSE_SMI);
	shown_window();
	live();
	assert_int_equal(ink_of("101 us"), INK_BAD);
	assert_int_equal(ink_of("   0       2   101 us"), INK_BAD);
	assert_int_equal(ink_of("   1       0     none"), INK_TEXT);
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

/* Events */

TEST(test_events)
{
	shown_begin(8, 1024, 768);
	shown_stage("handoff");
	/* One SMI on all, each core a little later; something else on core 3 meanwhile. */
	for (uint32_t i = 0; i < 8; i++)
		shown_gap(i, 100 * MS + i * US, 90 * US, CAUSE_SMI);
	shown_gap(3, 100 * MS + 50 * US, 2 * US, CAUSE_UNKNOWN);
	shown_window();
	live();
	assert_shown("0.100 s  97.0 us  smi     8 cpus");
	assert_shown("0.100 s  2.00 us  unknown cpu 3");
}

TEST(test_latest_events)
{
	int above, below;

	shown_begin(2, 1920, 1080);
	shown_stage("handoff");
	for (unsigned i = 0; i < 40; i++)
		shown_gap(0, (1 + i) * 10 * MS, (2 + i) * US, CAUSE_NMI);
	shown_window();
	for (unsigned i = 0; i < 3; i++)
		shown_gap(1, (1 + i) * 10 * MS, 500 * US + i * US, CAUSE_MCE);
	shown_window();
	live();
	above = shown_find("502 us  mce");
	below = shown_find("501 us  mce");
	assert_true(above > 0 && below == above + 1);
	assert_true(shown_find("500 us  mce") == below + 1);
	assert_int_equal(shown_find("41.0 us  nmi"), below + 2);
	assert_not_shown("2.00 us  nmi");

	/* A window without events leaves them on the screen; another stage begins without any. */
	shown_window();
	live();
	assert_int_equal(shown_find("502 us  mce"), above);
	shown_stage("bare");
	live();
	assert_not_shown("mce");
}

/* A core whose TSC runs ahead has its gaps at the same moment all the same. */
TEST(test_event_offset)
{
	shown_begin(2, 1024, 768);
	shown.platform.cpu[1].tsc_offset = 300 * (int64_t)MS;
	shown_stage("handoff");
	shown_gap(0, 100 * MS, 90 * US, CAUSE_SMI);
	shown_gap(1, 400 * MS, 90 * US, CAUSE_SMI);
	shown_window();
	live();
	assert_shown("0.100 s  90.0 us  smi     2 cpus");
}

struct expected_events {
	struct screen_event event[4096];
	unsigned used;
};

static void expect_event(void *ctx, const struct event *e)
{
	struct expected_events *expected = ctx;

	assert_true(expected->used < 4096);
	expected->event[expected->used++] = (struct screen_event){ .start = e->start,
								   .end = e->start + e->length,
								   .cpus = e->cpus,
								   .first = e->first,
								   .cause = (uint8_t)e->cause };
}

static int by_start(const void *a, const void *b)
{
	const struct screen_event *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->cause < y->cause ? -1 : 1;
}

/* The screen has the latest of the events that the report has of the stage. */
static void assert_events_are_the_reports(void)
{
	static struct expected_events expected;
	unsigned shown_events = shown.screen.events;

	expected.used = 0;
	for (unsigned c = 0; c < CAUSES; c++)
		report_merge(&shown.report, (enum cause)c, 0, expect_event, &expected);
	qsort(expected.event, expected.used, sizeof(expected.event[0]), by_start);
	assert_int_equal(shown_events,
			 expected.used < SCREEN_EVENTS ? expected.used : SCREEN_EVENTS);
	qsort(shown.screen.event, shown_events, sizeof(shown.screen.event[0]), by_start);
	for (unsigned i = 0; i < shown_events; i++) {
		const struct screen_event *a = &shown.screen.event[i];
		const struct screen_event *b = &expected.event[expected.used - shown_events + i];

		assert_int_equal(a->start, b->start);
		assert_int_equal(a->end, b->end);
		assert_int_equal(a->cpus, b->cpus);
		assert_int_equal(a->first, b->first);
		assert_int_equal(a->cause, b->cause);
	}
}

/* Gaps of one core in the next window, some up to its very end; others' come at the same time. */
static void plant_at_random(uint64_t *random, uint32_t core)
{
	static const enum cause causes[] = { CAUSE_SMI, CAUSE_NMI, CAUSE_UNKNOWN };
	uint64_t at = 0, length;

	for (unsigned n = splitmix_next(random) % 6; n--; at += length) {
		at += splitmix_next(random) % (20 * US);
		length = 1 + splitmix_next(random) % (5 * US);
		shown_gap(core, at, length, causes[splitmix_next(random) % 3]);
	}
	if (splitmix_next(random) % 2)
		shown_gap(core, SHOWN_WINDOW - 2 * US, 2 * US + splitmix_next(random) % US,
			  CAUSE_SMI);
}

TEST(test_events_are_the_reports)
{
	uint64_t random = 1;

	for (unsigned round = 0; round < 1000; round++) {
		uint32_t cores = 2 + (uint32_t)(splitmix_next(&random) % 15);
		uint64_t pause = splitmix_next(&random) % (2 * US);

		shown_begin(cores, 640, 480);
		for (uint32_t i = 0; i < cores; i++)
			shown.platform.cpu[i].tsc_offset_bound =
				(struct maybe){ splitmix_next(&random) % US, true };
		shown_stage("handoff");
		for (unsigned window = 0; window < 4; window++) {
			for (uint32_t i = 0; i < cores; i++)
				plant_at_random(&random, i);
			shown_window_and_pause(pause);
			assert_events_are_the_reports();
		}
	}
}

/* Histogram */

/* Height, in eighths of a cell, of a column that stands on the row above `row`. */
static unsigned height_at(unsigned row, unsigned x)
{
	const struct cells *c = &shown.screen.cells;
	unsigned eighths = 0;

	while (row--) {
		uint8_t glyph = c->wanted[(size_t)row * c->columns + x].glyph;

		if (glyph < GLYPH_LOWER(1) || glyph > GLYPH_LOWER(8))
			break;
		eighths += glyph;
	}
	return eighths;
}

/* Height of the bar above the axis label, or of its neighbour if that is higher. */
static unsigned height_above(const char *label)
{
	unsigned row = shown.screen.cells.rows;

	while (row--) {
		const char *line = shown_row(row), *found = strstr(line, label);
		unsigned x = found ? (unsigned)(found - line) : 0;

		/* Find the axis, not a sentence. */
		if (!found || !strstr(line, "us  ") || strstr(line, "cpu"))
			continue;
		if (height_at(row, x) < height_at(row, x + 1))
			x++;
		return height_at(row, x);
	}
	fail_msg("no %s on an axis", label);
	return 0;
}

TEST(test_histogram)
{
	unsigned ten, hundred;

	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(2, sizes[i].width, sizes[i].height);
		shown_stage("handoff");
		live();
		assert_int_equal(height_above("10us"), 0);
		for (unsigned n = 0; n < 300; n++)
			shown_gap(n % 2, n * MS, 10300, CAUSE_UNKNOWN);
		shown_gap(0, 400 * MS, 101 * US, CAUSE_SMI);
		shown_window();
		live();
		ten = height_above("10us");
		hundred = height_above("100us");
		assert_int_equal(height_above("1us"), 0);
		assert_true(hundred >= 1);
		/*
		 * The scale is logarithmic: the column is higher, but not three hundred times as
		 * high.
		 */
		assert_true(ten > 3 * hundred && ten < 30 * hundred);
		assert_shown("log scales");
		assert_shown(" 300 ");
	}
}

/* The axis goes as far as the longest gap. */
TEST(test_histogram_axis)
{
	shown_begin(1, 1024, 768);
	shown_stage("handoff");
	shown_gap(0, 1, 2 * US, CAUSE_UNKNOWN);
	shown_window();
	live();
	assert_shown("100us");
	assert_not_shown("10ms");
	shown_gap(0, 1, 1100 * MS, CAUSE_UNKNOWN);
	shown_window();
	live();
	assert_true(height_above("1s") > 0);
	shown_begin(1, 1024, 768);
	shown_configure("threshold=200ns");
	shown_stage("handoff");
	live();
	assert_shown("100ns");
}

/* Cores */

static const struct cell *box(unsigned core, unsigned *boxes)
{
	const struct cells *c = &shown.screen.cells;
	int first = shown_find("CORES BY LONGEST GAP");
	unsigned n = 0;
	const struct cell *found = NULL;

	assert_true(first > 0);
	for (unsigned y = (unsigned)first + 1; y < c->rows; y++)
		for (unsigned x = 0; x < c->columns; x++) {
			const struct cell *cell = &c->wanted[(size_t)y * c->columns + x];

			if (cell->glyph != GLYPH_BOX)
				continue;
			if (n++ == core)
				found = cell;
		}
	if (boxes)
		*boxes = n;
	return found;
}

TEST(test_strip)
{
	unsigned boxes;

	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(255, sizes[i].width, sizes[i].height);
		shown_stage("handoff");
		shown_gap(0, 1, 2 * US, CAUSE_UNKNOWN);
		shown_gap(100, 1, 20 * US, CAUSE_UNKNOWN);
		shown_gap(254, 1, 20 * MS, CAUSE_UNKNOWN);
		shown_window();
		live();
		assert_int_equal(box(0, &boxes)->inks, INK_HEAT + 2);
		assert_int_equal(boxes, 255);
		assert_int_equal(box(1, NULL)->inks, INK_HEAT);
		assert_int_equal(box(100, NULL)->inks, INK_HEAT + 3);
		assert_int_equal(box(254, NULL)->inks, INKS - 1);
		assert_not_shown("SEVERAL");
	}
}

/* More cores than cells: each cell shows the worst of its cores, and that it has several. */
TEST(test_strip_shared)
{
	unsigned boxes;

	shown_begin(4096, 640, 480);
	shown_stage("handoff");
	shown_gap(4095, 1, 20 * MS, CAUSE_UNKNOWN);
	shown_window();
	live();
	assert_shown("SEVERAL TO A CELL");
	box(0, &boxes);
	assert_true(boxes > 64 && boxes < 4096);
	assert_int_equal(box(boxes - 1, NULL)->inks, INKS - 1);
	assert_int_equal(box(0, NULL)->inks, INK_HEAT);
}

TEST(test_left_out_cores)
{
	shown_begin(3, 640, 480);
	shown.platform.cpu[1].measured = false;
	shown_stage("handoff");
	shown_window();
	live();
	assert_shown("   0       0     none");
	assert_not_shown("   1       0     none");
	assert_shown("   2       0     none");
}

TEST(test_table_of_many)
{
	char row[16];

	shown_begin(36, 1920, 1300);
	shown_stage("handoff");
	shown_window();
	live();
	assert_not_shown("CORES BY LONGEST GAP");
	for (unsigned i = 0; i < 36; i++) {
		snprintf(row, sizeof(row), "%4u       0", i);
		assert_shown(row);
	}
}

/* End */

static const char *const no_notes[] = { NULL };

static void end(enum verdict verdict, const char *const *notes)
{
	const struct record_end record = { .verdict = verdict_name(verdict),
					   .sampled_ns = { shown.report.times.sampled,
							   shown.report.times.sampled != 0 } };
	const struct screen_end page = { .reasons = &shown.reasons,
					 .notes = notes,
					 .what_next = "It may be switched off." };

	shown.reasons.verdict = verdict;
	summary_end(&shown.report.summary, &record);
	screen_end(&shown.screen, &page);
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
			assert_shown("   0       1  12.3 us");
			/* A short word can be read across the room. */
			if (strlen(verdicts[v].word) <= 5 && sizes[i].width > sizes[i].height)
				assert_true(largest_percent() >= 19);
		}
}

/* A pass with a remark does not look like one without. */
TEST(test_short_pass)
{
	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(4, sizes[i].width, sizes[i].height);
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
}

/* Without limits there is no verdict: the floor is the result. */
TEST(test_floor)
{
	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(4, sizes[i].width, sizes[i].height);
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
}

/* No window has passed: neither "no gap" nor "< 1 us" nor 0 of anything is known. */
TEST(test_nothing_was_sampled)
{
	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(2, sizes[i].width, sizes[i].height);
		shown_stage("handoff");
		live();
		assert_shown("n/a");
		assert_shown("   0     n/a");
		assert_not_shown("no gap");
		assert_not_shown("none");
		assert_not_shown("< 1");
		end(VERDICT_INCOMPLETE, no_notes);
		assert_shown("longest gap n/a");
		assert_not_shown("  none");
		assert_not_shown("< 1");
	}
}

/* "none" is a result; if no service was called beside other cores, there is no result. */
TEST(test_services)
{
	static struct service_room room;
	struct record_service *r = &room.done[0];

	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(2, sizes[i].width, sizes[i].height);
		shown.config.mode = MODE_SERVICES;
		memset(&room, 0, sizeof(room));
		shown_stage("firmware");
		/* In a run that was read back, the result is unknown. */
		end(VERDICT_FAIL, no_notes);
		assert_shown("longest stop of others n/a");
		shown.platform.services = &room;
		room.count = 1;
		*r = (struct record_service){ .service = "get_time", .why = "not there" };
		end(VERDICT_NONE, no_notes);
		assert_shown("LONGEST STOP OF OTHERS");
		assert_shown("get_time              n/a: not there");
		assert_shown("n/a");
		assert_int_equal(shown_find("none"),
				 shown_find("no limits were set: the verdict is none"));
		/* No other core samples. */
		*r = (struct record_service){ .service = "get_time",
					      .calls = 9,
					      .max_ns = { 5 * US, true } };
		end(VERDICT_FAIL, no_notes);
		assert_shown("get_time              5.00 us     n/a");
		assert_shown("longest stop of others n/a");
		r->others = 1;
		end(VERDICT_FAIL, no_notes);
		assert_shown("longest stop of others none");
		r->stops = true;
		r->stopped = 1;
		r->longest_ns = (struct maybe){ 81 * US, true };
		end(VERDICT_FAIL, no_notes);
		assert_shown("longest stop of others 81.0 us");
		assert_shown("get_time              5.00 us     stops 1 of 1, 81.0 us");
	}
}

/* The pages of mode=stretch show no gaps, not even zero. */
TEST(test_stretch)
{
	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(4, sizes[i].width, sizes[i].height);
		shown.config.mode = MODE_STRETCH;
		shown.config.limit[LIMIT_MAX_STRETCH] = (struct config_limit){ true, 1100000 };
		shown_stage("handoff");
		shown.report.progress.turns = 3;
		live();
		assert_shown("turn 4 of");
		assert_shown("n/a");
		shown.platform.cpu[1].tail = (struct maybe){ 1098765, true };
		end(VERDICT_PASS, no_notes);
		assert_shown("p99.9 of stretch 1.098765");
		assert_shown("   0          n/a");
		assert_int_equal(ink_of("   1     1.098765"), INK_TEXT);
		shown.platform.cpu[2].tail = (struct maybe){ 12345678, true };
		live();
		assert_shown("12.345678");
		assert_not_shown("GAP");
		end(VERDICT_NONE, no_notes);
		assert_int_equal(ink_of("   2    12.345678"), INK_BAD);
		/* A core that the host took away: as wide as the head of its column. */
		shown.platform.cpu[3].tail = (struct maybe){ 12345678901, true };
		end(VERDICT_NONE, no_notes);
		assert_shown(" CPU        P99.9");
		assert_shown("   3 12345.678901");
		assert_not_shown("GAP");
		assert_not_shown("oise floor");
		assert_not_shown("NOISE");
	}
}

/* The pages of a survey show no measurement: its readings are in the records. */
TEST(test_survey)
{
	static struct survey_room room;

	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(2, sizes[i].width, sizes[i].height);
		shown.config.mode = MODE_SURVEY;
		shown.platform.survey = &room;
		memset(&room, 0, sizeof(room));
		shown_stage("firmware");
		/* No core was read yet. A run that was read back has no readings. */
		live();
		assert_shown("n/a");
		assert_not_shown("0 cores");
		assert_not_shown("0 parts");
		shown.platform.survey = NULL;
		end(VERDICT_NONE, no_notes);
		assert_shown("n/a");
		assert_not_shown("0 cores");
		shown.platform.survey = &room;
		room.cores = 2;
		room.parts.parts = 31;
		room.parts.bytes = 54321;
		shown.report.progress.turns = 1;
		end(VERDICT_NONE, no_notes);
		assert_shown("SURVEY, NOTHING MEASURED");
		assert_shown("2 cores");
		assert_shown("31 parts of 54321 bytes were sent.");
		assert_not_shown("GAP");
		assert_not_shown("NOISE");
		live();
		assert_shown("`noisefloor show` lists how the machine is set.");
	}
}

/*
 * A picture of the page is evidence: it has what was measured, for how long, by which limits, and
 * when.
 */
TEST(test_facts)
{
	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(4, sizes[i].width, sizes[i].height);
		shown.begin.hypervisor = "KVM";
		shown_configure("max=20us preset=hft");
		shown_stage("handoff");
		shown_gap(3, 1, 152300, CAUSE_SMI);
		shown_gap(2, 1, 2 * US, CAUSE_UNKNOWN);
		shown_window();
		shown_sum_up();
		end(VERDICT_FAIL, no_notes);
		assert_shown("limits: max=20us");
		assert_shown("preset=hft");
		assert_shown("sampled: 1.00 s in each stage, 4 of 4 cores");
		assert_shown("hypervisor: KVM");
		assert_shown("2026-03-01T08:15:00Z");
		assert_shown("longest gap: 152 us, smi, cpu 3, stage handoff");
		assert_shown("smi: 1 gap, 152 us in all, longest 152 us");
		assert_shown("unknown: 1 gap, 2.00 us in all, longest 2.00 us");
		assert_shown("Acme Quiet 9000");
	}
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
			struct screen_end page = { .reasons = &shown.reasons, .code = &code };

			memset(text, 'x', lengths[n]);
			text[lengths[n]] = '\0';
			assert_true(screen_code_make(&code, text));
			shown_begin(4, sizes[i].width, sizes[i].height);
			shown_stage("handoff");
			shown_gap(3, 1, 152300, CAUSE_SMI);
			shown_window();
			shown_sum_up();
			shown.reasons.verdict = VERDICT_FAIL;
			page.what_next = "It may be switched off.";
			screen_end(&shown.screen, &page);
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

TEST(test_stretch_of_many)
{
	shown_begin(255, 640, 480);
	shown.config.mode = MODE_STRETCH;
	shown_stage("handoff");
	end(VERDICT_FAIL, no_notes);
	assert_shown(" more");
	assert_shown(" 0          n/a");
	assert_not_shown(" 254          n/a");
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
	assert_not_shown("GAPS BY LENGTH, ALL CORES");
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
	summary_cpu(&shown.report.summary, &firmware, &shown.platform.cpu[0], SHOWN_HZ);
	end(VERDICT_PASS, no_notes);
	assert_not_shown("firmware  longest");
	shown_stage("bare");
	summary_cpu(&shown.report.summary, &bare, &shown.platform.cpu[0], SHOWN_HZ);
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
	const struct screen_end page = { .reasons = &shown.reasons,
					 .notes = notes,
					 .what_next = "It may be switched off.",
					 .sid = 0xabc };

	end(verdict, notes);
	forget_lines();
	screen_end_text(&shown.begin, &shown.report, &page, keep_line, NULL);
}

TEST(test_end_as_text)
{
	static const char *const notes[] = { "saved as x", NULL };

	shown_begin(2, 800, 600);
	shown_configure("max=20us");
	shown_stage("handoff");
	shown_gap(1, 1, 152300, CAUSE_SMI);
	shown_window();
	shown_sum_up();
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

/* Cells to paint since the last call. */
static unsigned changed_cells;

static void count_cell(void *ctx, unsigned column, unsigned row, const uint32_t *pixels)
{
	(void)ctx;
	(void)column;
	(void)row;
	(void)pixels;
	changed_cells++;
}

static unsigned paint(void)
{
	static uint32_t pixels[CELL_PIXELS];
	const struct cells_painter painter = {
		.font = font_glyph,
		.zoom = 1,
		.palette = cells_palette,
		.pixels = pixels,
		.put = count_cell,
	};

	changed_cells = 0;
	assert_true(cells_paint(&shown.screen.cells, &painter));
	return changed_cells;
}

/* A window changes little on the page: its number, the time, and its own results. */
TEST(test_little_changes)
{
	unsigned most;

	for (size_t i = 0; i < SIZES; i++) {
		shown_begin(255, sizes[i].width, sizes[i].height);
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

TEST_GROUP(NULL, finish);
