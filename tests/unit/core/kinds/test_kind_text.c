/* SPDX-License-Identifier: BSD-2-Clause */
/* Each record type as people read it. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/kept_lines.h"

#define SECOND UINT64_C(1000000000)

static struct record_context context;

static const char *text_of(enum record_type type, const void *record)
{
	struct lines lines;

	forget_lines();
	lines_init(&lines, keep_line, NULL);
	record_kind_of(type)->text(&lines, record, &context);
	return kept_text;
}

static void assert_reads(enum record_type type, const void *record, const char *wanted)
{
	assert_string_equal(text_of(type, record), wanted);
}

static const struct record_event machine = {
	.t_ns = 12345678499,
	.len_ns = 152040,
	.cpus = 4,
	.first = 0,
	.last = 3,
	.skew_ns = 1250,
	.cause = "smi",
	.scope = "machine",
};

static void start(void);

TEST_F(start, NULL, test_event)
{
	struct record_event e = machine;

	assert_string_equal(record_kind_of(RECORD_EVENT)->head,
			    "     TIME(s)    LENGTH(us)   CPUS  SCOPE     CAUSE    FIRST   "
			    "LAST    SKEW(us)");
	assert_reads(RECORD_EVENT, &e,
		     "   12.345678         152.0      4  machine   smi          0   "
		     "   3         1.3\n");
	e.scope = NULL;
	e.cause = NULL;
	assert_non_null(strstr(text_of(RECORD_EVENT, &e), "      4  n/a       n/a          0"));
	e.scope = "cpu";
	e.partial = true;
	assert_non_null(strstr(text_of(RECORD_EVENT, &e), "      4  cpu+      n/a          0"));
}

/* Captures may hold anything: no number wraps. */
TEST_F(start, NULL, test_hostile_event)
{
	struct record_event e = machine;

	e.t_ns = e.len_ns = e.skew_ns = UINT64_MAX;
	assert_non_null(
		strstr(text_of(RECORD_EVENT, &e), "18446744073.709552  18446744073709551.6"));
}

TEST_F(start, NULL, test_log)
{
	struct record_log log = { .level = "warning", .text = "cpu 5 did not start" };

	assert_reads(RECORD_LOG, &log, "warning: cpu 5 did not start\n");
	log.text = "on 255 cores gaps came faster than they could be recorded, 18446744073 times "
		   "in all; that time is not counted as exposure";
	assert_reads(RECORD_LOG, &log,
		     "warning: on 255 cores gaps came faster than they could be recorded,\n"
		     "         18446744073 times in all; that time is not counted as exposure\n");
	/* No probe has such a level. */
	log.level = "a-level-that-takes-more-than-half-of-the-columns";
	assert_reads(RECORD_LOG, &log,
		     "a-level-that-takes-more-than-half-of-the-columns:\n"
		     "    on 255 cores gaps came faster than they could be recorded,\n"
		     "    18446744073 times in all; that time is not counted as exposure\n");
}

static const struct record_fault page_fault = {
	.stage = "handoff",
	.kind = "exception",
	.what = "page fault",
	.cpu = { 1, true },
	.vector = { 14, true },
	.syndrome = { 2, true },
	.pc = { 0x7e5f1234, true },
	.image = { 0x7e5f0000, true },
	.address = { 0x800000000, true },
	.doing = "mapping ECAM of segment 0x1",
	.steps = { "reading MSR 0x34", "entering the stage" },
};

TEST_F(start, NULL, test_fault)
{
	struct record_fault f = page_fault;

	assert_reads(RECORD_FAULT, &f,
		     "fault: page fault on cpu 1, at 0x7e5f1234 (image + 0x1234), address "
		     "0x800000000, vector 14, syndrome 0x2\n"
		     "  stage handoff; last step: mapping ECAM of segment 0x1\n"
		     "  before: reading MSR 0x34\n"
		     "  before: entering the stage\n");
	f = (struct record_fault){ .kind = "wait", .what = "a core that does not come back" };
	assert_reads(RECORD_FAULT, &f,
		     "fault: waited in vain for a core that does not come back\n"
		     "  stage none yet; last step: none\n");
	/* Captures may hold anything. */
	f = (struct record_fault){ .pc = { 1, true }, .image = { 2, true } };
	assert_non_null(strstr(text_of(RECORD_FAULT, &f), "(image + 0xffffffffffffffff)"));
}

TEST_F(start, NULL, test_source)
{
	struct record_source s = {
		.cause = "smi",
		.period_ns = 64000040,
		.jitter_ns = 12300,
		.fill_ppm = 985049,
		.events = 920,
		.chance_milli = -250900,
		.origin = "SWSMI timer 64 ms",
		.hint = "matches the SWSMI timer's 64 ms",
	};

	assert_string_equal(
		record_kind_of(RECORD_SOURCE)->head,
		"      PERIOD      JITTER   FILL(%)    EVENTS  CAUSE    CHANCE     LIKELY");
	assert_reads(RECORD_SOURCE, &s,
		     "  64.0000 ms     12.3 us     98.50       920  smi     "
		     " 1e-250     SWSMI timer 64 ms\n");
	s.origin = NULL;
	assert_non_null(strstr(text_of(RECORD_SOURCE, &s), "1e-250     matches the SWSMI"));
	s.hint = NULL;
	assert_non_null(strstr(text_of(RECORD_SOURCE, &s), "1e-250     n/a"));
}

TEST_F(start, NULL, test_periods)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "    0.000 us  " },
		{ 999999, "  999.999 us  " },
		{ 1000000, "   1.0000 ms  " },
		{ 1500049, "   1.5000 ms  " },
		{ 1500050, "   1.5001 ms  " },
		{ 999999999, "1000.0000 ms  " },
		{ 1000000000, "    1.0000 s  " },
		{ 3600000000000, " 3600.0000 s  " },
		{ UINT64_MAX, "18446744073.7096 s  " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_source s = { .period_ns = cases[i].ns };

		if (strncmp(text_of(RECORD_SOURCE, &s), cases[i].text, strlen(cases[i].text)))
			fail_msg("`%s` is not `%s`", kept_text, cases[i].text);
	}
}

TEST_F(start, NULL, test_pause)
{
	struct record_pause pause = {
		.from_ns = 2000000000,
		.until_ns = 3000000000,
		.least_ns = 400000000,
		.most_ns = 450000000,
		.clock = "rtc",
	};

	assert_reads(RECORD_PAUSE, &pause,
		     "hidden pause of 400 ms to 450 ms, between 2.00 s and 3.00 s: "
		     "rtc went on, the TSC stood still or was set back\n");
	pause.forward = true;
	assert_reads(RECORD_PAUSE, &pause,
		     "the TSC ran ahead of rtc by 400 ms to 450 ms, between 2.00 s "
		     "and 3.00 s\n");
	pause.pauses = 7;
	pause.worst_ns = 90000000;
	assert_reads(RECORD_PAUSE, &pause,
		     "the TSC ran ahead of rtc 7 times, by 400 ms to 450 ms in all "
		     "and 90.0 ms at the worst, between 2.00 s and 3.00 s\n");
	pause.forward = false;
	assert_reads(RECORD_PAUSE, &pause,
		     "hidden pause 7 times, of 400 ms to 450 ms in all and 90.0 ms "
		     "at the worst, between 2.00 s and 3.00 s: "
		     "rtc went on, the TSC stood still or was set back\n");
}

/* A window reads as `head` and the count of each counter: first SMIs', NMIs' behind it. */
static void assert_window(const struct record_window *w, const char *head, const char *smi,
			  const char *nmi)
{
	const char *text = text_of(RECORD_WINDOW, w), *at = text + strlen(head);
	char name[16], count[32];
	unsigned seen = 0;

	assert_memory_equal(text, head, strlen(head));
	for (int bytes; strcmp(at, "\n") != 0; at += bytes) {
		assert_memory_equal(at, "  ", 2);
		assert_int_equal(sscanf(at, " %15[a-z] %31[0-9n/a]%n", name, count, &bytes), 2);
		if (!strcmp(name, "smi")) {
			assert_int_equal(seen++, 0);
			assert_string_equal(count, smi);
		} else if (!strcmp(name, "nmi")) {
			assert_int_equal(seen++, 1);
			assert_string_equal(count, nmi);
		}
	}
	assert_int_equal(seen, 2);
}

TEST_F(start, NULL, test_window)
{
	struct record_window w = { .n = 3,
				   .windows = 1,
				   .len_ns = SECOND,
				   .gaps = 4,
				   .noise_ns = 312000,
				   .max_ns = 152000,
				   .smi = { 2, true },
				   .nmi = { 0, true } };

	context.windows = 10;
	assert_window(&w, "  3/10  4 gaps in 1.00 s  max 152 us  summed noise 312 us", "2", "0");
	w.windows = 4;
	w.gaps = 1;
	w.smi.known = false;
	assert_window(&w, "  3-6/10  1 gap in 1.00 s  max 152 us  summed noise 312 us", "n/a", "0");
	w.windows = 1;
	w.gaps = 0;
	context.windows = 0;
	assert_window(&w, "  3  0 gaps in 1.00 s", "n/a", "0");
	context.no_smi = true;
	assert_reads(RECORD_WINDOW, &w, "  3  0 gaps in 1.00 s\n");
}

TEST_F(start, NULL, test_begin)
{
	struct record_begin begin = {
		.machine = { "Acme", "Box", NULL, "Phoenix", "1.2", "01/02/2023", NULL },
		.cpu = { "GenuineIntel", "Xeon", 6, 143, 8, { 0x2b000590, true } },
		.cpus = { 4, 4, 3, "0-3", { 10200000, true } },
		.clock = { 2000000000, "cpuid15", true, { 2, true }, "hpet", { 12, true } },
		.began = "2025-01-31T12:34:56+01:00",
	};

	assert_reads(
		RECORD_BEGIN, &begin,
		"machine: Acme Box, board n/a, BIOS Phoenix 1.2 of 01/02/2023\n"
		"cpu:     Xeon, GenuineIntel family 6 model 143 stepping 8, microcode 0x2b000590\n"
		"cores:   4 found, 4 started, 3 measured, APIC ids 0-3, up in 10.2 ms\n"
		"clock:   2000000000 Hz by cpuid15, invariant, smallest step 2 ticks,\n"
		"         checked by hpet: 12 ppm apart\n"
		"began:   2025-01-31T12:34:56+01:00\n");
	begin.began = NULL;
	begin.cpu.microcode.known = begin.cpus.bringup_ns.known = false;
	begin.cpus.apic_ids = begin.clock.audited_by = NULL;
	begin.clock.quantum.value = 1;
	text_of(RECORD_BEGIN, &begin);
	assert_text("microcode n/a\n");
	assert_text("3 measured\n");
	assert_text("smallest step 1 tick,\n         no second clock to check it\n");
	assert_no_text("began");
	begin.clock.quantum = (struct maybe){ 0 };
	text_of(RECORD_BEGIN, &begin);
	assert_text("smallest step n/a,\n");
	begin.arch = "aarch64";
	begin.cpu.vendor = "Arm";
	begin.cpu.brand = "Neoverse N1 r4p1";
	begin.cpu.family = begin.cpu.stepping = 0x41;
	begin.cpu.model = 0xd0c;
	text_of(RECORD_BEGIN, &begin);
	assert_text("cpu:     Neoverse N1 r4p1, Arm family 0x41 model 0xd0c stepping 0x41,\n");
	memset(&begin.machine, 0, sizeof(begin.machine));
	text_of(RECORD_BEGIN, &begin);
	assert_text("machine: n/a\n");
	assert_no_text("BIOS");
}

/* The names that a machine has are whole, on as many lines as they take. */
TEST_F(start, NULL, test_long_names_are_continued)
{
	static char word[101];
	struct record_begin begin = { .machine = { .vendor = "Some Manufacturer of Computers, Inc.",
						   .product = word,
						   .board = "B" },
				      .cpu = { "GenuineIntel", "Xeon", 6, 143, 8, { 0 } },
				      .clock = { 1, "x", true, { 2, true }, NULL, { 0, false } } };

	memset(word, 'w', sizeof(word) - 1);
	text_of(RECORD_BEGIN, &begin);
	assert_text("machine: Some Manufacturer of Computers,\n         Inc.\n         www");
	/* A word without a blank is not cut. */
	assert_text("w, board B, BIOS n/a n/a of n/a\n");
}

TEST_F(start, NULL, test_stretch)
{
	struct record_stretch r = { .kernel = "adds",
				    .phase = "alone",
				    .cpu = 3,
				    .quanta = 1024,
				    .best = 66200,
				    .p50 = 0,
				    .p99 = 812,
				    .p999 = 31250,
				    .max = 9000000,
				    .mean = 123,
				    .gaps = { 1000100, true } };
	static const char head[] =
		"KERNEL PHASE    CPU   QUANTA   BEST(us)      P50      P99"
		"    P99.9      MAX     MEAN     GAPS    CLOCK      CPI     REST";

	assert_string_equal(record_kind_of(RECORD_STRETCH)->head, head);
	context.hz = 2 * SECOND;
	assert_reads(RECORD_STRETCH, &r,
		     "adds   alone      3     1024     33.100 1.000000 1.000812 1.031250 10.00000"
		     " 1.000123 1.000100      n/a      n/a      n/a\n");
	context.hz = 0;
	assert_non_null(strstr(text_of(RECORD_STRETCH, &r), "1024        n/a 1.000000"));
}

TEST_F(start, NULL, test_interfere)
{
	struct record_interfere r = {
		.kernel = "dram", .victim = 1, .ratio = 1350000, .bound = 1021000
	};

	assert_reads(RECORD_INTERFERE, &r,
		     "cpu 1 beside cpu 0: 1.350000 times (dram; chance: up to 1.021000)\n");
	r.group = "cache";
	assert_non_null(strstr(text_of(RECORD_INTERFERE, &r), "beside cache of cpu 0: "));
}

TEST_F(start, NULL, test_stage)
{
	struct record_stage s = { .sci_en = { 1, true }, .usb_owner = "os", .usb = "xhci os" };

	assert_reads(RECORD_STAGE, &s, "  ACPI mode on (SCI_EN 1)  USB owner os: xhci os\n");
	s = (struct record_stage){ .chipset = "Intel ICH9", .smi_enabled = "" };
	assert_reads(RECORD_STAGE, &s, "  SMI sources enabled (Intel ICH9): none\n");
	assert_reads(RECORD_STAGE, &(struct record_stage){ .stage = "bare" }, "");
}

static void start(void)
{
	context = (struct record_context){ 0 };
}
