/* SPDX-License-Identifier: BSD-2-Clause */
/* Wake-up latencies as stress-ng and jitterdebugger print them. */
#include "tests/unit/common/test.h"
#include "tests/unit/tool_text.h"

#define SAID "stress-ng: info:  [8827] cyclic: "

/* stress-ng kept the first 10,000 of 26,220 wake-ups: the longest of all is not bounded. */
TEST_F(NULL, tool_teardown, test_stress_ng)
{
	assert_read(tool_file("stress-ng-0.15.06.txt"), 1);
	assert_string_equal(tools.at[0].tool, "stress-ng cyclic");
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_PART_LISTED);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 26220);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 2003805, RANGE_OPEN);
	assert_false(tool_at(0, TOOL_ANY_CPU)->sum_ns.known);
	/* stress-ng kept all wake-ups. */
	assert_read(tool_string(SAID "sched SCHED_DEADLINE: 100000 ns delay, 900 samples\n" SAID
				     "  mean: 23829.70 ns, mode: 3317 ns\n" SAID
				     "  min: 2688 ns, max: 5701735 ns, std.dev. 123502.57\n" SAID
				     "  99.90%:    1798633 ns\n" SAID "  99.99%:    5701735 ns\n"),
		    1);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 900);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->max_ns, 5701735);
}

TEST_F(NULL, tool_teardown, test_stress_ng_cut)
{
	static const char head[] = SAID "sched SCHED_FIFO: 100000 ns delay, 900 samples\n" SAID
					"  min: 2688 ns, max: 5701735 ns, std.dev. 123502.57\n";
	char text[1000];

	assert_int_equal(tool_string(head), 0);
	assert_printed("stress-ng cyclic: truncated before its \"99.99%:\"");
	snprintf(text, sizeof(text), "%s" SAID "  99.99%%:    57017\n35 ns\n", head);
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:3: stress-ng cyclic: not understood");
	assert_int_equal(tool_string(SAID "sched SCHED_FIFO: 100000 ns delay, 9\n00 samples\n"), 0);
	assert_printed("in:1: stress-ng cyclic: not understood");
	/* stress-ng's YAML has no latencies. */
	assert_int_equal(tool_string("metrics:\n    - stressor: cyclic\n      bogo-ops: 26220\n"),
			 0);
	assert_printed("no known output");
}

/* jitterdebugger with a thread on each core that is online. */
TEST_F(NULL, tool_teardown, test_jitterdebugger)
{
	assert_read(tool_file("jitterdebugger-0.3.json"), 1);
	assert_string_equal(tools.at[0].tool, "jitterdebugger");
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tool_at(0, 1)->events, 300);
	assert_range(tool_at(0, 1)->max_ns, 1777000, 1777999);
	assert_range(tool_at(0, 0)->max_ns, 3105000, 3105999);
}

#define THREAD \
	"{\"histogram\": {\"9\": 1},\n\"count\": 300,\n\"min\": 9,\n\"max\": 977,\n\"avg\": 9}"

/* A thread on one of two cores: its number does not name the core. Then ns, and malformed files. */
TEST_F(NULL, tool_teardown, test_jitterdebugger_forms)
{
	static const char form[] =
		"{\n \"version\": 3,\n \"sysinfo\": {\n  \"machine\": \"x86_64\",\n"
		"  \"cpus_online\": %s,\n  \"resolution_in_ns\": %s\n },\n"
		" \"cpu\": {\n  \"0\": %s\n }\n%s";
	char text[1000];

	snprintf(text, sizeof(text), form, "2", "1", THREAD, "}\n");
	assert_read(tool_string(text), 1);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->max_ns, 977);
	snprintf(text, sizeof(text), form, "1", "1000", THREAD, "}\n");
	assert_int_equal(tool_string(text), 1);
	assert_range(tool_at(0, 0)->max_ns, 977000, 977999);
	snprintf(text, sizeof(text), form, "1", "1000", THREAD, "");
	assert_int_equal(tool_string(text), 0);
	assert_printed("not JSON");
	snprintf(text, sizeof(text), form, "1", "0", THREAD, "}\n");
	assert_int_equal(tool_string(text), 0);
	assert_printed("jitterdebugger: wanted: \"cpus_online\" and \"resolution_in_ns\"");
	snprintf(text, sizeof(text), form, "1", "1000", "{\"max\": 4}", "}\n");
	assert_int_equal(tool_string(text), 0);
	assert_printed("wanted: a thread with max and count");
}
