/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several runs of one tool in a text: each is read, whatever stands between them.
 */

#include "tests/unit/common/test.h"
#include "tests/unit/tool_rows.h"

#define NOISE_HEAD(title, time)                                                                  \
	"                                          " title "\n"                                  \
	"duration:   0 " time " | time is in us\n"                                               \
	"CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW" \
	"          NMI          IRQ      Softirq       Thread\n"

#define NOISE(time, seconds, noise, max)           \
	NOISE_HEAD("Operating System Noise", time) \
	"  0 #" seconds " " seconds "000000 " noise " 99.90000 " noise " " max " 9 0 9 0 9\n"

/* A command line is not part of a table, nor is a prompt. */
TEST_F(NULL, tool_teardown, test_command_lines)
{
	static const char *const lines[] = {
		"root@rack7:~# rtla timerlat top -q -d 1m\n",
		"[root@rack7 ~]# ./again\n",
		"user@rack7:/tmp$\n",
		"# rtla timerlat top -q\n",
		"$ sudo taskset -c 1 rtla timerlat top\n",
		"rtla timerlat -q\n",
		"> $ sudo /usr/bin/rtla timerlat top\n",
	};
	char text[2000];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s", LATENCY("00:01:00", "60000", "17", "23"),
			 lines[i], LATENCY("00:01:01", "61000", "17", "23"));
		if (tool_string(text) != 2)
			fail_msg("%zu, with %s%s", tools.count, lines[i], tool_reported);
	}
}

/* What the kernel or the tool itself writes between is no command: the next row has none. */
TEST_F(NULL, tool_teardown, test_no_command_lines)
{
	static const char *const lines[] = {
		"rtla timerlat hit stop tracing\n",
		"[   35.814714] cyclictest invoked oom-killer: gfp_mask=0x100\n",
		"cyclictest-831 [001] d.h. 35.8: sched_wakeup: comm=x\n",
		"# cyclictest: no\n",
		"see rtla timerlat top\n",
		"mail@example.org wrote:\n",
		"\n",
	};
	char text[2000];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s", CYCLES("0", "1234", "900", "4", "17"),
			 lines[i], CYCLES("0", "1234", "901", "4", "17"));
		if (tool_string(text) != 1)
			fail_msg("%zu, with %s%s", tools.count, lines[i], tool_reported);
	}
}

/* Rows that stand alone, as people cut them, are no output. */
TEST_F(NULL, tool_teardown, test_without_title)
{
	assert_int_equal(tool_string(LATENCY_ROW("0", "60000", "17")), 0);
	assert_printed("no known output");
}

/* Each table is a run, as it stands. */
TEST_F(NULL, tool_teardown, test_osnoise_tables)
{
	assert_read(tool_string(NOISE("00:00:01", "1", "700", "90")
					NOISE("00:00:02", "2", "900", "90")),
		    2);
	assert_exact(tool_at(0, 0)->exposure_ns, 1000000000);
	assert_exact(tool_at(1, 0)->exposure_ns, 2000000000);
	/* What is stated is stated of the next. */
	assert_int_equal(tool_string("# noisefloor: threshold=1us\n" NOISE(
				 "00:00:05", "5", "700", "90") NOISE("00:00:06", "6", "800", "90")),
			 2);
	assert_int_equal(tools.at[0].threshold_from, TOOL_STATED);
	assert_int_equal(tools.at[1].threshold_from, TOOL_ASSUMED);
}

/* Two sessions are two, the same is drawn again by one; threads of one number are not. */
TEST_F(NULL, tool_teardown, test_cyclictest)
{
	static const struct {
		const char *text;
		size_t runs;
	} cases[] = {
		{ CYCLES("0", "1234", "900", "4", "17") CYCLES("1", "1235", "890", "4", "21")
			  CYCLES("0", "1234", "1900", "3", "18")
				  CYCLES("1", "1235", "1890", "4", "21"),
		  1 },
		{ CYCLES("0", "1234", "900", "4", "17") CYCLES("0", "1234", "899", "4", "17"), 2 },
		{ CYCLES("0", "1234", "900", "4", "17") CYCLES("0", "1234", "901", "4", "16"), 2 },
		{ CYCLES("0", "1234", "900", "4", "17") CYCLES("0", "1234", "901", "5", "17"), 2 },
		{ CYCLES("0", "1234", "900", "4", "17") CYCLES("0", "1240", "901", "4", "17"), 2 },
		{ CYCLES("0", "1234", "900", "4",
			 "17") "# /dev/cpu_dma_latency set to 0us\n" CYCLES("0", "1234", "901", "4",
									    "17"),
		  2 },
		{ CYCLES("0", "1234", "900", "4",
			 "17") "root@a:~# cyclictest -m -q\n" CYCLES("0", "1234", "901", "4", "17"),
		  2 },
		{ "# Total: 000002931\n# Min Latencies: 00020\n# Max Latencies: 00208\n"
		  "# Total: 000003931\n# Min Latencies: 00020\n# Max Latencies: 00209\n",
		  2 },
		{ "# Max Latencies: 00208\n# Max Latencies: 00209\n", 2 },
		{ "# Max Latencies: 00208\n" CYCLES("0", "1234", "900", "4", "17"), 2 },
		{ CYCLES("0", "1234", "900", "4",
			 "17") "# Total: 000000900\n# Max Latencies: 00017\n",
		  1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (tool_string(cases[i].text) != cases[i].runs || tool_reported[0])
			fail_msg("%zu runs, not %zu: case %zu\n%s%s", tools.count, cases[i].runs, i,
				 cases[i].text, tool_reported);
	}
}

/* Rows of exactly 80 columns, behind another output: one run. */
TEST_F(NULL, tool_teardown, test_rows_as_wide_as_a_terminal)
{
	static const char rows[] =
		"T: 0 (  143) P:80 I:10000 C:  43000 Min:      1 Act:    9 Avg:    9 Max:       5\n"
		"T: 1 (  144) P:80 I:10000 C:  43000 Min:      1 Act:    9 Avg:    9 Max:    9885\n"
		"T: 2 (  145) P:80 I:10000 C:  43000 Min:      1 Act:    9 Avg:    9 Max:       "
		"7\n";

	assert_int_equal(strlen(rows), 3 * 81);
	assert_read(tool_string(rows), 1);
	assert_longest(0, TOOL_ANY_CPU, 9885);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->events, 3 * 43000);
}
