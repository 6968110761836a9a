/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor diff`, on pairs of captures that differ in one thing at a time. */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/printed.h"
#include "tests/unit/stretch_run.h"
#include "tests/unit/xml.h"

#define DIFF(...) RUN(&diff_subcommand, "diff", __VA_ARGS__)

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/* Contents of a run; the tests change a copy. */
struct result {
	struct record_begin begin;
	struct record_stage state;
	const char *stage, *second; /* second: a further stage, or NULL */
	unsigned cores;
	uint64_t smi, gaps; /* per core in 100 s; gaps without a cause */
	uint64_t max_ns;    /* length of gaps without a cause; the SMIs' gaps have 100 us */
	uint64_t over;      /* number of gaps of that length; the others have 5 us */
	uint64_t period_ns; /* period of a source the probe found; 0: none */
	bool windows;       /* send 100 windows of 1 s */
	bool end;
};

static const struct result a_run = {
	.begin = { .version = "9.8",
		   .machine = { .vendor = "Acme", .bios_version = "1.2" },
		   .cpu = { .family = 6, .microcode = { 0x2b, true } },
		   .clock = { .hz = 2400 * MS },
		   .config = "duration=100s threshold=1us" },
	.state = { .sci_en = { 1, true }, .usb_owner = "os", .smi_enabled = "GBL_SMI TCO" },
	.stage = "handoff",
	.cores = 4,
	.smi = 200,
	.gaps = 50,
	.max_ns = 5000,
	.windows = true,
	.end = true,
};

static void send_windows(const struct result *run)
{
	for (uint64_t n = 1; n <= 100; n++)
		SEND_WINDOW(.stage = run->stage, .n = n, .windows = 1, .start_ns = n * S,
			    .len_ns = S, .gaps = (run->smi + run->gaps) * run->cores / 100,
			    .smi = { run->smi * run->cores / 100, true });
}

static void send_cores(const struct result *run, const char *stage)
{
	const uint64_t pairs[][2] = {
		{ 5000, run->gaps - run->over },
		{ 100000, run->smi },
		{ run->max_ns, run->over },
	};

	for (uint32_t cpu = 0; cpu < run->cores; cpu++)
		SEND_CPU(.stage = stage, .cpu = cpu, .exposure_ns = 100 * S,
			 .smi = { run->smi, true }, .gaps = run->smi + run->gaps,
			 .max_ns = run->smi && run->max_ns < 100000 ? 100000 : run->max_ns,
			 .cause = { [CAUSE_SMI] = { run->smi, 0 },
				    [CAUSE_UNKNOWN] = { run->gaps, 0 } },
			 .histogram = { pairs, 3 });
}

static void send_run(const struct result *run)
{
	struct record_stage state = run->state;

	state.stage = run->stage;
	record_send(&capture.link, RECORD_BEGIN, &run->begin);
	record_send(&capture.link, RECORD_STAGE, &state);
	if (run->windows)
		send_windows(run);
	send_cores(run, run->stage);
	if (run->second)
		send_cores(run, run->second);
	if (run->period_ns)
		SEND_SOURCE(.stage = run->stage, .cause = "smi", .period_ns = run->period_ns,
			    .events = 200, .hint = "TCO timer");
	if (run->end)
		SEND_END(.verdict = "none");
}

static void write_run(const struct result *run, unsigned file)
{
	start_again();
	send_run(run);
	save(file);
}

static int diff(const struct result *before, const struct result *after)
{
	write_run(before, 0);
	write_run(after, 1);
	return DIFF(path[0], path[1]);
}

/* Compare the two files again in another format, and parse it if it is JSON. */
static int diff_as(const char *form)
{
	int code = DIFF("--format", form, path[0], path[1]);

	if (strcmp(form, "json") == 0)
		printed_read();
	return code;
}

TEST_F(start, teardown, test_same)
{
	struct result dated = a_run;

	dated.begin.began = "2026-11-22T21:51:31+01:00";
	assert_int_equal(diff(&a_run, &dated), 0);
	assert_string_equal(err, "");
	assert_in(out, "0.log: run 0123456789abcdef\n");
	assert_in(out, "1.log: run 0123456789abcdef, began 2026-11-22T21:51:31+01:00\n");
	assert_in(out, "settings and identity do not differ\n");
	assert_in(out, "stage handoff: 4 cores, 100 s each before; 4 cores, 100 s each after\n");
	assert_in(out, "no source before or after");
	assert_in(out, "outcome: same: ");
	assert_not_in(out, "less");
	assert_not_in(out, "gaps over");
}

/* 200 SMIs in 100 s on each core, all cores at once: 2.0 per second, 1.73 to 2.30 by Garwood. */
TEST_F(start, teardown, test_smi_gone)
{
	struct result after = a_run;

	after.smi = 0;
	after.state.smi_enabled = "GBL_SMI";
	after.begin.machine.bios_version = "1.3";
	after.begin.config = "duration=100s threshold=1us gaps=all";
	assert_int_equal(diff(&a_run, &after), 0);
	assert_in(out, "settings and identity that differ:\n"
		       "  machine.bios_version: 1.2 -> 1.3\n"
		       "  config.gaps: n/a -> all\n"
		       "  stage handoff.smi_enabled: GBL_SMI TCO -> GBL_SMI\n");
	/* Three columns fit into 80, the fourth does not. */
	assert_in(out, "  PER SECOND AND CORE           BEFORE (95 %)            AFTER (95 %)\n");
	assert_in(out, "  SMIs                     2 (1.732 to 2.297)        0 (0 to 0.03689)\n");
	assert_in(out, "  gaps, cause unknown  0.5 (0.3711 to 0.6592)  0.5 (0.3711 to 0.6592)\n");
	assert_in(out, "  SMIs                 -100.0 %, p under 1e-15: less\n");
	assert_in(out, "  gaps, cause unknown  +0.0 %, p 1: not significant\n");
	for (const char *line = strstr(out, "\n  PER"); *line; line++)
		assert_true(*line != '\n' || strcspn(line + 1, "\n") <= 80 ||
			    strncmp(line + 1, "outcome", 7) == 0);
	assert_in(out, "  longest gap                          100 us                 5.00 us\n");
	assert_in(out, "  longest gap          on cpu 0 before, on cpu 0 after\n");
	assert_in(out, "outcome: better: ");
	/* With the runs exchanged, it is worse. */
	assert_int_equal(DIFF(path[1], path[0]), 1);
	assert_in(out, "outcome: worse: ");
}

/*
 * 50 against 70 gaps per core: a difference this large has p = 0.08 by chance (binomial, 50 or
 * fewer of 120, doubled).
 */
TEST_F(start, teardown, test_chance)
{
	struct result after = a_run;

	after.gaps = 70;
	assert_int_equal(diff(&a_run, &after), 0);
	assert_in(out, "outcome: same: ");
	assert_in(out, "p 0.082: not significant");
	assert_int_equal(diff_as("junit"), 0);
	assert_in(out, ": +40.0 %, p 0.082: not significant");
	assert_int_equal(diff_as("json"), 0);
	assert_printed_is("findings|what=gaps, cause unknown|change", "same");
	assert_number("findings|what=gaps, cause unknown|log10_p", log10(0.0824), 0.01);
	assert_printed_is("findings|what=gaps, cause unknown|unit", "1/s");
	assert_number("findings|what=gaps, cause unknown|before|value", 0.5, 1e-12);
	assert_number("findings|what=gaps, cause unknown|after|value", 0.7, 1e-12);
	assert_printed_is("outcome", "same");
}

/* The significance level is for all rows together: p = 0.01 for a single row is not significant. */
TEST_F(start, teardown, test_many_rows)
{
	struct result after = a_run;

	after.gaps = 82;
	diff(&a_run, &after);
	assert_int_equal(diff_as("json"), 0);
	/* With six rows, 10^-2.78 is required. */
	assert_number("findings|what=gaps, cause unknown|log10_p", -2.35, 0.35);
	assert_printed_is("findings|what=gaps, cause unknown|change", "same");
}

/* A longer tail is found, which the longest gap alone would hardly show. */
TEST_F(start, teardown, test_longer)
{
	struct result after = a_run;

	after.max_ns = 250000;
	after.over = 1;
	assert_int_equal(diff(&a_run, &after), 0);
	assert_in(out, "  gaps over 100 us ");
	assert_in(out, "  longest gap  ");
	after.over = 20;
	assert_int_equal(diff(&a_run, &after), 1);
	assert_int_equal(diff_as("json"), 1);
	assert_number("findings|what=gaps over 100 us|before|value", 0, 0);
	assert_number("findings|what=gaps over 100 us|after|value", 0.2, 1e-12);
	assert_printed_is("findings|what=gaps over 100 us|change", "more");
	/* 0 against 20 gaps in equal times: p = 2 / 2^20. */
	assert_number("findings|what=gaps over 100 us|log10_p", log10(2 / 0x1p20), 0.01);
	/* The longest gap is a single gap, which is not judged. */
	assert_number("findings|what=longest gap|after|value", 250000, 0);
	assert_printed_is("findings|what=longest gap|change", "stated");
}

static void assert_source(int code, const char *change, const char *why)
{
	assert_int_equal(diff_as("json"), code);
	assert_count("\"what\":\"source ", 1);
	assert_printed_is("findings|what=source smi every |change", change);
	assert_in(json_string_value(printed_at("findings|what=source smi every |why")), why);
}

TEST_F(start, teardown, test_sources)
{
	struct result with = a_run, other = a_run;

	with.period_ns = 1200 * MS;
	other.period_ns = 1203 * MS;
	diff(&with, &a_run);
	assert_source(0, "gone", "likely TCO timer");
	diff(&a_run, &with);
	assert_source(1, "new", "likely TCO timer");
	/* Periods that differ by 0.25 % are the same source. */
	assert_int_equal(diff(&with, &other), 0);
	assert_in(out,
		  "  PERIOD                   BEFORE   AFTER  CHANGE\n"
		  "  source smi every 1.20 s  1.20 s  1.20 s  +0.2 % likely TCO timer: kept\n");
	assert_source(0, "same", "likely TCO timer");
	/* 100 s do not hold six periods of 20 s. */
	with.period_ns = 20 * S;
	diff(&with, &a_run);
	assert_source(0, "null", "too short to show it");
	diff(&a_run, &with);
	assert_source(0, "null", "too short to show it");
}

TEST_F(start, teardown, test_unlike)
{
	struct result after = a_run;

	after.begin.config = "duration=100s threshold=10us";
	assert_int_equal(diff(&a_run, &after), 2);
	assert_in(err, "diff: the runs differ in threshold: 1us before, 10us after\n");
	assert_in(err, "--force compares them anyway");
	assert_string_equal(out, "");
	assert_int_equal(DIFF("--force", path[0], path[1]), 0);
	assert_in(out, "the runs differ in threshold: 1us before, 10us after\n");
	assert_in(out, "outcome: same");

	after = a_run;
	after.cores = 2;
	assert_int_equal(diff(&a_run, &after), 2);
	assert_in(err, "the runs differ in cores in stage handoff: 0-3 before, 0-1 after\n");
	assert_int_equal(DIFF("--force", path[0], path[1]), 0);
	assert_in(out, "stage handoff: 4 cores, 100 s each before; 2 cores, 100 s each after\n");

	after = a_run;
	after.second = "bare";
	assert_int_equal(diff(&a_run, &after), 2);
	assert_in(err, "the runs differ in stages: handoff before, handoff,bare after\n");
	assert_int_equal(DIFF("--stage", "handoff", path[0], path[1]), 0);
	assert_not_in(out, "unlike");
	assert_int_equal(DIFF("--stage", "bare", path[0], path[1]), 2);
	assert_in(err, "the runs have no stage in common\n");

	after = a_run;
	after.stage = "acpi";
	assert_int_equal(diff(&a_run, &after), 2);
	assert_int_equal(DIFF("--force", path[0], path[1]), 2);
	assert_in(err, "the runs have no stage in common\n");
}

/* Without a begin record, the threshold of a run is unknown. */
TEST_F(start, teardown, test_no_begin)
{
	write_run(&a_run, 0);
	capture_lose(&capture, 0);
	save(1);
	assert_int_equal(DIFF(path[1], path[1]), 2);
	assert_in(err, "the runs differ in threshold: not known (no begin record) before");
	assert_int_equal(DIFF("--force", path[0], path[1]), 3);
	assert_in(err, "lost: 1 of ");
}

TEST_F(start, teardown, test_incomplete)
{
	struct result after = a_run;

	after.end = false;
	assert_int_equal(diff(&a_run, &after), 3);
	assert_in(out, "1.log: run 0123456789abcdef, records missing\n");
	assert_in(err, "1.log: incomplete: there is no end record");
	assert_in(out, "outcome: same");
	/* A missing record does not hide that another got worse. */
	after.smi = 400;
	assert_int_equal(diff(&a_run, &after), 1);
}

/* A counter that one of the runs lacks is neither compared nor taken as 0. */
TEST_F(start, teardown, test_not_known)
{
	write_run(&a_run, 0);
	start_again();
	record_send(&capture.link, RECORD_BEGIN, &a_run.begin);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		SEND_CPU(.stage = "handoff", .cpu = cpu, .exposure_ns = 100 * S);
	save(1);
	diff_as("json");
	assert_printed_is("findings|what=SMIs|after", "null");
	assert_printed_is("findings|what=SMIs|change", "null");
	assert_number("findings|what=SMIs|before|value", 2, 1e-12);
	diff_as("text");
	assert_in(out, " n/a\n");
	assert_in(out, "  SMIs                 not compared\n");
}

/* Calibration differs a little each time; another processor differs more. */
TEST_F(start, teardown, test_clock)
{
	struct result after = a_run;

	after.begin.clock.hz += 240000;
	after.begin.cpus.bringup_ns = (struct maybe){ 5, true };
	after.begin.begin_tsc = 99;
	after.begin.began = "2025-01-31T12:34:56";
	assert_int_equal(diff(&a_run, &after), 0);
	assert_in(out, "settings and identity do not differ\n");
	after.begin.clock.hz += 100 * MS;
	after.begin.cpu.microcode.value = 0x2c;
	assert_int_equal(diff(&a_run, &after), 0);
	assert_in(out, "  cpu.microcode: 0x2b -> 0x2c\n");
	assert_in(out, "  clock.hz: 2400000000 -> 2500240000\n");
}

TEST_F(start, teardown, test_hostile)
{
	static const uint64_t wild[][2] = { { UINT64_MAX, UINT64_MAX } };
	static const char stage[] = "ba\x1b[2Jre";
	struct record_cpu cpu = { .stage = stage,
				  .cpu = UINT32_MAX,
				  .exposure_ns = UINT64_MAX,
				  .gaps = UINT64_MAX,
				  .max_ns = UINT64_MAX,
				  .smi = { UINT64_MAX, true },
				  .histogram = { wild, 1 } };
	struct record_begin begin = a_run.begin;

	for (unsigned file = 0; file < 2; file++) {
		start_again();
		begin.machine.product = file ? "\x1b[31mred\xff" : "blue";
		begin.config = file ? "=====  a b=c b=d \x01" : "threshold= ==";
		record_send(&capture.link, RECORD_BEGIN, &begin);
		SEND_WINDOW(.stage = stage, .start_ns = UINT64_MAX, .len_ns = UINT64_MAX,
			    .gaps = UINT64_MAX);
		record_send(&capture.link, RECORD_CPU, &cpu);
		record_send(&capture.link, RECORD_CPU, &cpu);
		SEND_SOURCE(.stage = stage, .cause = "s\x1b[0m", .period_ns = UINT64_MAX,
			    .hint = "timer\x1b[2J\n");
		cpu.max_ns = 7;
		cpu.gaps = 3;
		save(file);
	}
	DIFF(path[0], path[1]);
	assert_in(out, "machine.product: blue -> ?[31mred");
	assert_in(out, "stage ba?[2Jre: ");
	assert_in(out, "  source s?[0m every ");
	assert_in(out, "likely timer?[2J?: kept\n");
	for (const char *at = out; *at; at++)
		assert_true(*at == '\n' || (unsigned char)*at >= ' ');
	diff_as("json");

	/* A core without exposure. */
	start_again();
	cpu.exposure_ns = 0;
	record_send(&capture.link, RECORD_BEGIN, &begin);
	record_send(&capture.link, RECORD_CPU, &cpu);
	save(0);
	assert_int_equal(DIFF(path[0], path[0]), 3);
	assert_in(out, ": nothing to compare\n");
}

/* For each side one of several runs in the file is chosen. */
TEST_F(start, teardown, test_several_runs)
{
	struct result quiet = a_run;

	quiet.smi = 0;
	start_again();
	send_run(&a_run);
	capture.link = (struct record_link){ .write = capture.link.write, .sid = 42 };
	send_run(&quiet);
	save(0);
	assert_int_equal(DIFF(path[0], path[0]), 2);
	assert_in(err, "0123456789abcdef 000000000000002a\n");
	assert_int_equal(DIFF("--before", "0123456789abcdef", "--after", "2a", path[0], path[0]),
			 0);
	assert_in(out, "outcome: better: ");
	assert_int_equal(DIFF("--before", "2a", "--after", "0123456789abcdef", path[0], path[0]),
			 1);
	assert_in(out, "outcome: worse: ");
}

static int diff_stretch(const struct stretch_run *after)
{
	start_again();
	stretch_run_send(&a_stretch_run);
	save(0);
	start_again();
	stretch_run_send(after);
	save(1);
	return DIFF(path[0], path[1]);
}

/*
 * With four rows, 77.5 % of one side must be below 22.5 % of the other. Before, 775 of 1000 quanta
 * took at most 50.615 us: the upper edge of a bucket from 10240 ppm on, two wide, and a tick. On
 * core 1 it is 40.492 us.
 */
TEST_F(start, teardown, test_stretch)
{
	struct stretch_run after = a_stretch_run;

	/*
	 * After, 225 quanta took at most 50.593 us, on core 1 40.490 us. This is below the edges:
	 * no difference.
	 */
	after.best = 50080;
	assert_int_equal(diff_stretch(&after), 0);
	assert_in(out,
		  "  MEAN OF A QUANTUM        BEFORE (BEST-P99.9)         AFTER (BEST-P99.9)\n");
	assert_in(out,
		  "  l2 all cpu 0       51.5 us (50.0 us-65.0 us)  51.6 us (50.1 us-65.1 us)\n");
	assert_in(out, "  l2 all cpu 0       +0.2 %: not significant\n");
	assert_count(": not significant\n", 4);
	/* Now the 225 quanta took 50.623 and 40.521 us: above the edges. */
	after.best = 50110;
	assert_int_equal(diff_stretch(&after), 1);
	assert_count(" %: more\n", 4);
	assert_in(out, "outcome: worse");
	assert_in(out, "significant where 77.5 % of one side's");
	/* Only the best quantum is quicker, the others are not: no difference. */
	after.best = 49800;
	after.slow = 14336;
	assert_int_equal(diff_stretch(&after), 0);
	assert_count(": not significant\n", 4);
	after.best = 40000;
	assert_int_equal(diff_stretch(&after), 0);
	assert_count(" %: less\n", 4);
	assert_in(out, "outcome: better");
}

/* A best above the minimum: buckets are wider, and the first holds quicker quanta. */
TEST_F(start, teardown, test_stretch_above_the_minimum)
{
	struct stretch_run after = a_stretch_run;

	/* 775 quanta took at most 50.504 us; with buckets that are 200 ns wider, 50.704 us. */
	after.best = 49890;
	assert_int_equal(diff_stretch(&after), 0);
	assert_count(" %: less\n", 4);
	after.over = 6400;
	assert_int_equal(diff_stretch(&after), 0);
	assert_count(" %: not significant\n", 4);
	/* 225 quanta took at least 52 us; with wider buckets, 48 us. */
	after.over = 0;
	after.slow = 0;
	after.best = 52000;
	assert_int_equal(diff_stretch(&after), 1);
	assert_count(" %: more\n", 4);
	after.over = 4000;
	assert_int_equal(diff_stretch(&after), 0);
	assert_count(" %: not significant\n", 4);
}

/*
 * A single slow quantum of a thousand is not significant, and an incomplete histogram is not
 * compared.
 */
TEST_F(start, teardown, test_stretch_evidence)
{
	struct stretch_run after = a_stretch_run;

	after.p999 = 90000000;
	assert_int_equal(diff_stretch(&after), 0);
	assert_in(out, " 41.2 us (40.0 us-64.0 us)  41.2 us (40.0 us-3.64 ms)\n");
	assert_count(": not significant\n", 4);
	after = a_stretch_run;
	after.best = 100000;
	after.quanta = 2000;
	assert_int_equal(diff_stretch(&after), 0);
	assert_count("  not compared\n", 4);
	assert_not_in(out, "more");
}

/* A run of mode=gaps is not compared with one of mode=stretch, not even with --force. */
TEST_F(start, teardown, test_modes)
{
	struct result gaps = a_run;

	gaps.stage = "bare";
	diff_stretch(&a_stretch_run);
	write_run(&gaps, 1);
	assert_int_equal(DIFF(path[0], path[1]), 2);
	assert_in(err, "diff: the runs differ in mode: stretch before, gaps after\n");
	assert_int_equal(DIFF("--force", path[1], path[0]), 2);
	assert_in(err, "diff: not compared: the runs have no stage in common\n");
	assert_int_equal(diff(&gaps, &gaps), 0);
	assert_not_in(out, "stretch");
}

TEST_GROUP(make_folder, remove_folder);
