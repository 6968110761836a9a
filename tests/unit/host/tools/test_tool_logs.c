/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tests/data/tools would repeat: the same rows behind many command lines, of many writers,
 * broken and encoded; and the names of causes.
 */
#include "tests/unit/common/test.h"
#include "tests/unit/tool_rows.h"

/*
 * Only the command line has the unit: found wherever the tool's name stands in a line, whatever
 * starts it. Without one, us is assumed, with a note.
 */
TEST_F(NULL, tool_teardown, test_cyclictest_in_ns)
{
	static const struct {
		const char *command;
		uint64_t ns;
		bool assumed;
	} cases[] = {
		{ "cyclictest -N -q", 61102, false },
		{ "cyclictest -mqN -p 90", 61102, false },
		{ "cyclictest --nsecs", 61102, false },
		{ "sudo cyclictest -m -N", 61102, false },
		{ "timeout 60 cyclictest -N -m -t1 -p 95", 61102, false },
		{ "nice -n -5 cyclictest -N", 61102, false },
		{ "stdbuf -oL cyclictest -N", 61102, false },
		{ "env LC_ALL=C cyclictest -N", 61102, false },
		{ "LC_ALL=C cyclictest -N", 61102, false },
		{ "ssh root@node 'cyclictest -N'", 61102, false },
		{ "docker run --rm rt cyclictest -N", 61102, false },
		{ "podman exec rt cyclictest -N", 61102, false },
		{ "kubectl exec rt -- cyclictest -N", 61102, false },
		{ "systemd-run --scope cyclictest -N", 61102, false },
		{ "setsid cyclictest -N", 61102, false },
		{ "cset shield --exec cyclictest -- -N", 61102, false },
		{ "strace -c cyclictest -N", 61102, false },
		{ "cgexec -g cpu:rt cyclictest -N", 61102, false },
		{ "taskset -c 1 chrt -f 90 /usr/bin/cyclictest -N", 61102, false },
		{ "sh -c \"cyclictest -N\"", 61102, false },
		{ "watch -n1 \"cyclictest -N | tail -1\"", 61102, false },
		{ "(time cyclictest -N) 2>&1 | tee log", 61102, false },
		{ "numactl -N 0 cyclictest -m -N", 61102, false },
		{ "cyclictest -n -q", 61102000, false },
		{ "numactl -N 0 cyclictest -q", 61102000, false },
		{ "cyclictest -q | grep -N", 61102000, false },
		{ "cyclictest -p90 -h N", 61102000, false },
		{ "cyclictest --nanosleep", 61102000, false },
		{ "./measure -N", 61102000, true },
		{ "", 61102000, true },
	};
	static const char *const prompts[] = { "root@rack7:~# ", "$ ", "+ ", "" };
	char text[500];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t n = 0; n < 4; n++) {
			snprintf(text, sizeof(text), "%s%s\n" ROW "\n", prompts[n],
				 cases[i].command);
			assert_int_equal(tool_string(text), 1);
			if (tool_at(0, TOOL_ANY_CPU)->max_ns.low != cases[i].ns ||
			    !(tools.at[0].notes & TOOL_UNIT_ASSUMED) == cases[i].assumed)
				fail_msg("%s", text);
		}
	}
}

/* What the user states counts where nothing else states it. */
TEST_F(NULL, tool_teardown, test_given)
{
	const struct tool_text plain = { "in", ROW "\n", strlen(ROW "\n") };
	static const char command[] = "$ cyclictest -q\n" ROW "\n";
	const struct tool_text with = { "in", command, sizeof(command) - 1 };

	tools.given = (struct tool_given){ .unit = TOOL_UNIT_NS };
	tool_read_text(&tools, &plain, tool_keep_complaint, NULL);
	tool_read_text(&tools, &with, tool_keep_complaint, NULL);
	assert_exact(tool_at(0, TOOL_ANY_CPU)->max_ns, 61102);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
	assert_range(tool_at(1, TOOL_ANY_CPU)->max_ns, 61102000, 61102999);
}

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

/* A file of which any line of an output cannot be read is refused, and none of it is read. */
static void assert_refused(const char *text, const char *why)
{
	if (tool_string(text) || !tools.failed || !strstr(tool_reported, why))
		fail_msg("%zu runs of\n%s%s", tools.count, text, tool_reported);
}

/* Rows of two, each behind the name of its writer. */
TEST_F(NULL, tool_teardown, test_writers)
{
	static const char *const names[][2] = {
		{ "node-1: ", "node-2: " },
		{ "rt_1  | ", "rt_2  | " },
		{ "[pod/a/rt] ", "[pod/b/rt] " },
		{ "Nov 22 21:50:01 rack7 rt[831]: ", "Nov 22 21:50:01 rack7 rt[832]: " },
	};
	char text[2000];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *a = names[i][0], *b = names[i][1];

		snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s", a,
			 CYCLES("0", "1234", "900", "4", "17"), b,
			 CYCLES("0", "1334", "900", "4", "61102"), a,
			 CYCLES("1", "1235", "900", "4", "21"), b,
			 CYCLES("1", "1335", "900", "4", "18"));
		assert_refused(text, "lines of several writers alternate");
		/* One after the other they are two runs. */
		snprintf(text, sizeof(text), "%s%s%s%s%s%s", a,
			 CYCLES("0", "1234", "900", "4", "17"), a,
			 CYCLES("1", "1235", "900", "4", "21"), b,
			 CYCLES("0", "1334", "900", "4", "61102"));
		assert_int_equal(tool_string(text), 2);
		assert_longest(0, TOOL_ANY_CPU, 21);
		assert_longest(1, TOOL_ANY_CPU, 61102);
	}
}

/* Tasks without their numbers, interrupts with theirs; the longest sum first. */
TEST_F(NULL, tool_teardown, test_osnoise_names)
{
	const struct tool_offender *o;

	assert_int_equal(tool_file("osnoise-events-6.12.trace"), 1);
	o = tool_at(0, 0)->offender;
	assert_string_equal(o[0].name, "sleep");
	assert_int_equal(o[0].ns, 1314910);
	assert_string_equal(o[1].name, "init");
	assert_string_equal(o[2].name, "rcuc/0");
	assert_int_equal(o[2].cause, TOOL_THREAD);
	assert_int_equal(o[2].ns, 7234 + 7176 + 10488 + 7200);
	assert_string_equal(o[3].name, "local_timer:236");
	assert_int_equal(o[3].cause, TOOL_IRQ);
	assert_int_equal(o[3].events, 4);
	assert_int_equal(o[3].ns, 7288 + 7946 + 7816 + 7862);
	assert_int_equal(o[3].max_ns, 7946);
	for (size_t i = 4; i < tool_at(0, 0)->offenders; i++) {
		assert_int_equal(o[i].cause, TOOL_THREAD);
		assert_null(strchr(o[i].name, ':'));
	}
}

#define SAVE "nothing of the file is: save the tool's own output"

/* What mails, pages and strings do to a text is not undone. */
TEST_F(NULL, tool_teardown, test_encoded)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "Content-Transfer-Encoding: quoted-printable\n\n" ROW "\n", "a mail as it is" },
		{ "Content-Transfer-Encoding: base64\n\n" ROW "\n", "a mail as it is" },
		{ "T: 0 ( 1234) P:80 I:10000 C: 900 Min:=20     4 Act: =\n5 Avg: 6 Max: 611\n",
		  "not understood" },
		{ ROW "\n" ROW "=\n", "not understood" },
		{ "<html><pre>\n" ROW "\n", "a page of HTML" },
		{ "**" ROW "**\n", "not understood" },
		{ ROW "\n**" ROW "**\n", "not understood" },
		{ ROW "<br>\n", "not understood" },
		{ "T:\xc2\xa0 0 ( 1234) P:80 I:1 C: 900 Min: 4 Act: 5 Avg: 6 Max: 61102\n",
		  "no known output" },
		{ "{\"log\":\"" ROW "\\n\",\"stream\":\"stdout\"}\n", "not understood" },
		{ "log: \"# RTLA timerlat histogram\\nIndex IRQ-000\\n0 5\\n\"\n",
		  "in a string, a page or a mail" },
		{ ROW "#012" ROW "\n", "not understood" },
		{ ROW "  <-- that one\n", "not understood" },
		{ ROW " 7 8\n", "not understood" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, cases[i].why);
	assert_refused(cases[4].text, SAVE);
	/* A mail that is not encoded is a text. */
	assert_int_equal(tool_string("Content-Transfer-Encoding: 8bit\n\n" ROW "\n"), 1);
	/* What a terminal prints where somebody ended the tool is not of the row. */
	assert_int_equal(tool_string(ROW "^C\n"), 1);
	assert_longest(0, TOOL_ANY_CPU, 61102);
}

/* As a mail's program or a terminal breaks a row, between words or in a number. */
TEST_F(NULL, tool_teardown, test_broken)
{
	static const char *const texts[] = {
		"T: 0 ( 1234) P:80 I:10000 C: 100000 Min:      4 Act:    5 Avg:    6\n"
		"Max:     17\n",
		"> T: 0 ( 1234) P:80 I:10000 C: 100000 Min:      4 Act:    5 Avg:    6\n"
		"Max:     17\n",
		"T: 0 ( 1234) P:80 I:10000 C:  900 Min:      4 Act:    5 Avg: 6 Max:   17\n"
		"T: 0 (13399) P:80 I:10000 C:  39000 Min:      2 Act:    9 Avg:    9 Max:   833\n"
		"74\n",
		"> T: 0 (13399) P:80 I:10000 C:  39000 Min:      2 Act:    9 Avg:    9 Max:   833\n"
		"> 74\n",
		"> T: 0 (13399) P:80 I:10000 C:  39000 Min:      2 Act:    9 Avg:    9 Max:   833\n"
		"74\n",
		"# tracer: hwlat\n  <...>-144 [000] d.... 4.297338: #1 inner/outer(us): 14/199 "
		"ts:1704067208.686419142\ncount:22\n",
		"# tracer: hwlat\n  <...>-144 [000] d.... 4.297338: #1 inner/outer(us): 14/199 "
		"ts:1704067208.6864\n19142 count:22\n",
		"Operating System Noise\n  0 #5 5000000 700 99.98600 300 20 9 0\n9 0 9\n",
		"core_i: 0 1\n2 3\nthreshold(ns): 1000 1000\n1000 1000\nruntime(ns): 9 9\n9 9\n"
		"int_n: 1 1\n1 1\nint_max(ns): 5 5\n900 5\nint_total(ns): 5 5\n900 5\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_refused(texts[i], SAVE);
	/* Rows that another character, or number, precedes are not passed over. */
	assert_refused("oslat V 2.40\nCore: 0\n001 (us): 9\n7 002 (us): 5\n003 (us): 1\n"
		       "Maximum: 9 (us)\nDuration: 1.0 (sec)\n",
		       "in:4: oslat: not understood");
	assert_refused(
		"# tracer: timerlat\nx-1 [000] .... 9.2: #2 context 7 irq timer_latency 9 ns\n"
		"x-1 [000] .... 9.2: #3 context irq timer_latency 5 ns\n",
		"in:2: timerlat: not understood");
	assert_refused("Number of processes monitored: 1\n"
		       "[1.5] Irq: CPU: 0 Pid: 7 [a] Duration: 35 IRQ: 1 [x]\n> [1.6] Irq: CPU\n",
		       "in:3: detect-detour: not understood");
	/* Prose behind a row, and a prompt, are not the rest of it. */
	assert_int_equal(tool_string(ROW "\nThat is bad.\n"), 1);
	assert_int_equal(tool_string(ROW "\n...\n"), 1);
	assert_int_equal(tool_string(ROW "\n\n17 nodes have it.\n"), 1);
}
