/* SPDX-License-Identifier: BSD-2-Clause */
/* The table for people: columns, rows, totals, and what zero means. */
#include "core/report/table.h"

#include "tests/unit/cells.h"
#include "tests/unit/kept_lines.h"
#include "tests/unit/some_records.h"

#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
#define CORES  300

static struct lines lines;
static struct record_cpu cpus[CORES];
static uint32_t order[CORES];

static const char *print(size_t count)
{
	forget_lines();
	lines_init(&lines, keep_line, NULL);
	table_print(&lines, cpus, count, 0, order);
	return kept_text;
}

/* Cores that were sampled for a minute and had no gaps. */
static void calm(void)
{
	memset(cpus, 0, sizeof(cpus));
	for (uint32_t i = 0; i < CORES; i++) {
		cpus[i].stage = "handoff";
		cpus[i].cpu = i;
		cpus[i].exposure_ns = 60 * SECOND;
		cpus[i].smi = cpus[i].nmi = (struct maybe){ 0, true };
	}
}

/* All columns and their order stand here; other tests read those that they are about by name. */
TEST_F(calm, NULL, test_two_cores)
{
	cpus[0].exposure_ns = 1000 * SECOND;
	cpus[0].noise_ns = 190 * SECOND / 1000;
	cpus[0].max_ns = 152040;
	cpus[0].gaps = 4;
	cpus[0].smi.value = 3;
	cpus[0].nmi = (struct maybe){ 0, false };
	cpus[0].cause[CAUSE_SMI] = (struct cause_sum){ 3, 1 };
	cpus[0].cause[CAUSE_UNKNOWN] = (struct cause_sum){ 1, 1 };
	cpus[1].exposure_ns = 1000 * SECOND + 499;
	cpus[1].noise_ns = 1050;
	cpus[1].max_ns = 1050;
	cpus[1].gaps = 1;
	cpus[1].smi.value = 3;
	cpus[1].nmi.value = 2;
	cpus[1].cause[CAUSE_SMI] = (struct cause_sum){ 1, 1 };
	/* Two cores' noise, 190,001,050 ns, leaves 99.99049994 % of 2,000 s, rounded down. */
	assert_string_equal(
		print(2),
		"                                                                 gaps by cause\n"
		"CPU  RUNTIME(us)  NOISE(us)  %AVAILABLE  MAX(us)  GAPS  SMI  NMI  smi  unknown\n"
		"  0   1000000000   190000.0    99.98100    152.0     4    3  n/a    3        1\n"
		"  1   1000000000        1.1    99.99999      1.1     1    3    2    1        0\n"
		"all   2000000000   190001.1    99.99049    152.0     5    6  n/a    4        1\n");
}

#define BRIEF "NOISE(us) MAX(us) GAPS SMI NMI"

/* On a screen other lines have runtime, causes and bounds, and the worst cores are first. */
TEST_F(calm, NULL, test_brief)
{
	cpus[8].max_ns = 2050;
	cpus[8].gaps = cpus[8].smi.value = 1;
	cpus[8].cause[CAUSE_SMI] = (struct cause_sum){ 1, 1 };
	forget_lines();
	lines_init(&lines, keep_line, NULL);
	table_print(&lines, cpus, 2, TABLE_BRIEF, order);
	assert_int_equal(kept_lines, 4);
	for (size_t i = 0; i < 3; i++)
		assert_cells(kept_text, (const char *const[]){ "0", "1", "all" }[i], BRIEF,
			     "0.0 0.0 0 0 0");
	assert_no_text("RUNTIME");
	assert_no_text("AVAILABLE");
	forget_lines();
	table_print(&lines, cpus, 9, TABLE_BRIEF, order);
	assert_memory_equal(strchr(kept_text, '\n'), "\n  8 ", 5);
	assert_cells(kept_text, "8", BRIEF, "0.0 2.1 1 1 0");
	assert_no_text("smi");
	assert_no_text("worst");
	table_print(&lines, cpus, 17, TABLE_BRIEF, order);
	assert_text("the 16 worst of 17 cores\n");
}

/* On a processor without SMIs and NMIs there are no columns for them. */
TEST(test_no_smi)
{
	calm();
	cpus[0].smi = cpus[0].nmi = (struct maybe){ 0, false };
	cpus[0].gaps = 1;
	cpus[0].cause[CAUSE_EL3] = (struct cause_sum){ 1, 1 };
	forget_lines();
	lines_init(&lines, keep_line, NULL);
	table_print(&lines, cpus, 1, TABLE_NO_SMI, order);
	assert_text("MAX(us)  GAPS  el3\n");
	assert_no_text("SMI");
	assert_no_text("NMI");
}

TEST_F(calm, NULL, test_one_core_has_no_total)
{
	cpus[0].gaps = 1;
	cpus[0].smi.value = cpus[0].nmi.value = 1;
	print(1);
	assert_int_equal(kept_lines, 2);
	assert_no_text("all");
	print(0);
	assert_int_equal(kept_lines, 0);
}

TEST_F(calm, NULL, test_columns_appear_when_needed)
{
	print(2);
	assert_no_text("DROPPED");
	assert_no_text("gaps by cause");
	assert_no_text("unknown");
	cpus[1].gaps = 8;
	cpus[1].dropped = 5;
	cpus[1].cause[CAUSE_STALL].gaps = 8;
	print(2);
	assert_cells(kept_text, "0", "DROPPED stall", "0 0");
	assert_cells(kept_text, "1", "DROPPED stall", "5 8");
	assert_no_text("unknown");
	assert_no_text("smi");
}

TEST_F(calm, NULL, test_available_is_rounded_down)
{
	static const struct {
		uint64_t exposure, noise;
		const char *expected;
	} cases[] = {
		{ 1000, 0, "100.00000" },
		{ UINT64_C(1000000000000000), 1, "99.99999" },
		{ 3, 1, "66.66666" },
		{ 1000, 1000, "0.00000" },
		{ 1000, 2000, "0.00000" },
		{ 0, 0, "n/a" },
		{ UINT64_MAX, UINT64_MAX / 4, "75.00000" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char cell[32];

		snprintf(cell, sizeof(cell), "%12s", cases[i].expected);
		cpus[0].exposure_ns = cases[i].exposure;
		cpus[0].noise_ns = cases[i].noise;
		print(1);
		assert_text(cell);
	}
}

/* Past TABLE_ALL cores: longest gap, then most noise, then lowest number. */
TEST_F(calm, NULL, test_worst_cores)
{
	const char *row;

	cpus[250].max_ns = 9000;
	cpus[7].max_ns = 8000;
	cpus[7].noise_ns = 8000;
	cpus[200].max_ns = 8000;
	cpus[200].noise_ns = 9000;
	print(255);
	assert_text("the 16 worst of 255 cores\n");
	row = strstr(kept_text, "\n250 ");
	assert_non_null(row);
	row = strstr(row, "\n200 ");
	assert_non_null(row);
	row = strstr(row, "\n  7 ");
	assert_non_null(row);
	row = strstr(row, "\n  0 ");
	assert_non_null(row);
	assert_text("\n 13 ");
	assert_no_text("\n 14 ");
	assert_text("\nall  15300000000 "); /* 255 minutes */
}

TEST_F(calm, NULL, test_all_cores_up_to_32)
{
	print(32);
	assert_no_text("worst");
	assert_text("\n 31 ");
	print(33);
	assert_text("the 16 worst of 33 cores\n");
	assert_no_text("\n 31 ");
}

TEST_F(calm, NULL, test_zero_carries_its_bound)
{
	print(1);
	assert_text("\nno gaps in 60.0 s: at most 3.00 per minute (95 %)\n");
	assert_text("\nno SMI in 60.0 s: at most 3.00 per minute (95 %)\n");
	assert_text("\nno NMI in 60.0 s: at most 3.00 per minute (95 %)\n");

	cpus[0].gaps = cpus[0].smi.value = 1;
	cpus[0].nmi.known = false;
	print(1);
	assert_no_text("no gaps");
	assert_no_text("no SMI");
	assert_no_text("no NMI");
}

TEST_F(calm, NULL, test_bound_fits_the_exposure)
{
	static const struct {
		uint64_t exposure;
		const char *expected;
	} cases[] = {
		/* 180/59.8 = 3.01003..., and a bound is rounded up. */
		{ 59800 * SECOND / 1000, "in 59.8 s: at most 3.02 per minute (95 %)" },
		{ 10 * SECOND, "in 10.0 s: at most 18.00 per minute (95 %)" },
		{ SECOND, "in 1.00 s: at most 180.00 per minute (95 %)" },
		{ SECOND / 10, "in 100 ms: at most 30.00 per second (95 %)" },
		{ 7200 * SECOND, "in 7200 s: at most 1.50 per hour (95 %)" },
		{ 30 * 86400 * SECOND, "in 2592000 s: at most 0.10 per day (95 %)" },
		{ 0, "in 0 ns: no bound on the rate" },
		{ UINT64_MAX, "in 18446744074 s: at most 0.01 per day (95 %)" },
		{ 1, "in 1 ns: at most 3000000000.00 per second (95 %)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cpus[0].exposure_ns = cases[i].exposure;
		print(1);
		assert_text(cases[i].expected);
	}
}

/* A bound for several cores must hold for the one that was watched least. */
TEST_F(calm, NULL, test_bound_of_several_cores)
{
	print(4);
	assert_text("\nno gaps on any of 4 cores in 60.0 s each:\n"
		    "    at most 3.00 per minute and core (95 %)\n");
	cpus[2].exposure_ns = 30 * SECOND;
	print(4);
	assert_text("\nno gaps on any of 4 cores in 30.0 s or more each:\n"
		    "    at most 6.00 per minute and core (95 %)\n");
	cpus[2].gaps = 1;
	cpus[1].smi.known = false;
	print(4);
	assert_text("\nno gaps on 3 of 4 cores in 60.0 s each: at most 3.00 per minute and core "
		    "(95 %)\n");
	assert_text("\nno SMI on 3 of 4 cores in 30.0 s or more each:\n"
		    "    at most 6.00 per minute and core (95 %)\n");
}

TEST_F(calm, NULL, test_between_windows)
{
	static const char counts[] = "\nbetween windows, all cores together: smi 10, nmi n/a";

	cpus[0].smi_out = cpus[1].smi_out = (struct maybe){ 5, true };
	cpus[0].nmi_out = (struct maybe){ 5, true };
	print(2);
	assert_text(counts);
	assert_non_null(strchr(",\n", strstr(kept_text, counts)[strlen(counts)]));
	cpus[0].smi_out = cpus[1].smi_out = (struct maybe){ 0, true };
	print(2);
	assert_no_text("between windows");
}

TEST_F(calm, NULL, test_everyday_width)
{
	for (uint32_t i = 0; i < 4; i++) {
		cpus[i].exposure_ns = 3600 * SECOND;
		cpus[i].noise_ns = 123456789;
		cpus[i].max_ns = 9876543;
		cpus[i].gaps = 12345;
		cpus[i].smi.value = 1234;
		cpus[i].cause[CAUSE_SMI].gaps = 1234;
		cpus[i].cause[CAUSE_NMI].gaps = 1;
		cpus[i].cause[CAUSE_UNKNOWN].gaps = 10000;
	}
	print(4);
	assert_in_range(longest_line, 60, 100);
}

/* Records come from captures: whatever they hold, nothing breaks. */
TEST_F(calm, NULL, test_any_records)
{
	static struct some some;
	union record r;

	for (unsigned round = 0; round < 50; round++) {
		for (size_t i = 0; i < CORES; i++) {
			some_start(&some, round * CORES + i);
			some_record(&some, RECORD_CPU, &r);
			cpus[i] = r.cpu;
		}
		print(round * CORES / 50);
		assert_in_range(kept_lines, round ? 2 : 0, 80);
	}
}

/* A busy run of 12 h in which all causes occur: those have a table of their own. */
TEST(test_causes_beside_or_below)
{
	calm();
	cpus[0].exposure_ns = 43200 * SECOND;
	cpus[0].noise_ns = 4320 * SECOND;
	cpus[0].max_ns = SECOND / 1000;
	cpus[0].gaps = 12000000;
	cpus[0].smi.value = 400000;
	cpus[0].cause[CAUSE_SMI] = (struct cause_sum){ 400000, 1 };
	cpus[0].cause[CAUSE_UNKNOWN] = (struct cause_sum){ 11600000, 1 };
	print(1);
	assert_cells(kept_text, "0", "RUNTIME(us) NOISE(us) %AVAILABLE MAX(us) GAPS SMI NMI",
		     "43200000000 4320000000.0 90.00000 1000.0 12000000 400000 0");
	assert_text("\n        gaps by cause\n"
		    "CPU     smi   unknown\n"
		    "  0  400000  11600000\n"
		    "no NMI in 43200 s: at most 0.25 per hour (95 %)\n");
	assert_int_equal(kept_lines, 6);
	assert_true(longest_line <= 80);
}

/* ---- Above the longest events ---- */

static const char *summary(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed)
{
	forget_lines();
	table_events(events, scope, listed, keep_line, NULL);
	return kept_text;
}

TEST(test_events)
{
	static const uint64_t all[SCOPES] = { 400, 3, 2, 1, 5 };
	static const uint64_t one[SCOPES] = { [SCOPE_MACHINE] = 1 };

	assert_string_equal(summary(411, all, 10),
			    "411 events: 400 on one cpu, 3 of a core, 2 of a package, "
			    "1 of the machine,\n    5 of scope n/a; the 10 longest:\n");
	assert_string_equal(summary(1, one, 1), "1 event: 1 of the machine:\n");
	assert_string_equal(summary(411, NULL, 10), "411 events; the 10 longest:\n");
	assert_string_equal(summary(0, NULL, 0), "0 events\n");
}
