/* SPDX-License-Identifier: BSD-2-Clause */
/* `show --format html`: pages are well-formed, self-contained, and show what was
 * measured.
 */
#include "host/html/html.h"
#include "host/subcommands.h"
#include "host/capture/result.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/stretch_run.h"
#include "tests/unit/xml.h"

#include <math.h>

#define SHOW(...) RUN(&show_subcommand, "show", __VA_ARGS__)

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static char html_path[128];

/* The page goes to a file of its own; `out` then holds it. */
static int report(const char *a, const char *b)
{
	int code;

	snprintf(html_path, sizeof(html_path), "%s/page.html", folder);
	code = b ? SHOW("-fhtml", a, b, "-o", html_path) : SHOW("-fhtml", a, "-o", html_path);
	out[0] = '\0';
	if (access(html_path, R_OK) == 0) {
		load(html_path, out);
		unlink(html_path);
	}
	return code;
}

static void assert_page(void)
{
	static const char *const foreign[] = { "http:",   "https:", "<script", "javascript:",
					       "@import", "<link",  "<img",    "<iframe",
					       " onload", " src=" };

	assert_well_formed();
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		assert_not_in(out, foreign[i]);
	assert_not_in(out, "url(");
	assert_true(strncmp(out, "<!DOCTYPE html>\n", 16) == 0);
	assert_in(out, "default-src &#39;none&#39;");
	/* A drawing has no NaN or infinity. */
	assert_not_in(out, "nan");
	assert_not_in(out, "inf\"");
	assert_not_in(out, "inf ");
	/* All names of the style sheet's colours are defined, in light, dark and print. */
	assert_in(out, "prefers-color-scheme:dark");
	assert_in(out, "@media print");
	/* Figures that may be cut at the edge can be scrolled without a mouse. */
	assert_int_equal(text_count(out, "<figure"), text_count(out, "<figure tabindex=\"0\">"));
	assert_int_equal(text_count(out, "<pre"), text_count(out, "<pre tabindex=\"0\">"));
	/* On paper nothing is behind a scroll bar. */
	assert_in(strstr(out, "@media print"), "figure,pre{overflow:visible}");
}

/* The page has the lines of text of the run's one stage, in the same order. */
static void assert_has_stage_of_text(void)
{
	static char page[OUTPUT_MAX];
	const char *at = page;
	char *rest;

	memcpy(page, out, sizeof(page));
	SHOW(path[0]);
	rest = strstr(out, "\nstage ");
	assert_non_null(rest);
	*strstr(rest, "\n\n") = '\0';
	strtok_r(rest, "\n", &rest);
	for (char *line; (line = strtok_r(NULL, "\n", &rest));) {
		if (strpbrk(line, "<>&\"'"))
			continue;
		at = strstr(at, line);
		if (!at)
			fail_msg("not on the page, or not in this order: %s", line);
	}
}

static const struct record_begin a_begin = {
	.version = "9.8",
	.machine = { .vendor = "Acme", .product = "X1", .bios_version = "1.2" },
	.cpu = { .brand = "Fast 9000" },
	.hypervisor = "KVM",
	.clock = { .hz = 2400 * MS },
	.config = "duration=10s threshold=1us max=50us",
	.began = "2025-01-31T12:34:56",
};

/* Four cores for 10 s; each second an SMI of 100 us on all, and a gap of 5 us on core 2. */
static void write_stage(const char *stage)
{
	static const uint64_t smi[][2] = { { 100000, 10 } };
	static const uint64_t both[][2] = { { 5000, 10 }, { 100000, 10 } };

	SEND_STAGE(.stage = stage, .sci_en = { 1, true }, .smi_enabled = "TCO");
	for (uint64_t n = 1; n <= 10; n++) {
		SEND_WINDOW(.stage = stage, .n = n, .windows = 1, .start_ns = n * S, .len_ns = S);
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			SEND_GAP(.stage = stage, .cpu = cpu, .t_ns = n * S + 500 * MS,
				 .len_ns = 100000, .cause = "smi");
		SEND_GAP(.stage = stage, .cpu = 2, .t_ns = n * S + 250 * MS, .len_ns = 5000,
			 .cause = "unknown");
		SEND_EVENT(.stage = stage, .of = 20, .t_ns = n * S + 500 * MS, .len_ns = 100000,
			   .cpus = 4, .cause = "smi", .scope = "machine", .skew_ns = 1200);
	}
	SEND_SOURCE(.stage = stage, .cause = "smi", .period_ns = S, .fill_ppm = 1000000,
		    .events = 10, .chance_milli = -12000, .origin = "a timer");
	for (unsigned n = 0; n < 4; n++)
		SEND_CPU(.stage = stage, .cpu = n, .exposure_ns = 10 * S, .gaps = n == 2 ? 20 : 10,
			 .noise_ns = 1 * MS, .max_ns = 100000 + n, .smi = { 10, true },
			 .cause = { [CAUSE_SMI] = { 10, 0 },
				    [CAUSE_UNKNOWN] = { n == 2 ? 10 : 0, 0 } },
			 .histogram = { n == 2 ? both : smi, n == 2 ? 2 : 1 });
}

static void write_end(const char *verdict)
{
	SEND_END(.verdict = verdict, .reasons = { "max: longest gap 100 us on cpu 3" },
		 .watched_ppm = { 998125, true });
	save(0);
}

/* Save a run of that stage alone. */
static void save_stage(const char *stage, const char *verdict)
{
	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	write_stage(stage);
	write_end(verdict);
}

TEST_F(start, teardown, test_page)
{
	save_stage("handoff", "fail");
	assert_int_equal(report(path[0], NULL), 1);
	assert_string_equal(err, "");
	assert_page();
	assert_in(out, "<div class=\"verdict fail\"><b>\xe2\x9c\x97 fail</b>\n"
		       "<p>max: longest gap 100 us on cpu 3</p>");
	assert_in(out, "<p>watched 99.8125 % of the time");
	assert_in(out, "machine: Acme X1, ");
	assert_in(out, ", noisefloor 9.8</p>");
	assert_in(out, "\nconfig:  duration=10s max=50us\n");
	assert_in(out, "A hypervisor (KVM) is underneath");
	assert_in(out, "<h3>Stage handoff</h3>");
	assert_in(out, "ACPI mode on (SCI_EN 1)");
	assert_in(out, "\nbegan:   2025-01-31T12:34:56\n");
	/* Text has these lines, too. */
	assert_in(out,
		  "<h4>Events</h4><pre tabindex=\"0\">scopes are known of 10 events: 10 of the "
		  "machine\n20 events; the 10 longest:\n");
	assert_in(out, "\n    1.500000         100.0      4  machine   smi");
	assert_in(out, "<h4>Sources: events that recur with a period</h4>");
	assert_in(out, " 1.0000 s ");
	assert_in(out, " a timer\n");
	assert_in(out, "Drawn: 50 of 50 gaps.");
	assert_not_in(out, "Ladder");
	assert_not_in(out, "the clock itself");
	assert_has_stage_of_text();
}

/* A reader who sees the page alone learns of a clock that cannot be trusted. */
TEST_F(start, teardown, test_pauses)
{
	struct record_pause pause = { .stage = "bare",
				      .from_ns = S,
				      .until_ns = 2 * S,
				      .least_ns = 400 * MS,
				      .most_ns = 450 * MS,
				      .clock = "rtc" };

	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	write_stage("bare");
	record_send(&capture.link, RECORD_PAUSE, &pause);
	pause.forward = true;
	for (unsigned n = 0; n < 22; n++)
		record_send(&capture.link, RECORD_PAUSE, &pause);
	write_end("none");
	assert_int_equal(report(path[0], NULL), 0);
	assert_page();
	assert_count("<h3>When the clock itself was wrong, or the probe</h3>", 1);
	assert_count("hidden pause of 400 ms to 450 ms, between 1.00 s and 2.00 s: rtc", 1);
	assert_count("\nthe TSC ran ahead of rtc by 400 ms to 450 ms,", 22);
}

TEST_F(start, teardown, test_attest)
{
	report("tests/data/attest/run.jsonl", NULL);
	assert_page();
	assert_count("<h3>Messages of the run</h3>", 1);
	assert_in(out, "attest: PCRs 0-7,15 quoted by the TPM (crb); ");
	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	write_end("none");
	report(path[0], NULL);
	assert_not_in(out, "attest:");
}

/* From 1 s to 11 s in 1000 columns: an SMI in the middle of each second, on four rows. */
TEST_F(start, teardown, test_timeline)
{
	save_stage("handoff", "none");
	report(path[0], NULL);
	assert_in(out,
		  "<path class=\"k k-red\" stroke-width=\"13\" d=\"M50 7h1m99 0h1m99 0h1m99 0h1m99 "
		  "0h1m99 0h1m99 0h1m99 0h1m99 0h1m99 0h1M50 21h1");
	assert_in(out, "<path class=\"k k-unknown\" stroke-width=\"13\" d=\"M25 35h1m99 0h1");
	/* Ten triangles, ten discs. */
	assert_count("m0-3l3 6h-6z", 10 + 1);
	assert_count("m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0", 10 + 1);
	assert_in(out, ">cpu 0</text>");
	assert_in(out, ">cpu 3</text>");
	assert_in(out, ">6 s</text>");
	/* The stage was watched throughout. */
	assert_in(out, "<path class=\"w\" stroke-width=\"4\" d=\"M62 232h1000\"/>");
	assert_in(out, "aria-label=\"legend of causes\"><path class=\"f k-red\" d=\"M62 9m0-3");
	/* Four small histograms. */
	assert_count("<use href=\"#axes-0\"/>", 4);
	assert_count("<symbol id=\"axes-0\"", 1);
	assert_in(out, ">cpu 2: 20 gaps, max 100 us</text>");
	assert_in(out, "aria-label=\"histogram of gap lengths of all cores\">");
	assert_in(out, ">100 us</text>");
}

/* A processor's page has the words of its causes, and no other's. */
TEST_F(start, teardown, test_aarch64)
{
	struct record_begin begin = a_begin;

	begin.arch = "aarch64";
	record_send(&capture.link, RECORD_BEGIN, &begin);
	write_end("none");
	assert_int_equal(report(path[0], NULL), 0);
	assert_page();
	assert_not_in(out, "smi");
	assert_not_in(out, "SMI");
	assert_not_in(out, "NMI");
	assert_not_in(out, "nmi");
}

/* Tables, a histogram of each phase, and pairs where chance does not explain them. */
TEST_F(start, teardown, test_stretch)
{
	struct stretch_run run = a_stretch_run;

	stretch_run_send(&run);
	save(0);
	assert_int_equal(report(path[0], NULL), 1);
	assert_string_equal(err, "");
	assert_page();
	assert_in(out, "<h3>Stage bare</h3>");
	assert_not_in(out, "nothing was measured");
	assert_not_in(out, "longest gap");
	assert_count("\nl2     all        1     1000 ", 1);
	assert_count("\nl2     alone ", 2);
	assert_count("<use href=\"#stretch-", 2);
	assert_in(out, ">l2, alone</text><path class=\"h\" d=\"M");
	/* Decades from 1000 ppm, below the bar that has 10240 ppm, on: every other one. */
	assert_in(out, ">0.1 %</text>");
	assert_in(out, ">10 %</text>");
	assert_in(out, ">1000 %</text>");
	/* A limit of 1.5 is drawn in each; a run without one has none. */
	assert_count("<path class=\"l\"", 2);
	assert_count("<h4>Who slows whom</h4>", 1);
	assert_has_stage_of_text();
	start_again();
	run.bound = 1200000;
	run.config = "mode=stretch";
	stretch_run_send(&run);
	save(0);
	report(path[0], NULL);
	assert_not_in(out, "slows whom");
	assert_count("<path class=\"l\"", 0);
	assert_count("Dashed", 0);
}

/* Lines of many cores are folded, and a page of gaps has none of them. */
TEST_F(start, teardown, test_stretch_many)
{
	struct stretch_run run = a_stretch_run;

	run.cores = 40;
	run.best = 1000000;
	stretch_run_send(&run);
	save(0);
	report(path[0], NULL);
	assert_page();
	assert_count("best</h4><details><summary>81 lines</summary>\n<pre", 1);
	start_again();
	save_stage("handoff", "none");
	report(path[0], NULL);
	assert_not_in(out, "tretch");
	assert_not_in(out, "slows whom");
}

TEST_F(start, teardown, test_two_stages)
{
	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	write_stage("bare");
	write_stage("handoff");
	write_end("none");
	assert_int_equal(report(path[0], path[0]), 0);
	assert_page();
	assert_count("<h3>Stage bare</h3>", 2);
	assert_count("<h3>Ladder", 2);
	assert_in(out, "\nbare to handoff:\n");
	assert_in(out, "+0.0 %, p 1: not significant\n");
	assert_count("<symbol id=\"axes-3\"", 1);
	assert_in(out, "<div class=\"verdict none\"><b>\xe2\x80\x93 no limit was set</b>");
	assert_count(
		"<title>2 runs, the worst: Acme X1, 2025-01-31T12:34:56: no limit was set</title>",
		1);
	assert_in(out, "<li><a href=\"#run-2\">Acme X1, 2025-01-31T12:34:56: no limit was set</a>");
	assert_count("<section id=\"run-2\">", 1);
	assert_count(">limit 50.0 us</text>", 8);
}

/* The worst of several runs is in the title, wherever it is. */
TEST_F(start, teardown, test_worst_run)
{
	save_stage("handoff", "fail");
	assert_int_equal(rename(path[0], path[1]), 0);
	start_again();
	save_stage("handoff", "pass");
	assert_int_equal(report(path[0], path[1]), 1);
	assert_in(out, "<h1>2 runs, the worst: Acme X1, 2025-01-31T12:34:56: fail</h1>");
	assert_in(out, "<a href=\"#run-1\">Acme X1, 2025-01-31T12:34:56: pass</a></li>\n"
		       "<li><a href=\"#run-2\">Acme X1, 2025-01-31T12:34:56: fail</a>");
	assert_int_equal(report(path[1], NULL), 1);
	assert_in(out, "<h1>Acme X1, 2025-01-31T12:34:56: fail</h1>");
	assert_not_in(out, "<a href");
}

/* Cores over max_smi, or over max_noise by less than a whole ppm, fail the run: each is named. */
TEST_F(start, teardown, test_cores_over_a_limit)
{
	static const struct {
		uint64_t smi, noise_ns;
		bool known;
	} cores[] = {
		{ 4, 0, true },      { 3, 0, true },      { 4, 0, false },
		{ 0, 100001, true }, { 0, 100000, true },
	};
	struct record_begin begin = a_begin;

	begin.config = "duration=10s threshold=1us max_smi=3 max_noise=10";
	record_send(&capture.link, RECORD_BEGIN, &begin);
	for (uint32_t n = 0; n < sizeof(cores) / sizeof(cores[0]); n++) {
		SEND_CPU(.stage = "bare", .cpu = n, .exposure_ns = 10 * S,
			 .noise_ns = cores[n].noise_ns, .smi = { cores[n].smi, cores[n].known });
	}
	write_end("fail");
	report(path[0], NULL);
	assert_page();
	assert_in(out, "<p><b>over a limit</b>: 2 of 5 cores, cpu 0,3</p>");
}

/* The title has the machine, the date and the verdict; each drawing has the limit. */
TEST_F(start, teardown, test_preset)
{
	save_stage("handoff", "pass");
	assert_int_equal(SHOW("-fhtml", "--preset", "bits", "-o", "-", path[0]), 0);
	assert_page();
	assert_in(out, "<div class=\"verdict short\"><b>\xe2\x80\xa6 pass, but short</b>");
	assert_in(out,
		  "preset bits: pass, but 10 s of sampling is short of the 15 s that preset bits "
		  "requires");
	assert_in(out, "<title>Acme X1, 2025-01-31T12:34:56: pass, but short</title>");
	/* These include the four cores' small drawings. */
	assert_count(">limit 150 us</text>", 2);
	assert_count("<path class=\"l\"", 2 + 4);
	assert_int_equal(SHOW("-fhtml", "--preset", "openshift", "-o", "-", path[0]), 1);
	assert_in(out, "<div class=\"verdict fail\">");
	assert_not_in(out, "but short");
	/* Without a preset, the length of the run does not matter. */
	assert_int_equal(report(path[0], NULL), 0);
	assert_in(out, "<div class=\"verdict pass\"><b>\xe2\x9c\x93 pass</b>");
	assert_in(out, "<title>Acme X1, 2025-01-31T12:34:56: pass</title>");
	assert_not_in(out, "but short");
}

/* A quiet run has no drawing, but a text about what its silence shows. */
TEST_F(start, teardown, test_quiet)
{
	SEND_CPU(.stage = "bare", .exposure_ns = 3600 * S);
	write_end("pass");
	assert_int_equal(report(path[0], NULL), 0);
	assert_page();
	assert_not_in(out, "<svg");
	assert_in(out, "95 %");
	assert_in(out, "(no begin record: ");
}

TEST_F(start, teardown, test_incomplete)
{
	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	write_stage("handoff");
	save(0);
	assert_int_equal(report(path[0], NULL), 3);
	assert_string_equal(err, "");
	assert_page();
	assert_in(out, "<div class=\"verdict incomplete\"><b>\xe2\x80\xa6 incomplete</b>\n");
	assert_in(out, "there is no end record");
}

TEST_F(start, teardown, test_nothing)
{
	save(0);
	assert_int_equal(report(path[0], NULL), 2);
	assert_string_equal(out, "");
	assert_in(err, "no noisefloor record in 0 bytes");
	write_stage("bare");
	write_end("none");
	assert_int_equal(SHOW("-fhtml", path[0], "-o", "/nonexistent/page.html"), 2);
	assert_in(err, "/nonexistent/page.html: No such file or directory");
}

#define BIG_CORES 255
#define BIG_GAPS  100000

/* Write many gaps on many cores, so that hardly two share a cell. */
static void write_big(void)
{
	static uint64_t pairs[200][2];
	uint64_t random = 1;

	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	for (unsigned i = 0; i < BIG_GAPS; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		SEND_GAP(.stage = "handoff", .cpu = (uint32_t)(random >> 33) % BIG_CORES,
			 .t_ns = (random >> 13) % (600 * S),
			 .len_ns = 1000 + (random >> 40) % 1000000,
			 .cause = cause_name((enum cause)(random >> 55) % CAUSES));
	}
	for (unsigned i = 0; i < 200; i++) {
		pairs[i][0] = (uint64_t)(1000 * pow(1.05, i));
		pairs[i][1] = 1 + i % 7;
	}
	for (uint32_t n = 0; n < BIG_CORES; n++)
		SEND_CPU(.stage = "handoff", .cpu = n, .exposure_ns = 600 * S, .gaps = 797,
			 .max_ns = 17000000, .histogram = { pairs, 200 });
	write_end("none");
}

TEST_F(start, teardown, test_size)
{
	write_big();
	assert_int_equal(report(path[0], NULL), 0);
	assert_page();
	assert_count("<use href=", BIG_CORES);
	assert_in(out, "Drawn: 100000 of 203235 gaps, those that have a record");
	print_message("a page of %u cores and %u gaps: %zu bytes\n", BIG_CORES, BIG_GAPS,
		      strlen(out));
	assert_true(strlen(out) < 2000000);
}

/* Markup, control characters and numbers that nobody measured. */
TEST_F(start, teardown, test_hostile)
{
	static const uint64_t wild[][2] = {
		{ UINT64_MAX, UINT64_MAX }, { 0, UINT64_MAX }, { 5, 1 }, { 5, 0 }
	};
	const char *evil = "</td><script>alert(1)</script>\"'&\x1b[2J\xff";
	struct record_begin begin = a_begin;
	struct record_cpu cpu = { .stage = evil,
				  .cpu = UINT32_MAX,
				  .exposure_ns = UINT64_MAX,
				  .noise_ns = UINT64_MAX,
				  .max_ns = UINT64_MAX,
				  .gaps = UINT64_MAX,
				  .histogram = { wild, 4 } };

	begin.machine.vendor = begin.config = begin.version = begin.hypervisor = evil;
	record_send(&capture.link, RECORD_BEGIN, &begin);
	SEND_WINDOW(.stage = evil, .windows = UINT64_MAX, .start_ns = UINT64_MAX,
		    .len_ns = UINT64_MAX);
	SEND_GAP(.stage = evil, .cause = evil, .t_ns = UINT64_MAX);
	SEND_GAP(.stage = evil, .cause = evil, .cpu = 7, .len_ns = UINT64_MAX);
	SEND_EVENT(.stage = evil, .t_ns = UINT64_MAX, .scope = evil);
	SEND_SOURCE(.stage = evil, .cause = evil, .origin = evil);
	SEND(INTERFERE, interfere, .stage = evil, .kernel = evil, .group = evil);
	record_send(&capture.link, RECORD_CPU, &cpu);
	cpu.cpu = 7;
	cpu.exposure_ns = 0;
	record_send(&capture.link, RECORD_CPU, &cpu);
	SEND_LOG(.level = evil, .text = evil);
	write_end(evil);
	assert_int_equal(report(path[0], NULL), 2);
	assert_page();
	assert_in(out, "&lt;/td&gt;&lt;script&gt;alert(1)");
	assert_in(out, "<div class=\"verdict error\">");
}

/* A gap of a core that has no record is not drawn on another's row. */
TEST_F(start, teardown, test_core_without_record)
{
	SEND_GAP(.stage = "bare", .cpu = 9, .t_ns = S, .len_ns = 5000, .cause = "nmi");
	SEND_CPU(.stage = "bare", .cpu = 1, .exposure_ns = S);
	write_end("none");
	report(path[0], NULL);
	assert_page();
	assert_in(out, "<path class=\"k k-blue\" stroke-width=\"13\" d=\"\"/>");
	/* Without a begin record there is no limit. */
	assert_not_in(out, ">limit ");
}

/* Only a core whose histogram has all its gaps has percentiles. */
TEST_F(start, teardown, test_percentiles)
{
	static const uint64_t gaps[][2] = { { 20000, 98 }, { 60000, 2 } };
	static const uint64_t max_ns[] = { 20000, 60000, 3000, 61000 };
	const char *lengths;

	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	for (uint32_t n = 0; n < 4; n++)
		SEND_CPU(.stage = "bare", .cpu = n, .exposure_ns = 100000 * S, .gaps = 100,
			 .noise_ns = n == 2 ? 30 : 100, .max_ns = max_ns[n],
			 .histogram = { gaps, n == 1 ? 2 : 0 });
	write_end("none");
	report(path[0], NULL);
	assert_page();
	lengths = strstr(out, "\ngap lengths, us:\n");
	assert_non_null(lengths);
	assert_in(lengths, "\n    1 ");
	assert_in(lengths, "60.000\n");
	assert_not_in(lengths, "\n    0 ");
}

/* Standard output has the page unless a file is named. */
TEST_F(start, teardown, test_where_the_page_goes)
{
	static char page[OUTPUT_MAX];

	write_stage("bare");
	write_end("none");
	save(0);
	assert_int_equal(SHOW("-fhtml", path[0], "-o", path[1]), 0);
	assert_string_equal(out, "");
	load(path[1], page);
	assert_in(page, "\n</html>\n");
	assert_int_equal(SHOW("-fhtml", path[0]), 0);
	assert_string_equal(out, page);
	assert_int_equal(SHOW("-fhtml", path[0], "-o", "-"), 0);
	assert_string_equal(out, page);
	assert_int_equal(SHOW("-fhtml", path[0], "-o", "/dev/full"), 2);
	assert_in(err, "/dev/full: No space left on device\n");
}

TEST_GROUP(make_folder, remove_folder);
