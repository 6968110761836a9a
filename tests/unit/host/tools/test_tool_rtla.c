/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rtla prints by its options: histograms without a title or a summary, the text of actions,
 * and the analysis of a latency that ended a run, which rteval has in its report.
 */
#include "tests/unit/common/test.h"
#include "tests/unit/tool_text.h"

/* With --no-summary the longest is in the last bucket with a count, or past the last bucket. */
TEST_F(NULL, tool_teardown, test_no_summary)
{
	assert_read(tool_file("by-hand/rtla-timerlat-hist-no-summary.txt"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
	assert_range(tool_at(0, 0)->max_ns, 7000, 7999);
	/* 6 + 9830 + 120 + 30 + 8 + 1 + 1 */
	assert_int_equal(tool_at(0, 0)->events.low, 9996);
	/* Usr-001: 3 past the last bucket. */
	assert_range(tool_at(0, 1)->max_ns, 7000, RANGE_OPEN);
	assert_exact(tool_at(0, 1)->events, 10000);
	/* One that is past the last bucket is longer than those in it, which are another core's. */
	assert_int_equal(tool_string("$ rtla timerlat hist --no-summary\n"
				     "# RTLA timerlat histogram\nIndex IRQ-000 IRQ-001\n1 5 5\n"
				     "7 0 1\nover: 1 0\n"),
			 1);
	assert_range(tool_at(0, 0)->max_ns, 7000, RANGE_OPEN);
	assert_range(tool_at(0, 1)->max_ns, 7000, 7999);
	/* rtla osnoise has a sum of its noises, too. */
	assert_int_equal(
		tool_string("$ rtla osnoise hist --no-summary -c 2\n"
			    "# RTLA osnoise histogram\nIndex CPU-002\n4 3\n6 1\nover: 0\n"),
		1);
	assert_string_equal(tool_reported, "");
	assert_int_equal(tools.at[0].notes, 0);
	assert_exact(tool_at(0, 2)->events, 4);
	assert_range(tool_at(0, 2)->sum_ns, 18000, 3 * 5999 + 7999);
}

#define TIMERLAT "# RTLA timerlat histogram\nIndex IRQ-000 Thr-000\n1 5 0\n7 0 5\n"

/* Without "over:" the output was cut; without the summary too, unless the command disables it. */
TEST_F(NULL, tool_teardown, test_cut)
{
	static const char command[] = "$ rtla timerlat hist --no-summary\n";
	char text[300];

	snprintf(text, sizeof(text), "%s%s", command, TIMERLAT);
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:5: rtla timerlat hist: truncated before its \"over:\"");
	assert_int_equal(tool_string(TIMERLAT "over: 0 0\n"), 0);
	assert_printed("truncated before its \"max:\"");
	snprintf(text, sizeof(text), "%s%sover: 0 0\n", command, TIMERLAT);
	assert_int_equal(tool_string(text), 1);
	assert_int_equal(tool_string("# RTLA osnoise histogram\nIndex CPU-002\n4 3\nover: 0\n"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_CUT);
}

/* Rows without a header, which do not name their cores, are not read. */
TEST_F(NULL, tool_teardown, test_no_header)
{
	assert_int_equal(tool_file("by-hand/rtla-osnoise-hist-no-header.txt"), 0);
	assert_printed(":1: --no-header leaves out of which cores the numbers are");
	/* Nor does its command line describe the next output. */
	assert_int_equal(tool_string("$ rtla timerlat hist -n --no-header\n0 1\nover: 0\n" TIMERLAT
				     "over: 0 0\ncount: 5 5\nmax: 1 7\n"),
			 0);
	assert_true(tools.failed);
}

/* The commands of rtla's actions print before the title, in its line, and after the end. */
TEST_F(NULL, tool_teardown, test_actions)
{
	static const char log[] =
		"$ rtla timerlat hist -T 2 -c 0 --stack-format full --on-threshold "
		"shell,command='echo -n 1' --on-threshold continue --on-end "
		"shell,command='cat /proc/uptime'\n"
		"1TestOutput\n1# RTLA timerlat histogram\n# Time unit is microseconds (us)\n"
		"# Duration:   0 00:00:05\nIndex   IRQ-000   Thr-000\n1          5000      4000\n"
		"3             0      1000\nover:         0         0\ncount:     5000      5000\n"
		"min:          1         1\navg:          1         1\nmax:          1         3\n"
		"ALL:        IRQ       Thr\ncount:     5000      5000\nmin:          1         1\n"
		"avg:       1.00      1.40\nmax:          1         3\n"
		"rtla timerlat hit stop tracing\n"
		"## CPU 0 hit stop tracing, analyzing it ##\n"
		"  IRQ latency:                                               1.20 us\n"
		"  Blocking thread:                                           2.10 us (67.00 %)\n"
		"    Blocking thread stack trace\n                -> timerlat_irq\n"
		"                -> 0xffffffff81000000\n                -> asm_sysvec\n"
		"  Thread latency:                                            3.13 us (100%)\n"
		"12345.67 23456.78\n";

	assert_read(tool_string(log), 1);
	assert_exact(tool_at(0, 0)->events, 5000);
	assert_range(tool_at(0, 0)->max_ns, 3000, 3999);
	/* Before 6.11 no row of all cores ends it. */
	assert_read(tool_string("# RTLA timerlat histogram\nIndex IRQ-000\n1 5\nover: 0\n"
				"count: 5\nmin: 1\navg: 1\nmax: 1\nstopped\n12345 1 2\n"),
		    1);
	assert_exact(tool_at(0, 0)->events, 5);
}

/* The heading names the core; an IRQ latency from idle may be of another core. */
TEST_F(NULL, tool_teardown, test_rteval_stopped)
{
	assert_read(tool_file("by-hand/rteval-stop-trace.txt"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_STOPPED);
	assert_int_equal(tools.at[0].cores, 1);
	assert_range(tool_at(0, 2)->max_ns, 123310, 123319);
	assert_int_equal(
		tool_string("   rteval (v3.10) report\n"
			    "          Command: rtla timerlat hist -T100\n\n"
			    "## CPU 1 hit stop tracing, analyzing it ##\n"
			    "IRQ latency:    98.12 us\nIRQ latency:    101.50 us (100 %)\n"
			    "Max timerlat IRQ latency from idle:7.12 us in cpu 3\n"
			    "          System:  (4 cores) Acme\n            Samples: 12\n"),
		1);
	assert_range(tool_at(0, 1)->max_ns, 101500, 101509);
	assert_range(tool_at(0, 3)->max_ns, 7120, 7129);
	assert_int_equal(tools.at[0].cores, 2);
	/* The IRQ's latency is only a part of the thread's latency, which is missing. */
	assert_int_equal(
		tool_string("   rteval (v3.10) report\n"
			    "          Command: rtla timerlat hist -T100\n"
			    "## CPU 1 hit stop tracing, analyzing it ##\n"
			    "IRQ latency:    98.12 us\nThread latency:    12\n3.13 us (100 %)\n"
			    "Max timerlat IRQ latency from idle:7.12 us in cpu 3\n"),
		0);
	assert_printed("rteval: truncated before its latency of 100 %");
}
