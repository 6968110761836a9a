/* SPDX-License-Identifier: BSD-2-Clause */
/* Tools that print tables: rtla, hwlatdetect, oslat, cyclictest, sysjitter; and detect-detour. */

#include "tests/unit/common/test.h"
#include "tests/unit/tool_text.h"

/* 5 periods, each cut to whole us. */
TEST_F(NULL, tool_teardown, test_rtla_top)
{
	const struct tool_core *core;

	assert_read(tool_file("rtla-osnoise-top.txt"), 1);
	assert_string_equal(tools.at[0].tool, "rtla osnoise top");
	assert_int_equal(tools.at[0].notes, 0);
	core = tool_at(0, 1);
	assert_exact(core->exposure_ns, 5000000000);
	assert_int_equal(core->exposure_from, TOOL_STATED);
	assert_range(core->sum_ns, 129535000, 129535000 + 5 * 999);
	assert_range(core->max_ns, 5572000, 5572999);
	assert_exact(core->cause[TOOL_HARDWARE].events, 1962);
	assert_exact(core->cause[TOOL_IRQ].events, 1270);
	assert_exact(core->cause[TOOL_THREAD].events, 221);
	assert_exact(core->cause[TOOL_NMI].ns, 0);
	assert_false(core->cause[TOOL_IRQ].ns.known);
	assert_false(core->events.known);
}

/*
 * rtla 6.12, of one core. Buckets of 1 us: their 662 noises come to 56379 us at least, 19 are past
 * the last bucket, 207 us, and the longest of them is 674; sums by a calculation of its own.
 */
TEST_F(NULL, tool_teardown, test_rtla_6_12)
{
	const struct tool_core *core;

	assert_read(tool_file("rtla-osnoise-top-6.12.txt"), 1);
	assert_string_equal(tools.at[0].tool, "rtla osnoise top");
	core = tool_at(0, 0);
	assert_exact(core->exposure_ns, 9000274000);
	assert_range(core->sum_ns, 62614000, 62614000 + 9 * 999);
	assert_range(core->max_ns, 691000, 691999);
	assert_exact(core->cause[TOOL_HARDWARE].events, 419);
	assert_exact(core->cause[TOOL_IRQ].events, 2269);
	assert_exact(core->cause[TOOL_THREAD].events, 414);

	assert_read(tool_file("rtla-osnoise-hist-6.12.txt"), 1);
	core = tool_at(0, 0);
	assert_range(core->exposure_ns, core->sum_ns.low, 11000000000);
	assert_int_equal(core->exposure_ns.value.value, 10000000000);
	assert_exact(core->events, 681);
	assert_range(core->max_ns, 674000, 674999);
	assert_range(core->sum_ns, (56379 + 18 * 208 + 674) * 1000, 69865319);
}

/* A screen that is drawn again is refused; a core has one row in a table. */
TEST_F(NULL, tool_teardown, test_rtla_redraw)
{
	static const char title[] = "Operating System Noise\n";
	static const char row[] = "  1 #2 2000000 138 99.99310 100 3 4 0 0 0 0\n";
	char text[400];

	assert_int_equal(tool_file("rtla-osnoise-top-redraw.txt"), 0);
	assert_printed(":6: a screen is drawn again here");
	assert_printed("of rtla with -q");
	snprintf(text, sizeof(text), "%s%s\x1b[1;1H\n%s%s", title, row, title, row);
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:4: a screen is drawn again here");
	snprintf(text, sizeof(text), "%s%s%s", title, row, row);
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:3: rtla osnoise top: not understood");
	/* The console was cleared before the table, and after it. */
	snprintf(text, sizeof(text), "\x1b[2J\x1b[Hboot\n%s%s\x1b[2J\nboot\n", title, row);
	assert_read(tool_string(text), 1);
}

TEST_F(NULL, tool_teardown, test_rtla_hwnoise)
{
	static const char text[] =
		"                                          Hardware-related Noise\n"
		"duration:   0 00:10:00 | time is in us\n"
		"CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single        "
		"  "
		"HW          NMI\n"
		"  1 #599       599000000          138    99.99997           3            3"
		"           4           74\n"
		"  2 #599       599000000          138    99.99997           3            3"
		"           4            0\n"
		"12 (3%) events missed, results might not be accurate\n";

	assert_read(tool_string(text), 1);
	assert_string_equal(tools.at[0].tool, "rtla hwnoise");
	assert_int_equal(tools.at[0].notes, TOOL_LOST);
	assert_exact(tool_at(0, 1)->exposure_ns, 599000000000);
	assert_range(tool_at(0, 1)->sum_ns, 138000, 138000 + 599 * 999);
	assert_exact(tool_at(0, 1)->cause[TOOL_NMI].events, 74);
	assert_false(tool_at(0, 1)->cause[TOOL_NMI].ns.known);
	/* Interrupts are off: what is no NMI is hardware. */
	assert_exact(tool_at(0, 1)->cause[TOOL_IRQ].ns, 0);
	assert_false(tool_at(0, 1)->cause[TOOL_HARDWARE].ns.known);
	assert_range(tool_at(0, 2)->cause[TOOL_HARDWARE].ns, 138000, 138000 + 599 * 999);
}

/* Max Noise of twelve digits touches the share before it. */
TEST_F(NULL, tool_teardown, test_rtla_touching)
{
	static const char text[] =
		"Operating System Noise\n"
		"  0 #9      900000000000 200000000000    77.77777123456789012  99999999999"
		"           4           74            0            0            0\n";

	assert_read(tool_string(text), 1);
	assert_range(tool_at(0, 0)->max_ns, UINT64_C(99999999999000), UINT64_C(99999999999999));
}

/*
 * Buckets of 50 us. Core 1: 2753 of 1 to 50 us, 332 of 50, 51 of 100, 20 of 150, 3 of 200,
 * 3 of 250, and one each of 350, 500, 600, 650, 950 and 1850 us; one past the last bucket,
 * the longest, of 2750 us. Lower edges: 2753 + 332 * 50 + 51 * 100 + 20 * 150 + 3 * 200 +
 * 3 * 250 + 4900 + 2750 = 36453 us.
 */
TEST_F(NULL, tool_teardown, test_rtla_hist)
{
	const struct tool_core *core;

	assert_read(tool_file("rtla-osnoise-hist.txt"), 1);
	core = tool_at(0, 1);
	assert_exact(core->events, 3169);
	assert_int_equal(core->sum_ns.low, 36453000);
	/* Each of 3169 events may be almost a bucket longer; those of bucket 0 begin at 1 us. */
	assert_int_equal(core->sum_ns.high, 36453000 + 3169 * 49999 - 2753 * 1000);
	assert_range(core->max_ns, 2750000, 2799999);
	/* How much of each period it watches is not known: at least as long as the noise was. */
	assert_range(core->exposure_ns, 36453000, 6000000000);
	assert_int_equal(core->exposure_ns.value.value, 5000000000);
	assert_int_equal(core->exposure_from, TOOL_ASSUMED);
	/* From 60 us on: those of 50 to 100 us count or not; 51, 20, 3, 3, 6 and 1 do. */
	assert_range(tool_sum_from(&tools.at[0], core, 60000), 17100000,
		     17100000 + 84 * 49999 + 332 * 99999);
	core = tool_at(0, 0);
	assert_exact(core->events, 3252);
	/* Six past 1900 us, the longest of them 8750 */
	assert_range(core->max_ns, 8750000, 8799999);
	assert_range(tool_sum_from(&tools.at[0], core, 1900000), 8750000 + 5 * 1900000,
		     6 * 8799999);
}

TEST_F(NULL, tool_teardown, test_rtla_hist_odd)
{
	static const char head[] = "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n"
				   "# Duration:   1 01:01:01\n";
	char text[400];

	snprintf(text, sizeof(text), "%sIndex   CPU-003\n0 5\n1 1\nover: 0\ncount: 7\nmax: 1\n",
		 head);
	assert_int_equal(tool_string(text), 0);
	assert_printed("buckets hold 6 in column 1, its count is 7");
	assert_printed("nothing of the file is");
	/* One bucket alone does not show how wide buckets are. */
	snprintf(text, sizeof(text), "%sIndex   CPU-003\n0 5\nover: 0\ncount: 5\nmax: 0\n", head);
	assert_int_equal(tool_string(text), 1);
	assert_range(tool_at(0, 3)->sum_ns, 5000, RANGE_OPEN);
	snprintf(text, sizeof(text), "%sIndex   CPU-003 CPU-004\n0 5\n", head);
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:5: rtla osnoise hist: not understood: \"0 5\"");
}

/* Without noise, no core is named, or only those that were asked for. */
TEST_F(NULL, tool_teardown, test_rtla_hist_quiet)
{
	static const char head[] = "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n"
				   "# Duration:   0 00:01:00\n";
	static const char *const bodies[] = {
		"over: \ncount:\nmin:\navg:\nmax:\n",
		"Index\nover: \ncount:\nmin:\navg:\nmax:\n",
		"Index\nover: 0\ncount: 0\nmin: 0\navg: 0\nmax: 0\n",
		"Index\n0     \n1     \nover: \ncount:\nmin:\navg:\nmax:\n",
	};
	char text[400];

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		print_message("%s", bodies[i]);
		snprintf(text, sizeof(text), "%s%s", head, bodies[i]);
		assert_read(tool_string(text), 1);
		assert_int_equal(tools.at[0].notes, 0);
		assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 0);
		assert_exact(tool_at(0, TOOL_ANY_CPU)->sum_ns, 0);
		assert_exact(tool_at(0, TOOL_ANY_CPU)->max_ns, 0);
		assert_false(tool_at(0, TOOL_ANY_CPU)->exposure_ns.known);
		snprintf(text, sizeof(text), "# noisefloor: cpus=2-3 exposure=60s\n%s%s", head,
			 bodies[i]);
		assert_int_equal(tool_string(text), 1);
		assert_int_equal(tools.at[0].cores, 2);
		assert_exact(tool_at(0, 3)->max_ns, 0);
		assert_exact(tool_at(0, 3)->exposure_ns, 60000000000);
	}
	/* Without its columns, or its end, it is not known whether there was one. */
	snprintf(text, sizeof(text), "%sover: 6 1\ncount: 7 1\n", head);
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:4: rtla osnoise hist: not understood: \"over: 6 1\"");
	snprintf(text, sizeof(text), "%sIndex\n", head);
	assert_int_equal(tool_string(text), 0);
	assert_printed("no figures in it");
}

/* A core with noise has a column, but rtla prints no noise if all is past the last bucket. */
TEST_F(NULL, tool_teardown, test_rtla_hist_all_over)
{
	static const char text[] = "# RTLA osnoise histogram\n# Duration:   0 00:01:00\n"
				   "Index   CPU-002   CPU-003\n"
				   "over: 0\ncount: 0\nmin: 0\navg: 0\nmax: 0\n";

	assert_int_equal(tool_string(text), 1);
	assert_printed("all noises of core 3 are past the last bucket");
	assert_range(tool_at(0, 2)->events, 1, RANGE_OPEN);
	assert_range(tool_at(0, 2)->max_ns, 1000, RANGE_OPEN);
	assert_range(tool_at(0, 2)->sum_ns, 1000, RANGE_OPEN);
}

/* Ten noises of 5 to 10 us in a minute, known to 1 s. */
#define HIST                                                                          \
	"# RTLA osnoise histogram\n# Time unit is microseconds (us)\n"                \
	"# Duration:   0 00:01:00\nIndex   CPU-001\n5          10\nover:         0\n" \
	"count:       10\nmin:          5\navg:          5\nmax:          5\n"

/* What the command line states of a histogram: threshold, share of the time, cores. */
TEST_F(NULL, tool_teardown, test_rtla_command)
{
	static const struct {
		const char *text;
		uint64_t threshold[2], exposure[3];
		enum tool_origin exposure_from;
		size_t cores;
	} cases[] = {
		{ HIST, { 1000, 5000 }, { 50000, 60000000000, 61000000000 }, TOOL_ASSUMED, 1 },
		{ "[root@rack7 ~]# rtla osnoise hist -r 9000 -d 1M -T 1\n" HIST,
		  { 1000, 1000 },
		  { 531000000, 540000000, 549000000 },
		  TOOL_STATED,
		  1 },
		{ "$ sudo rtla osnoise hist --runtime=9000 --period 100000 --threshold=3 --cpus "
		  "1-2 "
		  "--duration 1m --quiet | tee log\nhello\n" HIST,
		  { 3000, 3000 },
		  { 5310000000, 5400000000, 5490000000 },
		  TOOL_STATED,
		  2 },
		{ "+ rtla osnoise hist -c1 -DT2 -t trace.txt -E 10 2>/dev/null\n" HIST,
		  { 2000, 2000 },
		  { 59000000000, 60000000000, 61000000000 },
		  TOOL_ASSUMED,
		  1 },
		{ "# rtla osnoise hist -a 100\n" HIST,
		  { 1000, 1000 },
		  { 59000000000, 60000000000, 61000000000 },
		  TOOL_ASSUMED,
		  1 },
		/* The time it was to run counts, as the time it ran is not printed. */
		{ "# rtla osnoise hist -d 1M -r 500000\n# RTLA osnoise histogram\nIndex CPU-001\n"
		  "5 10\nover: 0\ncount: 10\nmax: 5\n",
		  { 1000, 5000 },
		  { 29500000000, 30000000000, 30500000000 },
		  TOOL_STATED,
		  1 },
		{ "# rtla osnoise hist --duration=2h\n# RTLA osnoise histogram\nIndex CPU-001\n"
		  "5 10\nover: 0\ncount: 10\nmax: 5\n",
		  { 1000, 5000 },
		  { 7199000000000, 7200000000000, 7201000000000 },
		  TOOL_ASSUMED,
		  1 },
		/* What a line before the command states is used. */
		{ "# noisefloor: threshold=7us exposure=2s\n# rtla osnoise hist -T 4 -r "
		  "9000\n" HIST,
		  { 7000, 7000 },
		  { 2000000000, 2000000000, 2000000000 },
		  TOOL_STATED,
		  1 },
		/* There is no command, or another tool's, or one that is not understood. */
		{ "I ran rtla osnoise hist with -T 3 and got\n" HIST,
		  { 1000, 5000 },
		  { 50000, 60000000000, 61000000000 },
		  TOOL_ASSUMED,
		  1 },
		{ "# rtla osnoise top -T 3\n" HIST,
		  { 1000, 5000 },
		  { 50000, 60000000000, 61000000000 },
		  TOOL_ASSUMED,
		  1 },
		{ "# rtla osnoise hist -T 3us\n" HIST,
		  { 1000, 5000 },
		  { 50000, 60000000000, 61000000000 },
		  TOOL_ASSUMED,
		  1 },
		{ "# rtla osnoise hist -T\n" HIST,
		  { 1000, 5000 },
		  { 50000, 60000000000, 61000000000 },
		  TOOL_ASSUMED,
		  1 },
		/* A terminal of 80 columns may have broken the number: 9 or 9000. */
		{ "[root@rack7 measurements]# rtla osnoise hist -P f:95 --warm-up 1 -d 1M -T 1 -r "
		  "9\n"
		  "000\n" HIST,
		  { 1000, 5000 },
		  { 50000, 60000000000, 61000000000 },
		  TOOL_ASSUMED,
		  1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tool_core *core;

		print_message("%.*s\n", (int)strcspn(cases[i].text, "\n"), cases[i].text);
		assert_read(tool_string(cases[i].text), 1);
		assert_int_equal(tools.at[0].cores, cases[i].cores);
		assert_range(tools.at[0].threshold_ns, cases[i].threshold[0],
			     cases[i].threshold[1]);
		assert_int_equal(tools.at[0].threshold_from,
				 cases[i].threshold[1] == 5000 ? TOOL_ASSUMED : TOOL_STATED);
		core = tool_at(0, 1);
		assert_range(core->exposure_ns, cases[i].exposure[0], cases[i].exposure[2]);
		assert_int_equal(core->exposure_ns.value.value, cases[i].exposure[1]);
		assert_int_equal(core->exposure_from, cases[i].exposure_from);
		if (cases[i].cores == 2) {
			assert_exact(tool_at(0, 2)->events, 0);
			assert_range(tool_at(0, 2)->exposure_ns, cases[i].exposure[0],
				     cases[i].exposure[2]);
		}
	}
}

/* A table has a command line, too; each command is for the output that follows it only. */
TEST_F(NULL, tool_teardown, test_rtla_command_once)
{
	static const char text[] = "# rtla hwnoise -c 0-3 -T 2\nHardware-related Noise\n"
				   "  1 #2 2000000 138 99.99310 100 3 4 0\n"
				   "# rtla osnoise hist -T 3\n" HIST
				   "# rtla osnoise top -T 4\n# rtla osnoise top -T x\n"
				   "Operating System Noise\n"
				   "  1 #2 2000000 138 99.99310 100 3 4 0 0 0 0\n" HIST;

	assert_read(tool_string(text), 4);
	assert_exact(tools.at[0].threshold_ns, 2000);
	assert_int_equal(tools.at[0].threshold_from, TOOL_STATED);
	/* A core that is not in the table was not watched to the end of a period. */
	assert_int_equal(tools.at[0].cores, 1);
	assert_exact(tools.at[1].threshold_ns, 3000);
	assert_range(tools.at[2].threshold_ns, 1000, 5000);
	assert_range(tools.at[3].threshold_ns, 1000, 5000);
}

#define DETECT_HEAD                                 \
	"hwlatdetect:  test duration 900 seconds\n" \
	"   detector: tracer\n"                     \
	"   parameters:\n"

#define DETECT_TIMES                             \
	"        Sample window:     1000000us\n" \
	"        Sample width:      500000us\n"  \
	"     Non-sampling period:  500000us\n"  \
	"        Output File:       None\n\n"    \
	"Starting test\ntest finished\n"

/* 2.10 prints core and count; one thread watched 900 windows of 0.5 s, of unknown cores. */
TEST_F(NULL, tool_teardown, test_hwlatdetect)
{
	static const char text[] = DETECT_HEAD
		"        CPU list:          None\n"
		"        Latency threshold: 10us\n" DETECT_TIMES "Max Latency: 48us\n"
		"Samples recorded: 2\n"
		"Samples exceeding threshold: 52\n"
		"MTBF: 12.345 seconds\n"
		"3 SMIs occured on cpu 0\n"
		"SMIs during run: 3\n"
		"ts: 1646837351.550312752, inner:46, outer:5, cpu:3, count:49\n"
		"ts: 2026-11-20 12:11:28, delta:29.999016, inner:48, outer:47, cpu:0, count:3\n";
	const struct tool_core *core;

	assert_read(tool_string(text), 1);
	assert_exact(tools.at[0].threshold_ns, 11000);
	assert_int_equal(tools.at[0].threshold_from, TOOL_STATED);
	assert_int_equal(tools.at[0].notes, TOOL_ONE_THREAD);
	assert_exact(tools.at[0].shared_ns, 450000000000);
	core = tool_at(0, 3);
	/* One of 46 us, 48 of at least 11 us */
	assert_exact(core->events, 49);
	assert_range(core->sum_ns, (46 + 48 * 11) * 1000, 49 * 46999);
	core = tool_at(0, 0);
	assert_range(core->events, 3, 6);
	assert_range(core->sum_ns, (48 + 47 + 11) * 1000, 3 * (48999 + 47999));
	assert_true(core->smi.known);
	assert_int_equal(core->smi.value, 3);
}

/* 1.x prints neither core nor count; 0 SMIs may mean that there is no counter. */
TEST_F(NULL, tool_teardown, test_hwlatdetect_old)
{
	static const char text[] = DETECT_HEAD
		"        Latency threshold: 0us\n" DETECT_TIMES "Max Latency: 46us\n"
		"Samples recorded: 1\nSamples exceeding threshold: 1\nSMIs during run: 0\n"
		"report saved to test.report (1 samples)\n"
		"ts: 1646837351.550312752, inner:46, outer:45\n";
	const struct tool_core *core;

	assert_read(tool_string(text), 1);
	assert_int_equal(tools.at[0].notes, TOOL_ONE_THREAD | TOOL_SMI_UNSURE);
	core = tool_at(0, TOOL_ANY_CPU);
	assert_range(core->max_ns, 46000, 46999);
	assert_range(core->sum_ns, 91000, 500046999);
	assert_exact(core->exposure_ns, 450000000000);
}

TEST_F(NULL, tool_teardown, test_hwlatdetect_quiet)
{
	static const char text[] = DETECT_HEAD
		"        CPU list:          1-2\n"
		"        Latency threshold: 10us\n" DETECT_TIMES "Max Latency: Below threshold\n"
		"Samples recorded: 0\nSamples exceeding threshold: 0\n";

	assert_read(tool_string(text), 1);
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tool_at(0, 2)->events, 0);
	assert_exact(tool_at(0, 2)->exposure_ns, 225000000000);
	assert_int_equal(tool_string(DETECT_HEAD "        Latency threshold: 10us\n"), 0);
	assert_printed("truncated before its \"Max Latency:\"");
	assert_true(tools.failed);
}

/* Samples are only counted: the longest, and 36 of at least 11 us. */
TEST_F(NULL, tool_teardown, test_hwlatdetect_counted)
{
	static const char text[] = DETECT_HEAD
		"        Latency threshold: 10us\n" DETECT_TIMES "Max Latency: 48us\n"
		"Samples recorded: 37\nSamples exceeding threshold: 37\n";

	assert_int_equal(tool_string(text), 1);
	assert_range(tool_at(0, TOOL_ANY_CPU)->events, 37, RANGE_OPEN);
	assert_range(tool_at(0, TOOL_ANY_CPU)->sum_ns, (48 + 36 * 11) * 1000, RANGE_OPEN);
}

#define DETECT_CUT                                                   \
	DETECT_HEAD "        Latency threshold: 10us\n" DETECT_TIMES \
		    "Max Latency: 48us\nSamples recorded: 37\n"

/* One of 37 is listed; the 36 others have 11 us or more, and the longest of them 48. */
TEST_F(NULL, tool_teardown, test_hwlatdetect_cut_list)
{
	assert_read(tool_string(DETECT_CUT "Samples exceeding threshold: 37\n"
					   "ts: 1646837351.550312752, inner:20, outer:5, "
					   "cpu:3, count:1\n"),
		    1);
	assert_int_equal(tools.at[0].notes, TOOL_ONE_THREAD | TOOL_PART_LISTED);
	assert_range(tool_at(0, 3)->max_ns, 20000, 20999);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 48000, 48999);
	assert_range(tool_at(0, TOOL_ANY_CPU)->events, 36, RANGE_OPEN);
	assert_range(tool_at(0, TOOL_ANY_CPU)->sum_ns, (48 + 35 * 11) * 1000, RANGE_OPEN);
	/* Old output does not name the core of the listed sample. */
	assert_int_equal(tool_string(DETECT_CUT "ts: 1646837351.550312752, inner:20, outer:5\n"),
			 1);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 48000, 48999);
	assert_range(tool_at(0, TOOL_ANY_CPU)->events, 37, RANGE_OPEN);
}

/* The longest is listed: the others are not longer. Turns may be missing from the list, too. */
TEST_F(NULL, tool_teardown, test_hwlatdetect_longest_is_listed)
{
	assert_int_equal(tool_string(DETECT_CUT "ts: 1646837351.5, inner:48, outer:5, cpu:3\n"), 1);
	assert_range(tool_at(0, 3)->max_ns, 48000, 48999);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 11000, 48999);
	assert_range(tool_at(0, TOOL_ANY_CPU)->sum_ns, 36 * 11000, RANGE_OPEN);
	assert_int_equal(tool_string(DETECT_HEAD
				     "        CPU list:          2-3\n"
				     "        Latency threshold: 10us\n" DETECT_TIMES
				     "Max Latency: 48us\nSamples recorded: 1\n"
				     "Samples exceeding threshold: 52\n"
				     "ts: 1646837351.5, inner:48, outer:5, cpu:3, count:49\n"),
			 1);
	assert_range(tool_at(0, TOOL_ANY_CPU)->events, 3, RANGE_OPEN);
	/* The two cores of the list share 450 s. */
	assert_exact(tool_at(0, 2)->exposure_ns, 225000000000);
	assert_false(tool_at(0, TOOL_ANY_CPU)->exposure_ns.known);
}

/*
 * 2.4 prints 1 us more than it measured, so 12044 us were 12043 to 12044. Core 0: 2229 turns
 * in buckets 2 to 31, whose lower edges sum up to 28746 us and upper edges to 30975; 463 of
 * 31 us and more, one of them the longest.
 */
TEST_F(NULL, tool_teardown, test_oslat_text)
{
	const struct tool_core *core;

	assert_read(tool_file("oslat.txt"), 1);
	assert_string_equal(tools.at[0].version, "2.40");
	assert_exact(tools.at[0].threshold_ns, 1000);
	assert_int_equal(tools.at[0].threshold_from, TOOL_STATED);
	core = tool_at(0, 0);
	assert_exact(core->exposure_ns, 3001000000);
	assert_int_equal(core->exposure_from, TOOL_STATED);
	assert_range(core->max_ns, 12043000, 12044000);
	assert_exact(core->events, 2229 + 463);
	assert_range(core->sum_ns, 28746000 + 462 * 31000 + 12043000,
		     30975000 + UINT64_C(463) * 12044000);
	assert_exact(tool_at(0, 1)->events, 2323 + 535);
	assert_false(core->cause[TOOL_HARDWARE].ns.known);
}

TEST_F(NULL, tool_teardown, test_oslat_json)
{
	const struct tool_core *core;

	assert_read(tool_file("oslat-2.4.json"), 1);
	assert_string_equal(tools.at[0].tool, "oslat");
	core = tool_at(0, 1);
	assert_range(core->max_ns, 3900000, 3901000);
	assert_exact(core->exposure_ns, 2000000000);
	/* 299 in 1..2, 27 in 2..3, 7 in 5..6, 18 in 6..7, 846 in 7 and up */
	assert_exact(core->events, 299 + 27 + 7 + 18 + 846);
	assert_range(core->sum_ns, (299 + 54 + 35 + 108 + 845 * 7 + 3900) * 1000,
		     (598 + 81 + 42 + 126) * 1000 + UINT64_C(846) * 3901000);
	assert_int_equal(tool_file("oslat.json"), 1);
	assert_range(tool_at(0, 0)->max_ns, 3557000, 3558000);
	assert_int_equal(tool_file("oslat-2.4.txt"), 1);
	assert_range(tool_at(0, 1)->max_ns, 12015000, 12016000);
}

static void read_oslat_2_6(const char *file, uint64_t threshold_ns, uint64_t exposure_ns)
{
	assert_read(tool_file(file), 1);
	assert_string_equal(tools.at[0].version, "2.60");
	assert_int_equal(tools.at[0].notes, 0);
	assert_exact(tools.at[0].threshold_ns, threshold_ns);
	assert_exact(tool_at(0, 0)->exposure_ns, exposure_ns);
}

/*
 * 2.6 takes a turn of 0.1 us for one of 1 us, and puts it into the bucket that ends at 2 us; so all
 * were 1 us shorter than their bucket shows: 459 of 1 to 2 us, 215 of 2 to 3, 35 to 4, 5 to 5, 4 to
 * 6, one each to 7, 8, 9 and 10, and 352 of 10 us and more, one of them the longest.
 */
TEST_F(NULL, tool_teardown, test_oslat_rounds_up)
{
	static const char *const files[] = { "oslat-2.6.txt", "oslat-2.6.json" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		read_oslat_2_6(files[i], 1000, 1998000000);
		assert_range(tool_at(0, 0)->max_ns, 21179000, 21180000);
		assert_exact(tool_at(0, 0)->events, 459 + 215 + 35 + 5 + 4 + 4 + 352);
		assert_range(tool_at(0, 0)->sum_ns,
			     (459 + 215 * 2 + 35 * 3 + 5 * 4 + 4 * 5 + 6 + 7 + 8 + 9 + 351 * 10 +
			      21179) *
				     1000,
			     (459 * 2 + 215 * 3 + 35 * 4 + 5 * 5 + 4 * 6 + 7 + 8 + 9 + 10) * 1000 +
				     UINT64_C(352) * 21180000);
	}
}

/*
 * Buckets of 500 ns, of times rounded up to ns: 37 turns of 499 to 999 ns, 29 to 1499, 149 to 1999,
 * 67 to 2499, and 201 of that and more, one of them the longest.
 */
TEST_F(NULL, tool_teardown, test_oslat_narrow_buckets)
{
	static const char *const files[] = { "oslat-2.6-500ns.txt", "oslat-2.6-500ns.json" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		read_oslat_2_6(files[i], 499, 1010000000);
		assert_range(tool_at(0, 0)->max_ns, 56573377, 56573378);
		assert_exact(tool_at(0, 0)->events, 37 + 29 + 149 + 67 + 201);
		assert_range(tool_at(0, 0)->sum_ns,
			     37 * 499 + 29 * 999 + 149 * 1499 + 67 * 1999 + 200 * 2499 + 56573377,
			     37 * 999 + 29 * 1499 + 149 * 1999 + 67 * 2499 +
				     UINT64_C(201) * 56573378);
	}
}

#define OSLAT_JSON(version, command, min, max, histogram)                                        \
	"{\n\"file_version\": 1,\n\"cmdline:\": \"" command "\",\n\"rt_test_version:\": "        \
	"\"" version "\",\n\"thread\": {\"0\": {\"cpu\": 0, \"freq\": 2597, \"min\": " min       \
	", \"avg\": 0.751652, \"max\": " max ", \"duration\": 1.500, \"histogram\": {" histogram \
	"}}}}\n"

/* The version decides how times were rounded; 2.10 may be 2.1. */
TEST_F(NULL, tool_teardown, test_oslat_versions)
{
	static const struct {
		const char *json;
		uint64_t low, high;
		uint32_t notes;
	} cases[] = {
		{ OSLAT_JSON("2.40", "oslat", "1", "9", "\"1\": 5, \"2\": 1"), 8000, 9000, 0 },
		{ OSLAT_JSON("2.50", "oslat", "1", "9", "\"1\": 5, \"2\": 1"), 8000, 9000, 0 },
		{ OSLAT_JSON("2.60", "oslat", "1", "9", "\"1\": 5, \"2\": 1"), 8000, 9000, 0 },
		{ OSLAT_JSON("2.70", "/usr/bin/oslat -b 9", "0", "9", "\"1\": 5, \"2\": 1"), 9000,
		  9999, 0 },
		{ OSLAT_JSON("2.8", "oslat", "0", "9", "\"1\": 5, \"2\": 1"), 9000, 9999, 0 },
		{ OSLAT_JSON("2.10", "oslat", "1", "9", "\"1\": 5, \"2\": 1"), 8000, 9999,
		  TOOL_VERSION },
		{ OSLAT_JSON("2.10", "oslat", "0", "9", "\"1\": 5, \"2\": 1"), 9000, 9999, 0 },
		{ OSLAT_JSON("3.1", "oslat", "0", "9", "\"1\": 5, \"2\": 1"), 9000, 9999,
		  TOOL_NEWER },
		{ OSLAT_JSON("", "oslat", "1", "9", "\"1\": 5, \"2\": 1"), 8000, 9999,
		  TOOL_VERSION },
		/* Buckets of 250 ns: max is in ns here. */
		{ OSLAT_JSON("2.10", "oslat -W 250 -b 9", "20", "2064311",
			     "\"0.250\": 43203393, \"0.500\": 7, \"2.000\": 622"),
		  2064311, 2064312, TOOL_VERSION },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_read(tool_string(cases[i].json), 1);
		assert_range(tool_at(0, 0)->max_ns, cases[i].low, cases[i].high);
		assert_int_equal(tools.at[0].notes, cases[i].notes);
		assert_exact(tool_at(0, 0)->exposure_ns, 1500000000);
	}
	assert_exact(tools.at[0].threshold_ns, 250);
	assert_exact(tool_at(0, 0)->events, 629);
	/* 7 of 250 to 500 ns; 621 of 1750 ns and more, and the longest */
	assert_range(tool_at(0, 0)->sum_ns, 7 * 250 + 621 * 1750 + 2064311,
		     7 * 500 + UINT64_C(622) * 2064312);
	/* A version that is not known may be any of them: 6 of 0 to 2 us, or one of 8 to 10. */
	tool_string(OSLAT_JSON("", "oslat", "1", "9", "\"1\": 5, \"2\": 6"));
	assert_range(tools.at[0].threshold_ns, 0, 1000);
	assert_range(tool_at(0, 0)->sum_ns, 8000, 6 * 9999);
	/* A later version may have fixed that: ns or us. */
	tool_string(OSLAT_JSON("2.12", "oslat -W 250", "20", "2064", "\"0.250\": 4, \"2.000\": 6"));
	assert_range(tool_at(0, 0)->max_ns, 2064, 2064999);
}

/* The same in text, which has no such defect. */
TEST_F(NULL, tool_teardown, test_oslat_narrow_text)
{
	static const char text[] = "oslat V 2.10\n        Core:\t 4\nCounter Freq:\t 2597 (MHz)\n"
				   "  0.250 (us):\t 43203393\n  0.500 (us):\t 7\n"
				   "  2.000 (us):\t 622 (including overflows)\n"
				   "     Minimum:\t 0.020 (us)\n     Average:\t 0.752 (us)\n"
				   "     Maximum:\t 2064.311 (us)\n    Duration:\t 0.998 (sec)\n";

	assert_read(tool_string(text), 1);
	assert_int_equal(tools.at[0].notes, 0);
	assert_range(tool_at(0, 4)->max_ns, 2064311, 2064312);
	assert_exact(tools.at[0].threshold_ns, 250);
	assert_int_equal(tool_string("oslat V 2.40\n Core: 4\n 001 (us): 9 9\n"), 0);
	assert_printed("in:3: oslat: not understood: \"001 (us): 9 9\"");
	assert_printed("truncated before its buckets, maximum or duration");
}

TEST_F(NULL, tool_teardown, test_json_refused)
{
	assert_int_equal(tool_string("{\n\"file_version\": 2, \"cmdline:\": \"oslat\",\n"
				     "\"thread\": {}}\n"),
			 0);
	assert_printed("in:2: \"file_version\" is not 1");
	tool_string("some chatter\n{\n  \"file_version\": 1,\n  \"cmdline:\" 3\n}\n");
	assert_printed("in:4: not JSON");
	tool_string("{\"cmdline:\": \"fio\", \"file_version\": 1, \"thread\": {}}\n");
	assert_printed("JSON of \"fio\": only oslat's and cyclictest's is known");
	tool_string("{\"file_version\": 1}\n");
	assert_printed("JSON, but neither rt-tests'");
	tool_string("{}\n");
	assert_printed("no known output in 3 bytes");
	tool_string(OSLAT_JSON("2.40", "oslat", "1", "-9", "\"1\": 5"));
	assert_printed("a thread with cpu, max, duration and histogram");
	assert_true(tools.failed || tools.at[0].notes & TOOL_DAMAGED);
}

TEST_F(NULL, tool_teardown, test_cyclictest)
{
	assert_read(tool_file("cyclictest.txt"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_UNIT_ASSUMED);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 28208000, 28208999);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 2931 + 1961);
	assert_false(tool_at(0, TOOL_ANY_CPU)->sum_ns.known);

	assert_read(tool_file("cyclictest.json"), 1);
	assert_string_equal(tools.at[0].tool, "cyclictest");
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_UNPINNED);
	assert_range(tool_at(0, 1)->max_ns, 3219000, 3219999);
	assert_exact(tool_at(0, 1)->events, 2996);

	assert_int_equal(tool_file("cyclictest-2.4-h8.json"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
	assert_range(tool_at(0, 1)->max_ns, 7465000, 7465999);
}

/* Two threads of 961 and 974 cycles, of no core each. */
TEST_F(NULL, tool_teardown, test_cyclictest_unpinned)
{
	assert_read(tool_file("cyclictest-2.6.txt"), 1);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 5623000, 5623999);

	assert_read(tool_file("cyclictest-2.6.json"), 1);
	assert_string_equal(tools.at[0].version, "2.60");
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_UNPINNED);
	assert_int_equal(tools.at[0].cores, 1);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 5623000, 5623999);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 961 + 974);
	/* Only -1 is no core. */
	tool_string("{\"file_version\": 1, \"cmdline:\": \"cyclictest\", \"thread\": "
		    "{\"0\": {\"cycles\": 7, \"max\": 208, \"cpu\": -2}}}\n");
	assert_printed("not understood: \"0\"");
}

TEST_F(NULL, tool_teardown, test_cyclictest_forms)
{
	static const char *const forms[] = {
		"T: 0 (  150) P:90 I:1000 C:      9 Min:     20 Act:   50 Avg:  102 Max:     100\n"
		"\x1b[1AT: 0 (  150) P:90 I:1000 C:   2931 Min:     20 Act:   50 Avg:  102 Max:   "
		" 208 SMI:       3\n",
		"# Total: 000002931\n# Min Latencies: 00020\n# Avg Latencies: 00102\n"
		"# Max Latencies: 00208\n# SMIs: 00003\n",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_read(tool_string(forms[i]), 1);
		assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 208000, 208999);
		assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 2931);
	}
	tool_string(
		"{\"file_version\": 1, \"cmdline:\": \"cyclictest -S\", \"resolution_in_ns\": 1,"
		" \"thread\": {\"0\": {\"cycles\": 7, \"max\": 208, \"cpu\": 2}}}\n");
	assert_exact(tool_at(0, 2)->max_ns, 208);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
}

/* cpu_mhz 2597 may be anything below 2598: times are up to 1 in 2598 too long. */
TEST_F(NULL, tool_teardown, test_sysjitter)
{
	const struct tool_core *core;

	assert_read(tool_file("sysjitter-1.4.summary.verbose.txt"), 1);
	assert_exact(tools.at[0].threshold_ns, 1000);
	core = tool_at(0, 1);
	assert_exact(core->exposure_ns, 3012125719);
	assert_exact(core->events, 1575);
	/* 862568872 / 2598 = 332012.6 */
	assert_range(core->sum_ns, 862568872 - 332013, 862568872);
	assert_int_equal(core->max_ns.high, 12019468);
	assert_int_equal(tool_string("core_i: 0 1\nthreshold(ns): 1000 1000\nint_n: 5\n"), 0);
	assert_printed("in:3: sysjitter: not understood: \"int_n: 5\"");
	assert_printed("it has no row \"runtime(ns):\"");
	assert_int_equal(tool_string("core_i: 0 1\nthreshold(ns): 1 1\nruntime(ns): 900 900\n"
				     "int_n: 5 5\nint_max(ns): 8 8\nint_total(ns): 7 70\n"),
			 0);
	assert_printed(
		"the figures of core 0 contradict each other: runtime 900, total 7, longest 8");
}

/*
 * sysjitter2 begins like sysjitter, and goes on with oslat's buckets. A label is at or above its
 * bucket, which may begin two units below it.
 */
TEST_F(NULL, tool_teardown, test_sysjitter2)
{
	assert_read(tool_file("sysjitter2-2.01.txt"), 1);
	assert_string_equal(tools.at[0].tool, "sysjitter2");
	assert_int_equal(tools.at[0].notes, 0);
	assert_int_equal(tools.at[0].cores, 8);
	assert_exact(tool_at(0, 4)->events, 1);
	assert_range(tool_at(0, 4)->max_ns, 2000, 3000);
	assert_exact(tool_at(0, 5)->exposure_ns, 999000000);
	assert_exact(tool_at(0, 2)->events, 0);
	assert_exact(tool_at(0, 2)->sum_ns, 0);
	assert_exact(tools.at[0].threshold_ns, 1000);
	assert_int_equal(tool_file("oslat-0.1.0.txt"), 1);
	assert_string_equal(tools.at[0].tool, "sysjitter2");
	/* 51 + 2 + 4 + 40 + 1 */
	assert_exact(tool_at(0, 2)->events, 98);
	assert_range(tool_at(0, 2)->max_ns, 5000, 6000);
	assert_range(tool_at(0, 2)->sum_ns, 51000 + 4000 + 12000 + 160000 + 5000,
		     102000 + 6000 + 16000 + 200000 + 6000);
	assert_int_equal(tool_string("core_i: 0\n001 (us): 5\n002 (us): 1\nmaxlat: 2 (us)\n"), 1);
	assert_printed("truncated before its buckets, maximum or duration");
	assert_int_equal(tools.at[0].notes & TOOL_CUT, TOOL_CUT);
	assert_int_equal(tool_string("core_i: 0\n001 (us): 5 6\n"), 0);
	assert_printed("in:2: sysjitter: not understood");
}

/* The core is in the name. 116116 cycles at 2597 to 2598 MHz. */
TEST_F(NULL, tool_teardown, test_sysjitter_raw)
{
	static const char head[] = "# cpu_mhz: 2597\n# threshold: 1000ns\n# n_interruptions: 2\n"
				   "# interruption: 0.01%\n# total_interruption: 118713 cycles\n"
				   "# total_runtime: 2597000000 cycles\n"
				   "# total_interruption: 0.000045711 s\n"
				   "# total_runtime: 1.000000000 s\n"
				   "#      Timestamp      delta   <== interruption =>\n"
				   "#         (nsec)     (usec)   (cycles)     (nsec)\n";
	const struct tool_core *core;
	char text[1000];

	snprintf(text, sizeof(text), "%s%s", head,
		 "         1148355          0     116116      44711\n"
		 "         2148355       1000       2597       1000\n");
	assert_read(tool_bytes("dir.1/raw.07", text, strlen(text)), 1);
	core = tool_at(0, 7);
	assert_exact(core->events, 2);
	assert_exact(core->exposure_ns, 1000000000);
	assert_exact(tools.at[0].threshold_ns, 1000);
	assert_range(core->max_ns, 116116000 / 2598, 44711 + 1);
	assert_range(core->sum_ns, 44694 + 999, 44712 + 1001);
	/* The file is sorted, without its deltas, and cut. */
	snprintf(text, sizeof(text), "%s%s", head, "         1148355     116116      44711\n");
	assert_int_equal(tool_bytes("raw", text, strlen(text)), 1);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 44694, 44712);
	assert_printed("its header counts 2 interruptions, but there are 1");
	assert_int_equal(tools.at[0].notes, TOOL_CUT);
}

/* The output is as in the paper's figures. */
TEST_F(NULL, tool_teardown, test_detour)
{
	static const char text[] =
		"# taskset -c 255 detect-detour.py --pname allreduce --threshold 300000 --cont\n"
		"Number of processes monitored: 128\n"
		"Tracing detour events continuously ...\nHit Ctrl-c to end forcefully.\n"
		"[445283.508877] Softirq: CPU: 20   Pid: 748187 [allreduce]   Duration: 349933   "
		"SIRQ: 1 [TIMER]\n"
		"Target file=/tmp/trace_data/cpu70-20250408-121042958018\n"
		"[445284.508877] Sched: CPU: 20   Pid: 748187 [allreduce]   Duration: 500001   "
		"PidNew: 1774 [khugepaged]\n"
		"[445285.508877] Irq: CPU: 1   Pid: 748187 [allreduce]   Duration: 300000   "
		"IRQ: 24 [nvme]\n"
		"All traced processes have exited\n";
	const struct tool_core *core;

	assert_read(tool_string(text), 1);
	assert_int_equal(tools.at[0].notes, TOOL_BLIND);
	assert_exact(tools.at[0].threshold_ns, 300000);
	assert_int_equal(tools.at[0].threshold_from, TOOL_STATED);
	core = tool_at(0, 20);
	assert_exact(core->sum_ns, 849934);
	assert_exact(core->max_ns, 500001);
	assert_exact(core->cause[TOOL_SOFTIRQ].ns, 349933);
	assert_exact(core->cause[TOOL_THREAD].ns, 500001);
	assert_exact(core->cause[TOOL_IRQ].ns, 0);
	assert_assumed(core, 2000300000);
	assert_exact(tool_at(0, 1)->cause[TOOL_IRQ].ns, 300000);
	/* NMIs are not among its hooks. */
	assert_false(core->cause[TOOL_NMI].ns.known);
	assert_int_equal(core->offenders, 2);
	assert_string_equal(core->offender[0].name, "khugepaged");
	assert_string_equal(core->offender[1].name, "TIMER");
	assert_string_equal(tool_at(0, 1)->offender[0].name, "nvme:24");
}

/* The latest of three contexts bounds the floor; "ALL" is no core. */
TEST_F(NULL, tool_teardown, test_timerlat)
{
	static const char none[] = "# RTLA timerlat histogram\n# Time unit is nanoseconds (ns)\n"
				   "Index   IRQ-000   Thr-000\n6000 1 0\nover: 0 0\n"
				   "count: 1 0\nmin: 6012 -\navg: 6012 -\nmax: 6012 -\n";

	assert_read(tool_file("rtla-timerlat-top.txt"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
	assert_int_equal(tools.at[0].cores, 4);
	assert_exact(tool_at(0, 3)->events, 12322);
	assert_range(tool_at(0, 3)->max_ns, 34000, 34999);
	assert_false(tool_at(0, 3)->sum_ns.known);

	assert_read(tool_file("rtla-timerlat-hist.txt"), 1);
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tool_at(0, 1)->events, 1000);
	assert_range(tool_at(0, 1)->max_ns, 24000, 24999);
	assert_range(tool_at(0, 2)->max_ns, 15000, 15999);

	assert_int_equal(tool_string(none), 1);
	assert_exact(tool_at(0, 0)->max_ns, 6012);
	assert_int_equal(tool_string("# RTLA timerlat histogram\nIndex IRQ-000\n0 1\n"), 0);
	assert_printed("truncated before its \"over:\"");
	assert_int_equal(tool_string("Timer Latency\n  0 #5 | 1 2 3 4 | 5 6\n"), 0);
	assert_printed("in:2: rtla timerlat top: not understood");
}

/* 400 loops of 2 us or more, 824 us in all, the longest 6: each is known to 1 us. */
TEST_F(NULL, tool_teardown, test_fwq)
{
	const struct tool_core *core;

	assert_read(tool_file("netgauge-fwq.txt"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_QUANTA);
	core = tool_at(0, TOOL_ANY_CPU);
	assert_exact(core->exposure_ns, 824000);
	assert_range(core->sum_ns, 6000 - 2000 - 1000, 824000 - 400 * 2000 + 400 * 1000);
	assert_range(core->max_ns, 0, 5000);
	assert_range(core->events, 1, RANGE_OPEN);

	/* LLNL's: ticks, exactly; the core is in the name. */
	tool_bytes("fwq.7", "# noisefloor: hz=2000000000\n1000\n1000\n3000\n", 43);
	assert_string_equal(tool_reported, "");
	core = tool_at(0, 7);
	assert_exact(core->exposure_ns, 2500);
	assert_exact(core->sum_ns, 1000);
	assert_range(core->max_ns, 0, 1000);
	tool_string("# noisefloor: hz=2000000000\n1000\n1000\n");
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 0);
	assert_int_equal(tool_string("# noisefloor: hz=2GHz\n1000\n"), 0);
	assert_printed("wanted: ticks per second");
}

/*
 * 381 loops of 2 us, 17 of 4 and one of 6; of 4890 us in all, those left out took 4054: one, or two
 * of 2027 each.
 */
TEST_F(NULL, tool_teardown, test_psnap)
{
	static const char nodes[] =
		"# P-SNAP: PAL System Noise Activity Program v1.0\n"
		"# 0 1.000000 3000 a\n0 1000 3 a\n# 1 -0.5 5000 b\n1 5000 1 b\n";

	assert_read(tool_file("psnap.txt"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_QUANTA | TOOL_UNPINNED);
	assert_exact(tool_at(0, 0)->exposure_ns, 4890000);
	assert_range(tool_at(0, 0)->sum_ns, (4890 - 401 * 2 - 401 * 2) * 1000,
		     (4890 - 400 * 2 + 401 * 2) * 1000);
	assert_range(tool_at(0, 0)->max_ns, 0, 4054000);
	/* Another node is another machine. */
	assert_int_equal(tool_string(nodes), 1);
	assert_printed("ranks of other nodes than a are left out");
	assert_int_equal(tools.at[0].cores, 1);
}

/* By exact fractions over its 59 quanta that have an end, the best of which did 374 in 99959 ns. */
TEST_F(NULL, tool_teardown, test_ftq)
{
	const struct tool_core *core;

	assert_read(tool_file("ftq.dat"), 1);
	core = tool_at(0, 1);
	assert_exact(core->exposure_ns, 23801263);
	assert_in_range(core->sum_ns.low, 19220614 - 59 * 2, 19220614);
	assert_in_range(core->sum_ns.high, 19248197, 19248197 + 59 * 2);
	/* 12267114.8 in one quantum, and 32797.8 at the end of the one before it. */
	assert_in_range(core->max_ns.high, 12299912, 12299915);
	assert_int_equal(core->max_ns.low, 0);
	assert_range(core->events, 57, RANGE_OPEN);
	assert_int_equal(tool_string("# Fixed Time Quantum Benchmark\n# cycle number    workload "
				     "iterations\n 0                32\n"),
			 0);
	assert_printed("netgauge's form has no times");
	assert_int_equal(tool_string("# Frequency 10000.0\n0 5\n0 6\n"), 0);
	assert_printed("in:3: FTQ: not understood: \"0 6\"");
}

/* 26.08 ms, of buckets that are at most 1/128 of that wide, printed to 10 us. */
TEST_F(NULL, tool_teardown, test_jhiccup)
{
	assert_read(tool_file("jhiccup.hgrm"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_UNPINNED);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 1070);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 26080000 - 203751 - 10000, 26080000 + 10000);
	assert_int_equal(tool_string("#[Overall percentile distribution between 0.000 and\n"), 0);
	assert_printed("truncated before its");
}

/* jHiccup's logs have the longest of all intervals, the end of a bucket of unknown width. */
TEST_F(NULL, tool_teardown, test_jhiccup_log)
{
	static const char *const texts[] = {
		"#[Logged with jHiccup version 2.0.3-SNAPSHOT]\n"
		"#[Histogram log format version 1.01]\n"
		"#[StartTime: 1403476110.183 (seconds since epoch), Mon Jun 23 10:28:30 NZST "
		"2014]\n"
		"\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\","
		"\"Interval_Compressed_Histogram\"\n"
		"0.127,1.007,2.769,HISTAAAAH3jaY2BgYGBgYAAA\n"
		"1.134,1.999,26.080,HISTAAAAH3jaY2BgYGBgYAAA+/==\n"
		"2.134,1.999,0.426,HISTAAAAH3jaY2BgYGBgYAAA\n",
		"#[Logged with jHiccup version 2.0.7-SNAPSHOT]\n"
		"#[Histogram log format version 1.2]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		"\"Interval_Compressed_Histogram\"\n"
		"Tag=c,0.127,1.007,2.769,HISTFAAAAEV42pNpmSz\n1.134,0.999,26.080,HISTFAAAAEV42\n",
		"#[Logged with jHiccup version 1.2.2] \n"
		"#[Sampling start time: Mon Mar 16 13:24:42 PDT 2015, (uptime at sampling start: "
		"0.433 seconds)]\n"
		"Time: IntervalPercentiles:count ( 50% 90% Max ) TotalPercentiles:count ( 50% 90% "
		"99% 99.9% 99.99% Max )\n"
		"1.127: I:980 (  0.020   0.030  26.080 ) T:980 (  0.020   0.030   0.2   0.9   2.5"
		"  26.080 )\n"
		"2.127: I:980 (  0.020   0.030   0.426 ) T:1960 (  0.020   0.030   0.2   0.9   2.5"
		"  26.080 )\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		print_message("%s", texts[i]);
		assert_read(tool_string(texts[i]), 1);
		assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_UNPINNED);
		assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 26080000 - 13040001 - 1000,
			     26080000 + 1000);
		assert_false(tool_at(0, TOOL_ANY_CPU)->events.known);
	}
	assert_int_equal(tool_string("#[Logged with jHiccup version 2.0.3]\n0.127,1.0,x,HIST\n"
				     "0.127,1.007,99.9,HIST0.227,1.007,2.7,HIST\n"),
			 0);
	assert_printed("in:2: jHiccup: not understood: \"0.127,1.0,x,HIST\"");
	assert_printed("in:3: jHiccup: not understood: \"0.127,1.007,99.9,");
	/* A short time is in one of the narrowest buckets, which end every 16.384 us. */
	assert_int_equal(
		tool_string("#[Overall percentile distribution between\n#[Max = 0.426, Total "
			    "count = 9]\n#[Buckets = 18, SubBuckets = 256]\n"),
		1);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 426000 - 16384 - 1000, 426000 + 1000);
	/* Lines of other programs follow. */
	assert_read(tool_string("#[Logged with jHiccup version 2.0.3]\n0.127,1.007,2.7,HIST\n"
				"Tue Nov 25 19:31:00 UTC 2025\n12:30:01 up 2 days\n2 files\n"),
		    1);
	assert_int_equal(tool_string("#[Logged with jHiccup version 2.0.3]\n# nothing\n"), 0);
	assert_printed("truncated before its first interval");
	/* A log of HdrHistogram may be of anything. */
	assert_int_equal(tool_string("#[Histogram log format version 1.2]\n0.1,1.0,26.08,HIST\n"),
			 0);
	assert_printed("no known output");
}

/* Percentiles with another head, or none; two in one file are two. */
TEST_F(NULL, tool_teardown, test_jhiccup_plain)
{
	static const char legend[] = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
				     "        0.06 0.000000000000          1           1.00\n";
	static const char tail[] = "#[Mean    =        10.33, StdDeviation   =         5.89]\n"
				   "#[Max     =        26.08, Total count    =         1070]\n"
				   "#[Buckets =           18, SubBuckets     =          256]\n";
	char text[1500];

	snprintf(text, sizeof(text), "%s%s%s#[Max     = 7.5, Total count    = 9]\n", legend, tail,
		 legend);
	assert_read(tool_string(text), 2);
	assert_string_equal(tools.at[0].tool, "jHiccup");
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 26080000 - 203751 - 10000, 26080000 + 10000);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 1070);
	assert_exact(tool_at(1, TOOL_ANY_CPU)->events, 9);
	assert_int_equal(tool_at(1, TOOL_ANY_CPU)->max_ns.high, 7600000);
	snprintf(
		text, sizeof(text),
		"jHiccup histogram report, Fri Sep 06 09:12:33 MDT 2013 :\n--------------------\n\n"
		"Value, Percentile, TotalCountIncludingThisValue\n\n  0.06 0.0 1 1.0\n%s",
		tail);
	assert_read(tool_string(text), 1);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 1070);
	/* Another program's latencies, in its own words. */
	assert_int_equal(tool_string("  Value   Percentile   TotalCount 1/(1-Percentile)\n"
				     "#[Max     = 7.5, Total count    = 9]\n"),
			 0);
	assert_printed("no known output");
}

/*
 * rteval's report has figures of each core, else of the system; other sections have figures of
 * other kinds.
 */
TEST_F(NULL, tool_teardown, test_rteval_text)
{
	static const char head[] =
		"  ===================================================================\n"
		"   rteval (v3.7) report\n"
		"  -------------------------------------------------------------------\n"
		"   Test run:     2024-01-17 10:15:31\n"
		"   Run time:     0 days 0h 5m 0s\n\n"
		"   CPU cores:    2 (online: 2)\n"
		"       Executed loads:\n         - kcompile: make -j4\n\n"
		"   Measurements: \n       Latency test\n"
		"          Command: cyclictest -i100 -qm -h 3500 -p95 --threads=2 -a0,3 -D300\n\n"
		"          System:  (2 cores) Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz\n"
		"          Statistics: \n"
		"            Samples:           5999946\n            Mean:              3.2us\n"
		"            Min:               2us\n            Max:               31us\n\n";
	static const char cores[] =
		"          CPU core 0       Priority: 95\n          Statistics: \n"
		"            Samples:           2999973\n            Max:               31us\n\n"
		"          CPU core 3       Priority: 95\n          Statistics: \n"
		"            Samples:           2999973\n            Max:               17us\n\n";
	static const char tail[] =
		"  ===================================================================\n"
		"  Samples: 7\n  Max: 99us\n";
	char text[2000];

	snprintf(text, sizeof(text), "%s%s%s", head, cores, tail);
	assert_read(tool_string(text), 1);
	assert_string_equal(tools.at[0].tool, "rteval");
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tool_at(0, 3)->events, 2999973);
	assert_range(tool_at(0, 3)->max_ns, 17000, 17999);
	assert_range(tool_at(0, 0)->max_ns, 31000, 31999);
	snprintf(text, sizeof(text), "%s%s", head, tail);
	assert_int_equal(tool_string(text), 1);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 5999946);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 31000, 31999);
	snprintf(text, sizeof(text), "   rteval (v3.7) report\n   Command: stress --cpu 4\n%s",
		 cores);
	assert_int_equal(tool_string(text), 0);
	assert_printed("rteval: no figures in it");
}

TEST_F(NULL, tool_teardown, test_rteval_xml)
{
	static const char head[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<rteval version=\"3.7\">\n"
		"  <run_info days=\"0\" hours=\"0\" minutes=\"5\" seconds=\"0\">\n"
		"  <Measurements measurecpus=\"0,3\">\n";
	static const char section[] =
		"    <timerlat command_line=\"rtla timerlat hist -P f:95\" format=\"1.0\">\n"
		"      <system description=\"(2 cores) Xeon\">\n        <statistics>\n"
		"          <samples>5999946</samples>\n"
		"          <maximum unit=\"us\">31</maximum>\n        </statistics>\n"
		"      </system>\n"
		"      <core id=\"0\" priority=\"95\">\n        <statistics>\n"
		"          <samples>2999973</samples>\n"
		"          <minimum unit=\"us\">2</minimum>\n"
		"          <maximum unit=\"us\">31</maximum>\n        </statistics>\n"
		"      </core>\n"
		"      <core id=\"3\" priority=\"95\"><statistics><samples>2999973</samples>"
		"<maximum unit=\"us\">17</maximum></statistics></core>\n    </timerlat>\n";
	char text[2000];

	snprintf(text, sizeof(text), "%s%s<samples>9</samples>\n", head, section);
	assert_int_equal(tool_string(text), 1);
	assert_printed("rteval: truncated before its \"</rteval>\"");
	snprintf(text, sizeof(text), "%s%s<samples>9</samples>\n</rteval>\n", head, section);
	assert_read(tool_string(text), 1);
	assert_string_equal(tools.at[0].tool, "rteval");
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tool_at(0, 3)->events, 2999973);
	assert_range(tool_at(0, 3)->max_ns, 17000, 17999);
	assert_range(tool_at(0, 0)->max_ns, 31000, 31999);
	snprintf(text, sizeof(text),
		 "%s<timerlat x=\"\">\n<core id=\"0\">\n<samples>many</samples>\n", head);
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:7: rteval: not understood: \"<samples>many");
}
