/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor show` from its arguments to its exit code, on captures written by the probe's writer.
 */
#include "core/records/record.h"
#include "core/report/table.h"

#include "host/subcommands.h"

#include "tests/unit/cells.h"
#include "tests/unit/common/test.h"
#include "tests/unit/printed.h"

#define SHOW(...) RUN(&show_subcommand, "show", __VA_ARGS__)

/* `show` with up to three arguments: its exit code. */
static int show(const char *a, const char *b, const char *c)
{
	return SHOW(a, b, c);
}

static int show_json(void)
{
	int code = show("--json", path[0], NULL);

	printed_read();
	return code;
}

static const struct record_begin a_begin = {
	.version = "9.8",
	.machine = { .vendor = "Acme" },
	.hypervisor = "TCG",
	.cpus = { .found = 2 },
	.config = "duration=10s window=1s threshold=1us",
	.began = "2025-01-31T12:34:56",
};

/* begin (seq 0), a gap (1), two cpus of one stage in the wrong order (2, 3), log (4), end (5). */
static void write_run(const char *verdict)
{
	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	SEND_GAP(.stage = "bare", .cause = "smi");
	for (uint32_t cpu = 2; cpu-- > 0;)
		SEND_CPU(.stage = "bare", .cpu = cpu, .exposure_ns = 1000000000);
	SEND_LOG(.level = "warning", .text = "cpu 5 did not start");
	SEND_END(.verdict = verdict);
}

#define RUN_LINES 6

/* Last words stand above the log, and only text has names for them. */
TEST_F(start, teardown, test_fault)
{
	SEND(FAULT, fault, .stage = "bare", .kind = "exception", .what = "page \033fault",
	     .pc = { 0x5010, true }, .image = { 0x4000, true }, .doing = "reading MSR 0x34");
	write_run("incomplete");
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 3);
	assert_in(out, "fault, at 0x5010 (image + 0x1010)\n"
		       "  stage bare; last step: reading MSR 0x34\nwarning: cpu 5");
	assert_not_in(out, "\033");
}

#define COLUMNS "RUNTIME(us) NOISE(us) %AVAILABLE MAX(us) GAPS SMI NMI"

TEST_F(start, teardown, test_text)
{
	const char *row;

	write_run("pass");
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 0);
	assert_string_equal(err, "");
	assert_in(out, "run 0123456789abcdef, noisefloor 9.8\n");
	assert_not_in(out, "fault");
	assert_in(out, "machine: Acme n/a");
	/* Only keys that differ from their defaults are shown. */
	assert_in(out, "config:  duration=10s\n");
	assert_in(out, "\nbegan:   2025-01-31T12:34:56\n");
	assert_in(out, "A hypervisor (TCG) is underneath");
	assert_in(out, "\nstage bare\nCPU ");
	assert_cells(out, "0", COLUMNS, "1000000 0.0 100.00000 0.0 0 n/a n/a");
	assert_cells(out, "1", COLUMNS, "1000000 0.0 100.00000 0.0 0 n/a n/a");
	assert_cells(out, "all", COLUMNS, "2000000 0.0 100.00000 0.0 0 n/a n/a");
	row = strstr(out, "\n  0 ");
	assert_non_null(row);
	row = strstr(row + 1, "\n  1 ");
	assert_non_null(row);
	row = strstr(row + 1, "\nall ");
	assert_non_null(row);
	assert_memory_equal(strchr(row + 1, '\n'), "\nno gaps on any of 2 cores", 26);
	assert_in(out, "warning: cpu 5 did not start\n");
	assert_in(out, "\nverdict: pass\n");
	assert_not_in(out, "incomplete");
	assert_not_in(out, "lost");
}

/* Two stages with their states, 2 SMIs a second in the first and none in the second. */
static void write_ladder(const char *second)
{
	struct record_stage stage = { .stage = "acpi",
				      .sci_en = { 1, true },
				      .usb_owner = "bios",
				      .usb = "xhci 0000:00:14.0 bios",
				      .chipset = "Intel 9 series",
				      .smi_enabled = "GBL_SMI SWSMI_TMR",
				      .timers = { { "SWSMI timer 64 ms", 64000000 } } };
	struct record_cpu cpu = {
		.stage = "acpi", .exposure_ns = 60000000000, .gaps = 120, .smi = { 120, true }
	};

	record_send(&capture.link, RECORD_STAGE, &stage);
	record_send(&capture.link, RECORD_CPU, &cpu);
	stage.stage = cpu.stage = second;
	stage.usb_owner = "os";
	stage.usb = "xhci 0000:00:14.0 os\x1b[2J";
	cpu.gaps = cpu.smi.value = 0;
	record_send(&capture.link, RECORD_STAGE, &stage);
	record_send(&capture.link, RECORD_CPU, &cpu);
}

TEST_F(start, teardown, test_ladder)
{
	write_ladder("handoff");
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 3);
	assert_in(out, "\nstage acpi\n"
		       "  ACPI mode on (SCI_EN 1)  USB owner bios: xhci 0000:00:14.0 bios\n"
		       "  SMI sources enabled (Intel 9 series): GBL_SMI SWSMI_TMR; timers:\n"
		       "    SWSMI timer 64 ms\n"
		       "CPU");
	assert_in(out, "  USB owner os: xhci 0000:00:14.0 os?[2J\n");
	/* Without windows nothing shows whether they come in bursts. */
	assert_in(out, "\nacpi to handoff:\n");
	assert_in(out, "not judged: 0 windows, 5 are needed\n");
}

static int share(const char *to, const char *from)
{
	return SHOW("--share", to, from);
}

/* A file for a public ticket reads like the run itself, but for who and where. */
TEST_F(start, teardown, test_share)
{
	struct record_begin begin = a_begin;

	begin.machine.uuid = "03000200-0400-0500-0006-000700080009";
	begin.machine.bios_version = "1.2.3.4";
	begin.config = "duration=10s nic=52:54:00:12:34:56 max=20us";
	record_send(&capture.link, RECORD_BEGIN, &begin);
	SEND_LOG(.level = "info", .text = "card 0000:00:02.0 8086:10d3: 10.0.2.15/24; records go "
					  "to udp://10.0.2.2:5514");
	SEND_END(.verdict = "pass");
	save(0);
	unlink(path[1]);
	assert_int_equal(share(path[1], path[0]), 0);
	assert_string_equal(err, "");
	assert_in(out, ": 3 records\n"
		       "removed: UUID: 1, in 1 places; MAC address: 1, in 1 places; IP address: 2, "
		       "in 2 places\n");
	assert_int_equal(SHOW("--share", path[2], "--json", path[0]), 2);
	assert_in(err, "takes no --format");
	assert_int_equal(show("--jsonl", path[1], NULL), 0);
	assert_string_equal(err, "");
	assert_in(out, "\"bios_version\":\"1.2.3.4\",\"bios_date\":null,\"uuid\":\"<uuid-1>\"");
	assert_in(out, "\"config\":\"duration=10s nic=<mac-1> max=20us\"");
	assert_in(out, "card 0000:00:02.0 8086:10d3: <ip-1>/24; records go to udp://<ip-2>:5514");
	assert_int_equal(show(path[1], NULL, NULL), 0);
	assert_string_equal(err, "");
}

TEST_F(start, teardown, test_json_ladder)
{
	write_ladder("handoff");
	save(0);
	assert_int_equal(show_json(), 3);
	assert_printed_is("runs|0|ladder|0",
			  "{\"stage\":\"acpi\",\"cores\":1,\"exposure_ns\":60000000000,"
			  "\"gaps\":120,\"noise_ns\":0,\"max_ns\":0,\"smi\":120,\"against\":null}");
	assert_printed_is("runs|0|ladder|1|smi", "0");
	assert_printed_is("runs|0|ladder|1|against|stage", "acpi");
	assert_printed_is("runs|0|ladder|1|against|changes|0",
			  "{\"what\":\"gaps\",\"change\":null}");
	assert_printed_is("runs|0|ladder|1|against|changes|what=machine checks",
			  "{\"what\":\"machine checks\",\"change\":null}");
}

/* A name cut inside a character, and sums past 2^63, still make a document. */
TEST_F(start, teardown, test_json_ladder_of_anything)
{
	SEND_CPU(.stage = "abcdefghijklmn\xe9", .cpu = 1, .exposure_ns = INT64_MAX,
		 .gaps = INT64_MAX, .max_ns = INT64_MAX);
	write_ladder("abcdefghijklmn\xe9");
	save(0);
	assert_int_equal(show_json(), 3);
	assert_in(out, "\"stage\":\"abcdefghijklmn\xc3\xa9\",\"cores\":2,\"exposure_ns\":"
		       "9223372036854775807");
	assert_int_equal(show(path[0], NULL, NULL), 3);
	assert_in(out, "\nladder: ");
}

TEST_F(start, teardown, test_exit_codes)
{
	static const struct {
		const char *verdict;
		int code;
	} cases[] = {
		{ "pass", 0 },       { "none", 0 },  { "fail", 1 },
		{ "incomplete", 3 }, { "error", 2 }, { "splendid", 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start_again();
		write_run(cases[i].verdict);
		save(0);
		assert_int_equal(show(path[0], NULL, NULL), cases[i].code);
		assert_int_equal(show("--json", path[0], NULL), cases[i].code);
		assert_int_equal(show("--jsonl", path[0], NULL), cases[i].code);
	}
}

TEST_F(start, teardown, test_no_end)
{
	write_run("pass");
	capture_lose(&capture, RUN_LINES - 1);
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 3);
	assert_string_equal(err, "");
	assert_in(out, "there is no end record");
	assert_in(out, "verdict: incomplete (no end record)\n");
	assert_int_equal(show("--jsonl", path[0], NULL), 3);
	assert_in(err, "there is no end record");
}

TEST_F(start, teardown, test_lost)
{
	write_run("pass");
	capture_lose(&capture, 3);
	capture_lose(&capture, 1);
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 3);
	assert_in(out, "lost: 2 of 6 lines are missing (seq 1, 3)\n");
	assert_in(out, "end record counts 1 gap records (here: 0), 2 cpu records (here: 1)\n");
	assert_in(out, "verdict: pass, but incomplete: records of the run are missing\n");
	assert_not_in(out, "there is no end record");
}

/* Lost records cannot undo a failure. */
TEST_F(start, teardown, test_fail_stays_fail)
{
	write_run("fail");
	capture_lose(&capture, 1);
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 1);
	assert_in(out, "lost: 1 of 6 lines");
	assert_in(out, "verdict: fail\n");
}

TEST_F(start, teardown, test_damage_is_named)
{
	write_run("pass");
	capture_at(&capture, 2)[50] ^= 1;
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 3);
	assert_in(err, "0.log:3: damaged record: its checksum is");
	assert_in(out, "damaged records: 1\n");
	assert_in(out, "lost: 1 of 6 lines are missing (seq 2)\n");
}

TEST_F(start, teardown, test_complaints_are_bounded)
{
	unsigned lines = 0;

	for (unsigned i = 0; i < 5000; i++)
		capture_text(&capture, "{\"nf\":torn\n");
	write_run("pass");
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 0);
	for (const char *at = err; (at = strchr(at, '\n')); at++)
		lines++;
	assert_in_range(lines, 5, 50);
	assert_in(err, "0.log: 4980 more complaints\n");
	assert_in(out, "damaged records: 5000\n");
}

#define MS UINT64_C(1000000)

/*
 * A stage of 12 windows of 1 s: on each of two cores an SMI every 47 ms, which no
 * dictionary has, and `others` gaps without a cause.
 */
static void write_stage(const char *stage, uint64_t others)
{
	uint64_t gaps = 0;

	for (uint64_t n = 1; n <= 12; n++)
		SEND_WINDOW(.stage = stage, .n = n, .windows = 1, .start_ns = n * 1013 * MS,
			    .len_ns = 1000 * MS);
	for (uint64_t t = 1013 * MS; t < 13000 * MS; t += 47 * MS) {
		/* Events between windows are not seen. */
		if (t % (1013 * MS) >= 1000 * MS)
			continue;
		for (uint32_t cpu = 0; cpu < 2; cpu++)
			SEND_GAP(.stage = stage, .cpu = cpu, .t_ns = t + cpu * 500, .len_ns = 40000,
				 .cause = "smi");
		gaps++;
	}
	for (uint64_t i = 0; i < others; i++)
		SEND_GAP(.stage = stage, .t_ns = 1013 * MS + i * i % 1009 * MS + i * 7919,
			 .len_ns = 3000, .cause = "unknown");
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		SEND_CPU(.stage = stage, .cpu = cpu, .exposure_ns = 12000 * MS,
			 .gaps = cpu ? gaps : gaps + others);
}

/* The blind search takes both cores' gaps for one event, and each cause by itself. */
TEST_F(start, teardown, test_search)
{
	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	/* The chipset's timers as they were in that stage, and in no other. */
	SEND_STAGE(.stage = "acpi", .timers = { { "another", 47 * MS } });
	SEND_STAGE(.stage = "bare", .timers = { { "a timer", 47 * MS } });
	write_stage("bare", 40);
	save_run(0);
	assert_int_equal(show(path[0], NULL, NULL), 0);
	assert_in(out, "sources of any period, looked for in all ");
	assert_in(out, " gaps:\n      PERIOD      JITTER");
	assert_in(out, "  47.0000 ms        0 ns    100.00       25");
	assert_in(out, "  smi      1e-");
	assert_not_in(out, "were not looked for");
	assert_int_equal(show_json(), 0);
	assert_printed_is("runs|0|search|0|stage", "bare");
	assert_printed_is("runs|0|search|0|why_not", "null");
	assert_printed_count("runs|0|search|0|sources", 1);
	assert_printed_is("runs|0|search|0|sources|0|cause", "smi");
	assert_printed_is("runs|0|search|0|sources|0|period_ns", "47000000");
	assert_number("runs|0|search|0|sources|0|events", 250, 6);
	assert_true(printed_number("runs|0|search|0|sources|0|chance_milli") < -100000);
	assert_printed_is("runs|0|search|0|sources|0|origin", "a timer");
}

/*
 * Events now and then, at multiples of 4 ms: a kernel's ticks, which are looked for only where
 * there is a kernel, and not among SMIs.
 */
static size_t sources_at_ticks(const char *hypervisor, const char *os, const char *cause)
{
	struct record_begin begin = a_begin;
	unsigned tick = 2;

	begin.hypervisor = hypervisor;
	begin.os = os;
	start_again();
	record_send(&capture.link, RECORD_BEGIN, &begin);
	SEND_WINDOW(.stage = "bare", .n = 1, .windows = 1, .len_ns = 10000 * MS);
	for (unsigned i = 0; i < 60; i++) {
		tick += 20 + i * 29 % 41;
		SEND_GAP(.stage = "bare", .t_ns = tick * 4 * MS, .len_ns = 40000, .cause = cause);
	}
	SEND_CPU(.stage = "bare", .exposure_ns = 10000 * MS, .gaps = 60);
	save_run(0);
	assert_int_equal(show_json(), 0);
	assert_printed_is("runs|0|search|0|why_not", "null");
	return json_array_size(printed_at("runs|0|search|0|sources"));
}

TEST_F(start, teardown, test_search_for_ticks)
{
	assert_int_equal(sources_at_ticks("KVM", NULL, "unknown"), 1);
	assert_in(out, "matches a kernel's tick of 250 Hz");
	assert_int_equal(sources_at_ticks(NULL, "Linux 6.1.0", "unknown"), 1);
	assert_in(out, "matches a kernel's tick of 250 Hz");
	assert_int_equal(sources_at_ticks(NULL, NULL, "unknown"), 0);
	assert_int_equal(sources_at_ticks("KVM", NULL, "smi"), 0);
}

/* A search that is not possible names the missing data. */
static void assert_not_searched(const char *why)
{
	save_run(0);
	show(path[0], NULL, NULL);
	assert_in(out, "sources of any period were not looked for: ");
	assert_in(out, why);
	assert_not_in(out, "47.0000 ms");
	show_json();
	assert_in(json_string_value(printed_at("runs|0|search|0|why_not")), why);
	assert_printed_count("runs|0|search|0|sources", 0);
}

TEST_F(start, teardown, test_search_wants_all)
{
	write_stage("bare", 10);
	SEND_CPU(.stage = "bare", .cpu = 2, .gaps = 1);
	assert_not_searched(" gaps are in the report; gaps=all sends all");

	start_again();
	write_stage("bare", 10);
	SEND_CPU(.stage = "bare", .cpu = 2, .dropped = 3);
	assert_not_searched("gaps did not fit into the list");

	start_again();
	write_stage("bare", 10);
	for (unsigned i = 0; i < 12; i++)
		capture_lose(&capture, 0);
	assert_null(strstr(capture.bytes, "\"type\":\"window\""));
	assert_not_searched("the records of its windows are missing");
}

/* No gaps at all: nothing to search, nothing to report. */
TEST_F(start, teardown, test_search_of_nothing)
{
	write_run("pass");
	save(0);
	show(path[0], NULL, NULL);
	assert_not_in(out, "sources");
}

/* Events are printed as they came: the longest, in time order; sources as the probe found them. */
TEST_F(start, teardown, test_events_and_sources)
{
	struct record_event event = {
		.stage = "bare", .of = 40, .gaps = 2, .cpus = 2, .cause = "smi", .scope = "core"
	};
	unsigned rows = 0;

	for (unsigned i = 0; i < 40; i++) {
		event.t_ns = i * 1000 * MS;
		event.len_ns = i % 4 ? 1000 * i : 500000;
		event.scope = i % 8 ? "core" : "sideways";
		record_send(&capture.link, RECORD_EVENT, &event);
	}
	SEND_SOURCE(.stage = "bare", .cause = "smi", .period_ns = 64 * MS, .fill_ppm = 1000000,
		    .events = 77, .chance_milli = -99000, .origin = "SWSMI timer 64 ms");
	write_run("pass");
	save(0);
	assert_int_equal(show(path[0], NULL, NULL), 0);
	assert_in(out, "40 events: 35 of a core, 5 of scope n/a; the 10 longest:\n     TIME(s)");
	for (const char *at = out; (at = strstr(at, "       500.0  ")); at++)
		rows++;
	assert_int_equal(rows, 10);
	assert_in(out, "    0.000000         500.0      2  n/a       smi");
	assert_in(out, "    4.000000         500.0      2  core      smi");
	assert_in(out, "   36.000000         500.0      2  core      smi");
	assert_in(out,
		  "  64.0000 ms        0 ns    100.00        77  smi      1e-99      SWSMI timer");
	assert_not_in(out, TABLE_NO_SOURCE);

	/*
	 * The scopes of a part of the events are reported as those of a part, whatever the run
	 * logged.
	 */
	start_again();
	event.of = 41;
	record_send(&capture.link, RECORD_EVENT, &event);
	SEND_LOG(.level = "info", .text = "gaps came faster than they could be recorded");
	SEND_LOG(.level = "warning", .text = "throttled");
	write_run("pass");
	save(0);
	show("--format=junit", path[0], NULL);
	assert_in(out, "throttled");
	show(path[0], NULL, NULL);
	assert_in(out, "\nscopes are known of 1 events: 1 of a core\n41 events; the 1 longest:\n");
	assert_in(out, "\ninfo: gaps came faster than they could be recorded\n");
	assert_in(out, TABLE_NO_SOURCE);
}

/* Numbers that nobody measured, and more stages than are kept. */
TEST_F(start, teardown, test_hostile_stages)
{
	char name[20];
	struct record_gap gap = { .stage = "bare", .cpu = UINT32_MAX, .cause = "smi" };
	struct record_window window = { .stage = "bare",
					.n = UINT64_MAX,
					.windows = UINT64_MAX,
					.start_ns = UINT64_MAX,
					.len_ns = UINT64_MAX };
	struct record_cpu cpu = { .stage = "bare", .gaps = 3 };
	struct record_begin begin = a_begin;

	begin.config = "key=<set> threshold=nonsense \x01";
	record_send(&capture.link, RECORD_BEGIN, &begin);
	record_send(&capture.link, RECORD_GAP, &gap);
	record_send(&capture.link, RECORD_WINDOW, &window);
	gap.cpu = 1;
	gap.t_ns = gap.len_ns = UINT64_MAX;
	for (unsigned i = 0; i < 8; i++)
		record_send(&capture.link, RECORD_GAP, &gap);
	window = (struct record_window){ .stage = "bare", .windows = 1, .len_ns = 5 };
	cpu.tsc_offset_bound = (struct maybe){ UINT64_MAX, true };
	record_send(&capture.link, RECORD_CPU, &cpu);
	cpu.cpu = 1;
	record_send(&capture.link, RECORD_CPU, &cpu);
	gap.stage = name;
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		record_send(&capture.link, RECORD_GAP, &gap);
	}
	save_run(0);
	assert_int_equal(show(path[0], NULL, NULL), 0);
	assert_in(out, "were not looked for: the records of its windows");
	assert_in(out, "left out: 38 records beyond the maximum of a run");
	assert_int_equal(show("--json", path[0], NULL), 0);

	/* Times past the end of time are not searched. */
	start_again();
	record_send(&capture.link, RECORD_WINDOW, &window);
	gap.stage = "bare";
	for (unsigned i = 0; i < 8; i++)
		record_send(&capture.link, RECORD_GAP, &gap);
	record_send(&capture.link, RECORD_CPU, &cpu);
	save_run(0);
	assert_int_equal(show(path[0], NULL, NULL), 0);
	assert_in(out, "looked for in all 8 gaps: none\n(smi events: only the first 0)\n");
}

TEST_F(start, teardown, test_several_files)
{
	write_run("pass");
	save(0);
	start_again();
	write_run("fail");
	save(1);
	assert_int_equal(show(path[0], path[1], NULL), 1);
	assert_in(out, "0.log: run");
	assert_in(out, "1.log: run");
	assert_int_equal(show("/nonexistent", path[1], path[0]), 2);
	assert_in(out, "verdict: pass\n");
	assert_int_equal(show("-", NULL, NULL), 0);
	assert_in(out, "standard input: run 0123456789abcdef");
}

/* Two runs in one file, line by line in turn. */
static void write_interleaved(void)
{
	struct capture first = capture, second;

	start();
	capture.link.sid = 42;
	write_run("fail");
	second = capture;
	start();
	for (unsigned n = 0; n < RUN_LINES; n++) {
		const char *a = capture_at(&first, n), *b = capture_at(&second, n);

		capture_bytes(&capture, a, strcspn(a, "\n") + 1);
		capture_bytes(&capture, b, strcspn(b, "\n") + 1);
	}
	capture_free(&first);
	capture_free(&second);
}

TEST_F(start, teardown, test_json)
{
	write_run("pass");
	write_interleaved();
	save(0);
	assert_int_equal(show_json(), 1);
	assert_string_equal(err, "");
	assert_printed_count("runs", 2);
	assert_printed_is("runs|0|sid", "0123456789abcdef");
	assert_printed_is("runs|0|verdict", "pass");
	assert_printed_is("runs|1|sid", "000000000000002a");
	assert_printed_is("runs|1|verdict", "fail");
	assert_printed_is("runs|1|whole", "true");
	assert_null(printed_at("runs|0|records"));
	assert_printed_count("captures", 1);
	assert_int_equal(SHOW("--json", "/nonexistent"), 2);
	printed_read();
	assert_printed_count("runs", 0);
}

/* One of several runs is shown in every form, by its records and its verdict. */
TEST_F(start, teardown, test_one_run)
{
	write_run("pass");
	write_interleaved();
	save(0);
	assert_int_equal(show("--run", "0123456789ABCDEF", path[0]), 0);
	assert_in(out, "run 0123456789abcdef");
	assert_not_in(out, "000000000000002a");
	assert_int_equal(SHOW("--jsonl", "--run", "2a", path[0]), 1);
	assert_in(out, "\"sid\":\"000000000000002a\"");
	assert_not_in(out, "0123456789abcdef");
	assert_int_equal(SHOW("--json", "--run", "2a", path[0]), 1);
	assert_in(out, "\"verdict\":\"fail\"");
	assert_not_in(out, "0123456789abcdef");
	assert_int_equal(show("--run", "7", path[0]), 2);
	assert_in(err, "has no run with that sid; it has: 0123456789abcdef 000000000000002a\n");
	assert_int_equal(show("--run", "x", path[0]), 2);
	assert_in(err, "show: --run x: accepted: the sid of a run, 16 hex digits\n");
}

/* Six percentiles of 14 digits and more do not fit into 80 columns: they go on below. */
TEST_F(start, teardown, test_percentiles_fit)
{
	static const uint64_t pairs[][2] = { { 111000000000, 80 }, { 222000000000, 20 } };
	const char *line;

	record_send(&capture.link, RECORD_BEGIN, &a_begin);
	SEND_CPU(.stage = "bare", .gaps = 100, .exposure_ns = UINT64_C(1) << 50,
		 .max_ns = 222000000000, .histogram = { pairs, 2 });
	save_run(0);
	show(path[0], NULL, NULL);
	line = strstr(out, "\ngap lengths, us:\n");
	assert_non_null(line);
	assert_in(line, " p99 ");
	assert_in(line, " MAX\n");
	for (line = strchr(line + 1, '\n') + 1; *line == ' '; line = strchr(line, '\n') + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
}

TEST_F(start, teardown, test_jsonl)
{
	struct capture clean;

	write_run("pass");
	clean = capture;
	start();
	capture_text(&capture, "firmware \x1b[0m");
	capture_bytes(&capture, clean.bytes, clean.count);
	capture_text(&capture, "{\"nf\":1,\"sid\":\"01{\"nf\":\r\n");
	capture_bytes(&capture, clean.bytes, clean.count);
	save(0);
	assert_int_equal(show("--jsonl", path[0], NULL), 0);
	assert_string_equal(out, clean.bytes);
	capture_free(&clean);
}

TEST_GROUP(make_folder, remove_folder);
