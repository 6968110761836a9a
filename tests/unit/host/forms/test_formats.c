/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms of `noisefloor show` that other programs read, and presets: by what they mean. */
#include "host/lib/text_sanitize.h"
#include "host/capture/result.h"
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/stretch_run.h"
#include "tests/unit/xml.h"

#include <inttypes.h>
#include <time.h>
#include <utime.h>

#define SHOW(...) RUN(&show_subcommand, "show", __VA_ARGS__)

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/* Contents of a run; the tests change a copy. */
struct made {
	struct record_begin begin;
	struct record_end end;
	struct record_cpu cpu[3];
	unsigned cpus;
};

static const uint64_t pairs[][2] = { { 1500, 90 }, { 3000, 9 }, { 25000, 1 } };

static const struct made a_run = {
	.begin = { .version = "9.8",
		   .machine = { .vendor = "Acme, Inc.", .product = "X = 1", .uuid = "" },
		   .clock = { .hz = 2400 * MS },
		   .config = "duration=60s threshold=1us max=20us",
		   .began = "2025-01-31T12:34:56+01:00" },
	.end = { .verdict = "fail",
		 .reasons = { "max: longest gap 25.4 us on cpu 1 exceeds the limit of 20.0 us" },
		 .watched_ppm = { 998125, true } },
	.cpu = { { .stage = "bare",
		   .cpu = 0,
		   .exposure_ns = 60 * S,
		   .smi = { 0, true },
		   .interval_p50 = 20 },
		 { .stage = "bare",
		   .cpu = 1,
		   .exposure_ns = 60 * S,
		   .gaps = 100,
		   .noise_ns = 187400,
		   .max_ns = 25400,
		   .smi = { 7, true },
		   .nmi = { 0, true },
		   .cause = { [CAUSE_SMI] = { 7, 40000 }, [CAUSE_UNKNOWN] = { 93, 147400 } },
		   .histogram = { pairs, 3 } },
		 { .stage = "bare", .cpu = 2, .exposure_ns = 59 * S, .smi = { 0, true } } },
	.cpus = 3,
};

/* With its windows and two gaps. */
static void write_run(const struct made *run)
{
	record_send(&capture.link, RECORD_BEGIN, &run->begin);
	for (unsigned i = 0; i < 2; i++)
		SEND_WINDOW(.stage = "bare", .n = 1 + 30 * i, .windows = 30,
			    .start_ns = (2 + 31 * i) * S, .len_ns = 30 * S);
	SEND_GAP(.stage = "bare", .cpu = 1, .cause = "smi", .t_ns = 40 * S + 123, .len_ns = 25400);
	SEND_GAP(.stage = "bare", .cpu = 1, .cause = "unknown", .t_ns = 10 * S, .len_ns = 1999);
	for (unsigned i = 0; i < run->cpus; i++)
		record_send(&capture.link, RECORD_CPU, &run->cpu[i]);
	record_send(&capture.link, RECORD_END, &run->end);
	save(0);
}

static int show_as(const char *format)
{
	return SHOW("--format", format, path[0]);
}

/* ---- The choice ---- */

TEST_F(start, teardown, test_choice)
{
	char *as_json;

	write_run(&a_run);
	assert_int_equal(show_as("text"), 1);
	assert_in(out, "verdict: fail (max: longest gap 25.4 us");
	assert_int_equal(SHOW("--json", path[0]), 1);
	as_json = strdup(out);
	assert_non_null(as_json);
	assert_int_equal(show_as("json"), 1);
	assert_string_equal(out, as_json);
	free(as_json);
	assert_int_equal(show_as("jsonl"), 1);
	assert_string_equal(out, capture.bytes);
	assert_int_equal(SHOW("--format", "junit", "--json", path[0]), 2);
	assert_in(err, "show: formats junit and json: only one is possible\n");
}

/* ---- Presets ---- */

static int show_by(const char *preset)
{
	return SHOW("--preset", preset, path[0]);
}

/* Without limits of its own, and with longest gaps of so many ns. */
static void write_for_preset(uint64_t max_ns, const char *config)
{
	struct made run = a_run;

	start_again();
	run.begin.config = config;
	run.end = (struct record_end){ .verdict = "none" };
	run.cpu[1].max_ns = max_ns;
	write_run(&run);
}

/* The core with the least exposure counts; what was not recorded is not known to be short. */
TEST_F(start, teardown, test_preset)
{
	static const struct {
		const char *config;
		uint64_t max_ns;
		const char *preset;
		int code;
		const char *printed;
	} rows[] = {
		{ "threshold=1us", 19999, "openshift", 0,
		  "openshift: pass, but 59 s of sampling is short of the 12 h that preset "
		  "openshift requires; OpenShift 4.18 documentation" },
		{ "threshold=1us", 20000, "openshift", 1,
		  "openshift: fail (max: longest gap 20us on cpu 1 exceeds the limit of "
		  "19999ns); OpenShift 4.18" },
		/* The run is long enough for 15 s, and its gaps are below 150 us. */
		{ "threshold=1us", 20000, "bits", 0, "bits: pass, long enough; Intel BIOS" },
		{ "threshold=30us", 0, "openshift", 3,
		  "openshift: incomplete (gaps of 20.0 us and more are judged, but only those of "
		  "30.0 us and more were recorded)" },
		{ "threshold=30us", 50000, "openshift", 1, "openshift: fail (" },
		{ "threshold=1us", 0, "rhel-rt-virt", 0, "rhel-rt-virt: pass, " },
		{ "threshold=1us", 0, "hft", 3,
		  "hft: incomplete (gaps of 200 ns and more are judged, but only those of "
		  "1.00 us and more were recorded)" },
	};
	char printed[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_for_preset(rows[i].max_ns, rows[i].config);
		assert_int_equal(show_by(rows[i].preset), rows[i].code);
		snprintf(printed, sizeof(printed), "\npreset %s", rows[i].printed);
		assert_in(out, printed);
	}
	write_for_preset(20000, "threshold=1us");
	assert_int_equal(SHOW("--format", "junit", "--preset", "rhel-rt", path[0]), 1);
	assert_in(err, "preset rhel-rt: fail (max: ");
	capture_lose(&capture, 0);
	save(0);
	assert_int_equal(show_by("bits"), 3);
	assert_in(out, "the threshold of the run is unknown: there is no begin record");
}

/* The probe's own sampled time counts, if it is known, and not the stage's exposure. */
TEST_F(start, teardown, test_preset_sampled)
{
	struct made run = a_run;

	run.begin.config = "threshold=1us";
	run.cpu[1].max_ns = 5000;
	run.end = (struct record_end){ .verdict = "none", .sampled_ns = { 60 * S, true } };
	write_run(&run);
	assert_int_equal(show_by("rhel-rt"), 0);
	assert_in(out, "preset rhel-rt: pass, long enough; RHEL");
	start_again();
	run.end.sampled_ns.value = 60 * S - 1;
	write_run(&run);
	assert_int_equal(show_by("rhel-rt"), 0);
	assert_in(out, "pass, but 59 s of sampling is short of the 1 m that preset rhel-rt "
		       "requires");
	assert_in(out, "\nverdict: none\n");
}

#define OWN "threshold=1us max=19999ns preset=openshift"

static void write_own(const char *verdict, const char *config, const char *remark)
{
	struct made run = a_run;

	start_again();
	run.begin.config = config;
	run.end = (struct record_end){ .verdict = verdict, .remark = remark };
	run.cpu[1].max_ns = 5000;
	write_run(&run);
}

/* The run's own preset was judged by the probe, and so was its length. */
TEST_F(start, teardown, test_own_preset)
{
	write_own("pass", OWN, "2 s is what the probe knows");
	assert_int_equal(show_as("text"), 0);
	assert_in(out, "\npreset openshift: 2 s is what the probe knows; OpenShift 4.18");
	assert_in(out, "\nverdict: pass, but 2 s is what the probe knows\n");
	assert_int_equal(show_as("json"), 0);
	assert_in(out, "\"verdict\":\"pass\",\"remark\":\"2 s is what the probe knows\"");
	assert_int_equal(show_as("junit"), 0);
	assert_in(out,
		  "name=\"complete\" time=\"0.000\">\n      <system-out>verdict pass, but 2 s is "
		  "what the probe knows</system-out>");
	assert_in(out, "name=\"long enough for preset openshift\" time=\"0.000\">\n      <skipped "
		       "message=\"2 s is what the probe knows\"/>");
	assert_count("<testcase ", 5);
	assert_int_equal(show_as("influx"), 0);
	assert_in(out, ",verdict=pass,remark=2\\ s\\ is\\ what\\ the\\ probe\\ knows ");
	/* A record of a probe that had no remarks. */
	write_own("pass", OWN, NULL);
	assert_int_equal(show_as("text"), 0);
	assert_in(out,
		  "preset openshift: 59 s of sampling is short of the 12 h that preset openshift "
		  "requires; Open");
}

/* No remark without a preset, without a pass, or if the run is long enough. */
TEST_F(start, teardown, test_own_preset_without_remark)
{
	static const struct {
		const char *verdict, *config;
		unsigned cases;
	} rows[] = {
		{ "none", "threshold=1us", 4 },
		{ "pass", "threshold=1us max=20us", 4 },
		{ "none", "threshold=1us max=none preset=openshift", 4 },
		{ "fail", OWN, 4 },
		{ "incomplete", OWN, 4 },
		{ "pass", "threshold=1us max=150us preset=bits", 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_own(rows[i].verdict, rows[i].config, NULL);
		show_as("text");
		assert_not_in(out, "short of");
		assert_not_in(out, ", but");
		show_as("json");
		assert_not_in(out, "\"remark\":\"");
		show_as("influx");
		assert_not_in(out, "remark");
		show_as("junit");
		assert_count("<testcase ", rows[i].cases);
		assert_not_in(out, "enough for preset openshift");
	}
	show_as("junit");
	assert_in(
		out,
		"name=\"long enough for preset bits\" time=\"0.000\">\n      <system-out>59.0 s<");
	show_as("text");
	assert_in(out, "\npreset bits: long enough; Intel BIOS");
}

/* ---- CI ---- */

TEST_F(start, teardown, test_junit)
{
	write_run(&a_run);
	assert_int_equal(show_as("junit"), 1);
	assert_string_equal(err, "");
	assert_well_formed();
	assert_in(out, "<testsuite name=\"noisefloor 0123456789abcdef\" tests=\"4\" failures=\"1\" "
		       "errors=\"0\" skipped=\"0\">");
	assert_count("<testcase ", 4);
	assert_count("<failure ", 1);
	assert_in(out,
		  "<testcase classname=\"noisefloor.bare\" name=\"cpu 1\" time=\"60.000\">\n"
		  "      <failure message=\"max: longest gap 25.4 us on cpu 1 exceeds the limit "
		  "of 20.0 us: longest gap 25.4 us, 100 gaps in 60.0 s, 7 SMIs\"/>");
	assert_in(out, "<property name=\"machine.vendor\" value=\"Acme, Inc.\"/>");
	assert_in(out, "<property name=\"began\" value=\"2025-01-31T12:34:56+01:00\"/>");
	assert_in(out,
		  "name=\"cpu 0\" time=\"60.000\">\n      <system-out>longest gap none, 0 gaps in "
		  "60.0 s, 0 SMIs</system-out>");
	/* The failure is that of its core: the run itself is complete. */
	assert_in(out, "<testcase classname=\"noisefloor.run\" name=\"complete\" time=\"0.000\">\n"
		       "      <system-out>verdict fail</system-out>");
	/* Two captures are two suites of one document. */
	assert_int_equal(SHOW("--format", "junit", path[0], path[0]), 1);
	assert_well_formed();
	assert_count("<testsuite ", 2);
	assert_count("<testcase ", 8);
}

/* Missing records are no pass: neither a missing failed core, nor a run without an end. */
TEST_F(start, teardown, test_junit_missing)
{
	write_run(&a_run);
	capture_lose(&capture, 6); /* cpu 1 */
	save(0);
	assert_int_equal(show_as("junit"), 1);
	assert_well_formed();
	assert_in(out, "failures=\"1\" errors=\"0\"");
	assert_in(out, "<failure message=\"verdict fail; max: longest gap 25.4 us on cpu 1 exceeds "
		       "the limit of 20.0 us; lost: 1 of 9 lines");
	capture_lose(&capture, 7); /* end */
	save(0);
	assert_int_equal(show_as("junit"), 3);
	assert_in(out, "<error message=\"verdict incomplete; incomplete: there is no end record");
	assert_int_equal(show_as("influx"), 3);
	assert_in(out, ",verdict=incomplete exit_code=3i,whole=0i ");
	start_again();
	save(0);
	assert_int_equal(show_as("junit"), 2);
	assert_well_formed();
	assert_in(out, "tests=\"1\" failures=\"0\" errors=\"1\"");
	assert_in(out, "<error message=\"the capture has no noisefloor run\"/>");
}

/* Without limits, no test passes; a test also does not pass if the run was too short. */
TEST_F(start, teardown, test_junit_skips)
{
	write_for_preset(5000, "threshold=1us");
	assert_int_equal(show_as("junit"), 0);
	assert_count("<skipped message=\"no limit was set: longest gap", 3);
	assert_int_equal(SHOW("--format", "junit", "--preset", "openshift", path[0]), 0);
	assert_in(out, "name=\"long enough for preset openshift\" time=\"0.000\">\n      <skipped "
		       "message=\"59 s of sampling is short of the 12 h that preset openshift "
		       "requires\"/>");
	write_for_preset(0, "threshold=30us");
	assert_int_equal(SHOW("--format", "junit", "--preset", "openshift", path[0]), 3);
	assert_in(out,
		  "name=\"preset openshift\" time=\"0.000\">\n      <error message=\"gaps of 20.0 "
		  "us and more are judged");
}

/* ---- Time series ---- */

TEST_F(start, teardown, test_influx)
{
	write_run(&a_run);
	assert_int_equal(SHOW("--format", "influx", "--began", "1700000000.25", path[0]), 1);
	assert_in(out, "noisefloor_info,run=0123456789abcdef,version=9.8,vendor=Acme\\,\\ Inc.,"
		       "product=X\\ \\=\\ 1,began=2025-01-31T12:34:56+01:00 "
		       "value=1i,measured=0i,hz=2400000000i "
		       "1700000063250000000\n");
	assert_in(out, "noisefloor_cpu,run=0123456789abcdef,stage=bare,cpu=1 exposure_ns="
		       "60000000000i,noise_ns=187400i,max_ns=25400i,gaps=100i,dropped=0i,smi=7i,"
		       "nmi=0i,gaps_smi=7i,ns_smi=40000i,gaps_unknown=93i,ns_unknown=147400i "
		       "1700000063250000000\n");
	/* Evidence that is absent has no field. */
	assert_in(out, "cpu=0 exposure_ns=60000000000i,noise_ns=0i,max_ns=0i,gaps=0i,dropped=0i,"
		       "smi=0i 1700000063250000000\n");
	assert_in(out, "noisefloor_gap,run=0123456789abcdef,stage=bare,cpu=1,cause=smi "
		       "len_ns=25400i 1700000040250000123\n");
	assert_in(out,
		  "noisefloor_hist,run=0123456789abcdef,stage=bare,cpu=1,below_ns=5000 count=9i ");
	assert_in(out, "noisefloor_end,run=0123456789abcdef,verdict=fail exit_code=1i,whole=1i,"
		       "watched_ppm=998125i,gaps_unsent=0i ");
	assert_count("\n", 1 + 3 + 3 + 2 + 1);
}

/* The begin record has 11:34:56 UTC, whenever the file was written. */
TEST_F(start, teardown, test_influx_by_record)
{
	const struct utimbuf at = { 1600000063, 1600000063 };

	write_run(&a_run);
	assert_int_equal(utime(path[0], &at), 0);
	assert_int_equal(show_as("influx"), 1);
	assert_in(out, "len_ns=25400i 1738323336000000123\n");
}

/* A time without a zone is taken as UTC. */
TEST_F(start, teardown, test_began_without_zone)
{
	const struct utimbuf at = { 1600000063, 1600000063 };
	struct made local = a_run;

	local.begin.began = "2025-01-31T12:34:56";
	write_run(&local);
	assert_int_equal(utime(path[0], &at), 0);
	assert_int_equal(show_as("influx"), 1);
	assert_in(out, "len_ns=25400i 1738326936000000123\n");
	local.begin.began = "2025-01-31T12:34:56 maybe";
	start_again();
	write_run(&local);
	assert_int_equal(utime(path[0], &at), 0);
	assert_int_equal(show_as("influx"), 1);
	assert_in(out, "len_ns=25400i 1600000040000000123\n");
}

/* Without a time there: the file was written when the run ended, 63 s after it began. */
TEST_F(start, teardown, test_influx_by_file)
{
	const struct utimbuf at = { 1600000063, 1600000063 };
	struct made undated = a_run;

	undated.begin.began = NULL;
	write_run(&undated);
	assert_int_equal(utime(path[0], &at), 0);
	assert_int_equal(show_as("influx"), 1);
	assert_in(out, "len_ns=25400i 1600000040000000123\n");
	assert_int_equal(SHOW("--format", "influx", "-"), 2);
	assert_in(err, "standard input has no file time");
	assert_int_equal(SHOW("--format", "influx", "--began", "7", "-"), 1);
	assert_in(out, " 47000000123\n");
	assert_int_equal(SHOW("--began", "yesterday", path[0]), 2);
	assert_in(err, "--began yesterday: accepted: seconds since 1970");
}

/* ---- mode=stretch ---- */

static void write_stretch(const struct stretch_run *run)
{
	start_again();
	stretch_run_send(run);
	save(0);
}

/*
 * There is a point per core, kernel and phase, and one per pair. There is none without evidence,
 * and no point of gaps.
 */
TEST_F(start, teardown, test_stretch_series)
{
	write_stretch(&a_stretch_run);
	assert_int_equal(SHOW("--format", "influx", "--began", "7", path[0]), 1);
	assert_in(out, "noisefloor_stretch,run=0123456789abcdef,stage=bare,kernel=l2,phase=all,"
		       "cpu=1 quanta=1000i,p50=10240i,p90=10240i,p99=1000000i,p999=600000i,"
		       "max=1000000i,mean=30000i,gaps=1000000i,rest=1030000i 7000000000\n");
	assert_in(out, "noisefloor_interfere,run=0123456789abcdef,stage=bare,kernel=l2,victim=1,"
		       "aggressor=0 ratio=1200000i,bound=1100000i 7000000000\n");
	assert_count("noisefloor_stretch,", 4);
	assert_count("noisefloor_interfere,", 2);
	start_again();
	write_run(&a_run);
	assert_int_equal(show_as("influx"), 1);
	assert_count("noisefloor_stretch", 0);
	assert_count("noisefloor_interfere", 0);
}

/* The worst of each core's phases is compared with the limit; without one, nothing passes. */
TEST_F(start, teardown, test_stretch_junit)
{
	struct stretch_run run = a_stretch_run;

	write_stretch(&run);
	assert_int_equal(show_as("junit"), 1);
	assert_well_formed();
	assert_in(out, "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\"");
	assert_in(out, "<testcase classname=\"noisefloor.bare\" name=\"cpu 0 stretch\" "
		       "time=\"0.000\">\n      <system-out>worst p99.9 1.300000 (l2, alone, 1000 "
		       "quanta)</system-out>");
	assert_in(out, "name=\"cpu 1 stretch\" time=\"0.000\">\n      <failure message=\""
		       "max_stretch: p99.9 of stretch 1.600000 on cpu 1 exceeds the limit of "
		       "1.500000: worst p99.9 1.600000 (l2, all, 1000 quanta)\"/>");
	assert_in(out, "<system-out>verdict fail</system-out>");
	/* The limit itself is met. */
	run.p999 = 500000;
	run.verdict = "pass";
	run.reason = NULL;
	write_stretch(&run);
	assert_int_equal(show_as("junit"), 0);
	assert_in(out,
		  "name=\"cpu 1 stretch\" time=\"0.000\">\n      <system-out>worst p99.9 1.500000 "
		  "(l2, all, ");
	run.config = "mode=stretch kernel=l2 max_stretch=none";
	run.verdict = "none";
	write_stretch(&run);
	assert_int_equal(show_as("junit"), 0);
	assert_count("<testcase ", 1);
	/* A preset's limits are those of gaps: they cannot be judged, and are not met. */
	assert_int_equal(SHOW("--format", "junit", "--preset", "bits", path[0]), 3);
	assert_in(out,
		  "name=\"preset bits\" time=\"0.000\">\n      <error message=\"there is no cpu "
		  "record");
}

/* ---- Traces ---- */

/* A folder is for one form, standard output for all others. */
TEST_F(start, teardown, test_traces)
{
	write_run(&a_run);
	assert_int_equal(show_as("ctf"), 2);
	assert_string_equal(err, "show: --format ctf requires --output, a new folder\n");
	assert_int_equal(SHOW("--format", "junit", "-o", folder, path[0]), 2);
	assert_in(err, "--format junit prints on standard output, and takes no --output");
}

/* A header; two windows and two gaps, of which each has its cause and core. */
TEST_F(start, teardown, test_ctf)
{
	char made[80], trace[120], file[140];

	write_run(&a_run);
	snprintf(made, sizeof(made), "%s/ctf", folder);
	snprintf(trace, sizeof(trace), "%s/%016" PRIx64, made, capture.link.sid);
	assert_int_not_equal(SHOW("--format", "ctf", "-o", made, path[0]), 2);
	snprintf(file, sizeof(file), "%s/metadata", trace);
	load(file, out);
	unlink(file);
	assert_in(out, "event { name = \"gap\"; id = 1;");
	snprintf(file, sizeof(file), "%s/stream", trace);
	assert_int_equal(load(file, out), 40 + 4 * 22 + sizeof("smi") + sizeof("unknown") + 2 * 4);
	assert_int_equal((uint8_t)out[24] | (uint8_t)out[25] << 8,
			 8 * (40 + 4 * 22 + 4 + 8 + 2 * 4));
	unlink(file);
	rmdir(trace);
	rmdir(made);
}

static void assert_percentile(const struct record_cpu *cpu, unsigned n, uint64_t low, uint64_t high)
{
	const struct range r = quantile_percentile(cpu, n);

	assert_true(r.known);
	assert_int_equal(r.low, low);
	assert_int_equal(r.high, high);
}

/*
 * Percentiles of 100 gaps: 50 from 1000 to 1017 ns, 40 from 2000 to 2033, 10 from 64000; the
 * longest 64500.
 */
TEST_F(start, teardown, test_percentiles)
{
	static const uint64_t hundred[][2] = { { 1000, 50 }, { 2000, 40 }, { 64000, 10 } };
	struct record_cpu cpu = { .gaps = 100, .max_ns = 64500, .histogram = { hundred, 3 } };

	assert_percentile(&cpu, 0, 1000, 1000 + 1000 / 64 + 2);
	assert_percentile(&cpu, 1, 2000, 2000 + 2000 / 64 + 2);
	assert_percentile(&cpu, 2, 64000, 64500);
	/* The 100th of 100 is the longest. */
	assert_percentile(&cpu, 3, 64500, 64500);
	assert_percentile(&cpu, 4, 64500, 64500);
	cpu.gaps = 101;
	assert_false(quantile_percentile(&cpu, 0).known);
	cpu = (struct record_cpu){ .gaps = 0 };
	assert_false(quantile_percentile(&cpu, 0).known);
}

/* A histogram of a capture may count more than there can be. */
TEST(test_quantile_count)
{
	static const uint64_t huge[][2] = { { 1, UINT64_MAX }, { 2, UINT64_MAX } };

	assert_int_equal(quantile_count(&(struct record_pairs){ huge, 2 }), UINT64_MAX);
}

/* ---- Whatever a capture holds ---- */

/* Check that there are no control characters: neither ASCII's, nor U+0080 to U+009F in UTF-8. */
static void assert_no_control(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if ((*at < ' ' && *at != '\n') || *at == 0x7f ||
		    (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0))
			fail_msg("%#x at %zu of %s", *at, (size_t)(at - (unsigned char *)text),
				 text);
}

TEST_F(start, teardown, test_hostile)
{
	static const char *const forms[] = { "junit", "influx", "text", "json" };
	static const uint64_t wild[][2] = { { UINT64_MAX, UINT64_MAX }, { 0, UINT64_MAX } };
	struct made run = a_run;
	const char *evil = "\"<&>'\\ #,=\x1b\n\xff\x7f\x9b";

	run.begin.machine.vendor = run.begin.machine.uuid = evil;
	run.begin.config = run.end.verdict = evil;
	run.cpu[0] = (struct record_cpu){ .stage = evil,
					  .cpu = UINT32_MAX,
					  .exposure_ns = UINT64_MAX,
					  .noise_ns = UINT64_MAX,
					  .max_ns = UINT64_MAX,
					  .gaps = UINT64_MAX,
					  .smi = { UINT64_MAX, true },
					  .histogram = { wild, 2 } };
	run.cpu[1] = run.cpu[0];
	SEND_WINDOW(.stage = evil, .windows = UINT64_MAX, .start_ns = UINT64_MAX,
		    .len_ns = UINT64_MAX);
	SEND_GAP(.stage = evil, .t_ns = UINT64_MAX, .len_ns = UINT64_MAX, .cause = "smi");
	write_run(&run);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_int_equal(SHOW("--format", forms[i], "--preset", "openshift", path[0]), 2);
		assert_no_control(out);
		assert_no_control(err);
		if (i == 0)
			assert_well_formed();
		if (i == 1) {
			assert_in(out, "stage=\"<&>'/\\ #\\,\\=??");
			assert_in(out, " exposure_ns=9223372036854775807i,");
		}
	}
}

TEST_GROUP(make_folder, remove_folder);
