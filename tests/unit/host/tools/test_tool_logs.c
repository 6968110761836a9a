/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to outputs in logs, mails and pages: rows are cut, rows of several stand between
 * each other, remarks are added, and all is encoded. What is left is read, and what is missing
 * reported.
 */

#include "tests/unit/common/test.h"
#include "tests/unit/tool_rows.h"

static int teardown(void **state)
{
	(void)state;
	tool_forget();
	return 0;
}

/* Nothing falls, and no time has passed: a maximum that rises is another run's. */
TEST_F(NULL, teardown, test_timerlat_rises)
{
	assert_int_equal(tool_string(LATENCY("00:01:00", "60000", "17", "23")
					     LATENCY("00:01:00", "60001", "61102", "40")),
			 2);
	assert_longest(0, 1, 23);
	/* As at the end, when the last table is printed again. */
	assert_int_equal(tool_string(LATENCY("00:01:00", "60000", "17", "23")
					     LATENCY("00:01:00", "60001", "17", "23")),
			 1);
	/* Without titles there is no time. */
	assert_int_equal(
		tool_string(LATENCY_ROW("0", "60000", "17") LATENCY_ROW("0", "60000", "61102")), 2);
}

/* The row of all cores shows that another was cut. */
TEST_F(NULL, teardown, test_timerlat_all)
{
	static const char all[] = "ALL #120000  e0 |                  0         1        21 |     "
				  "             2         8       ";
	char text[2000];

	snprintf(text, sizeof(text), "%s%s 99\n", LATENCY("00:01:00", "60000", "17", "23"), all);
	assert_int_equal(tool_string(text), 1);
	assert_longest(0, TOOL_ANY_CPU, 99);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_PART_LISTED);
	snprintf(text, sizeof(text), "%s%s 23\n", LATENCY("00:01:00", "60000", "17", "23"), all);
	assert_int_equal(tool_string(text), 1);
	assert_int_equal(tools.at[0].cores, 2);
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP);
}

/* Only the command line has the unit. */
TEST_F(NULL, teardown, test_cyclictest_in_ns)
{
	static const struct {
		const char *command;
		uint64_t ns;
	} cases[] = {
		{ "cyclictest -N -q", 61102 },          { "cyclictest -mqN -p 90", 61102 },
		{ "cyclictest --nsecs", 61102 },        { "sudo cyclictest -m -N", 61102 },
		{ "cyclictest -n -q", 61102000 },       { "cyclictest -p90 -h N", 61102000 },
		{ "cyclictest --nanosleep", 61102000 }, { "./measure -N", 61102000 },
	};
	char text[500];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "root@rack7:~# %s\n" ROW "\n", cases[i].command);
		assert_int_equal(tool_string(text), 1);
		if (tool_at(0, TOOL_ANY_CPU)->max_ns.low != cases[i].ns)
			fail_msg("%s", text);
	}
}

#define GAP(number)                                                              \
	"  <...>-144 [000] d.... 4.297338: #" number " inner/outer(us): 14/199 " \
	"ts:1704067208.686419142 count:22"

/* The tracer numbers its samples: what is missing may be any length. */
TEST_F(NULL, teardown, test_hwlat_cut)
{
	assert_int_equal(tool_string("# tracer: hwlat\n" GAP("1") "\n" GAP("2") "\n"), 1);
	assert_int_equal(tools.at[0].notes & TOOL_PART_LISTED, 0);
	assert_int_equal(tools.at[0].cores, 1);
	assert_int_equal(tool_string("# tracer: hwlat\n" GAP("1") "\n" GAP("5") "\n"), 1);
	assert_int_equal(tools.at[0].notes & TOOL_PART_LISTED, TOOL_PART_LISTED);
	assert_range(tool_at(0, TOOL_ANY_CPU)->events, 3, RANGE_OPEN);
	assert_range(tool_at(0, TOOL_ANY_CPU)->max_ns, 11000, RANGE_OPEN);
	assert_range(tool_at(0, 0)->max_ns, 199000, 199999);
}

/* Behind a row of a trace, too; a row that is torn is none because of one. */
TEST_F(NULL, teardown, test_remarks_in_traces)
{
	static const char *const marks[] = { "  <-- that one", " # bad -- see <there>", "^C",
					     "; err: exit status 1" };
	char text[500];

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		snprintf(text, sizeof(text), "# tracer: hwlat\n" GAP("1") "%s\n", marks[i]);
		assert_int_equal(tool_string(text), 1);
		assert_string_equal(tool_reported, "");
		assert_range(tool_at(0, 0)->max_ns, 199000, 199999);
	}
	assert_int_equal(tool_string("# tracer: osnoise\n"
				     "o-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 <-- torn\n"),
			 0);
	assert_printed("not understood");
	/* What is reported once, is. */
	assert_int_equal(tool_string("# tracer: wakeup\n#\n# <-- it\n"), 0);
	assert_printed("it does not measure gaps");
}

/* Somebody types while a trace is printed; a trace that is printed again is another. */
TEST_F(NULL, teardown, test_trace_again)
{
	static const char stopped[] =
		"o-9 [001] .... 9.2: sample_threshold: start 9.1 duration 20 ns interference 0\n";
	char text[500];

	snprintf(text, sizeof(text), "%sroot@rack7:~# cat trace\n%s", stopped, stopped);
	assert_int_equal(tool_string(text), 2);
	snprintf(text, sizeof(text), "%sroot@rack7:~# ls\n%s", stopped, stopped);
	assert_int_equal(tool_string(text), 1);
	/* What stands behind it without a title is no event of it. */
	snprintf(text, sizeof(text), "%s" ROW "\n", stopped);
	assert_int_equal(tool_string(text), 2);
	snprintf(text, sizeof(text), "# tracer: hwlat\n" GAP("1") "\n%s", stopped);
	assert_int_equal(tool_string(text), 2);
}

/* Another's histogram behind rtla's is not part of it, nor are its buckets. */
TEST_F(NULL, teardown, test_histograms)
{
	static const char hist[] = "# RTLA osnoise histogram\n# Duration:   0 00:00:05\n"
				   "Index   CPU-000   CPU-001\n50 7 3\n100 1 1\nover: 0 0\n"
				   "count: 8 4\n";
	static const char other[] = "000000 000000 000000\n000001 000004 000003\n";
	char text[500];

	snprintf(text, sizeof(text), "%smax: 100 100\n%s# Max Latencies: 00017 00018\n", hist,
		 other);
	assert_int_equal(tool_string(text), 2);
	assert_string_equal(tool_reported, "");
	assert_range(tool_at(0, 0)->max_ns, 100000, 149999);
	/* Buckets rise. */
	snprintf(text, sizeof(text), "%s%s", hist, other);
	tool_string(text);
	assert_printed("not understood");
}

/* Each line behind the name of who wrote it. */
TEST_F(NULL, teardown, test_streams)
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
		if (tool_string(text) != 2 || tool_reported[0])
			fail_msg("%zu runs of\n%s%s", tools.count, text, tool_reported);
		assert_longest(0, TOOL_ANY_CPU, 21);
		assert_longest(1, TOOL_ANY_CPU, 61102);
		assert_int_equal(tools.at[1].line, 2);
	}
	/* A line without a name: one log. */
	assert_int_equal(tool_string("node-1: " CYCLES("0", "1234", "900", "4",
						       "17") "and\n"
							     "node-2: " CYCLES("0", "1334", "900",
									       "4", "61102")),
			 2);
}

#define MAIL_HEAD(encoding)                                                                        \
	"From: a@example.org\nContent-Type: text/plain\nContent-Transfer-Encoding: " encoding "\n" \
	"\n"

/* As mails are archived. */
TEST_F(NULL, teardown, test_encoded_mail)
{
	assert_int_equal(tool_string(MAIL_HEAD(
				 "quoted-printable") "T: 0 ( 1234) P:80 I:10000 C: "
						     "900 Min:=20     4 Act: =\n"
						     "5 Avg: 6 Max:   611=\n02\n"
						     "and\n" CYCLES("0", "1300", "900", "4", "17")),
			 2);
	assert_string_equal(tool_reported, "");
	assert_longest(0, TOOL_ANY_CPU, 61102);
	assert_int_equal(tools.at[1].line, 9);
	/* "# Max Latencies: 00017 61102\n", by base64(1) */
	assert_int_equal(tool_string(MAIL_HEAD("base64") "IyBNYXggTGF0ZW5jaWVzOiAwMDAxNyA2MTEw\r\n"
							 "Mgo=\r\n"),
			 1);
	assert_longest(0, TOOL_ANY_CPU, 61102);
	/* What is none, and what ends in the middle. */
	assert_int_equal(tool_string(MAIL_HEAD("base64") "T: what\nIyB=NYXg\n=\nMgo\n"), 0);
	assert_int_equal(tool_string(MAIL_HEAD("quoted-printable") "T: 0 =3"), 0);
}

/* Entities, blanks that do not break, emphasis. */
TEST_F(NULL, teardown, test_markup)
{
	static const char *const texts[] = {
		"**" ROW "**\n",
		"> **" ROW "**\n",
		ROW "<br>\n",
		"T:\xc2\xa0 0 (&nbsp;1234) P:80 I:10000 C: 900 Min: 4 Act: 5 Avg: 6 "
		"Max:\xc2\xa0\xc2\xa0 61102\n",
		"<b>T: 0 ( 1234) P:80 C: 900 Min: 4 Act: 5 Avg: 6 Max: 61102 &lt;-- there\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (tool_string(texts[i]) != 1 || tool_reported[0])
			fail_msg("%zu pieces of\n%s%s", tools.count, texts[i], tool_reported);
		assert_longest(0, TOOL_ANY_CPU, 61102);
	}
}
