/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are not the whole output of a tool: each is reported, and none is taken for zero. */
#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/tool_text.h"

/* The last number of a line that does not end may be a part of one. */
TEST_F(NULL, tool_teardown, test_a_line_that_does_not_end)
{
	static const char row[] =
		"T: 0 ( 150) P:90 I:1000 C: 2931 Min: 20 Act: 50 Avg: 102 Max: 2820\n";
	const size_t bytes = sizeof(row) - 1;

	assert_int_equal(tool_bytes("in", row, bytes), 1);
	assert_false(tools.at[0].notes & TOOL_CUT);
	assert_int_equal(tool_bytes("in", row, bytes - 1), 1);
	assert_true(tools.at[0].notes & TOOL_CUT);
}

static char text[1 << 21];

TEST_F(NULL, tool_teardown, test_empty)
{
	assert_int_equal(tool_string(""), 0);
	assert_string_equal(tool_reported, "in:0: empty\n");
	assert_true(tools.failed);
	assert_int_equal(tool_string("\n  \n"), 0);
	assert_printed("in:0: no known output");
	assert_int_equal(tool_string("Lorem ipsum\ndolor sit amet: 3\n"), 0);
	assert_printed("in:0: no known output");
	assert_true(tools.failed);
}

TEST_F(NULL, tool_teardown, test_binary)
{
	for (size_t i = 0; i < 4096; i++)
		text[i] = (char)(i * 131 + i / 256);
	assert_int_equal(tool_bytes("in", text, 4096), 0);
	assert_printed("binary data; outputs of tools are text");
	for (const char *at = tool_reported; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at <= '~') || *at < 0);
}

/* A line of 1,100,000 bytes is no tool's: nothing around it is read. */
TEST_F(NULL, tool_teardown, test_overlong)
{
	static const char row[] = "o-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n";
	size_t used = (size_t)sprintf(text, "# tracer: osnoise\n%s", row);

	memset(text + used, 'x', 1100000);
	sprintf(text + used + 1100000, "\n%s", row);
	assert_int_equal(tool_string(text), 0);
	assert_true(tools.failed);
	assert_printed("in:3: a line of more than a mebibyte\nin:3: this line cannot be read");
}

/* A file that is cut anywhere yields a figure or a complaint. */
TEST_F(NULL, tool_teardown, test_truncated)
{
	static const char *const names[] = { "osnoise.trace",
					     "hwlat-per-cpu.trace",
					     "oslat.txt",
					     "oslat.json",
					     "cyclictest.json",
					     "rtla-osnoise-top.txt",
					     "rtla-osnoise-hist.txt",
					     "sysjitter-1.4.summary.verbose.txt" };

	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		size_t bytes = tool_load(names[n], text, sizeof(text));

		for (size_t cut = 0; cut < bytes; cut += rounds(29, 7)) {
			size_t pieces = tool_bytes("in", text, cut);

			assert_true(pieces || (tools.failed && tool_reported[0]));
		}
	}
}

/* Output that has an end line is incomplete without it, and complete if it is cut after it. */
TEST_F(NULL, tool_teardown, test_cut_before_the_end)
{
	static const struct {
		const char *name, *end;
	} ends[] = {
		{ "stress-ng-0.15.06.txt", "ns\nstress-ng: info:  [26349] cyclic: latency dist" },
		{ "jitterdebugger-0.3.json", "}\n" },
		{ "oslat-0.1.0.txt", "(sec)" },
		{ "by-hand/rtla-timerlat-hist-no-summary.txt", "3\n" },
		{ "by-hand/rteval-stop-trace.txt", "us (100 %)" },
	};

	for (size_t n = 0; n < sizeof(ends) / sizeof(ends[0]); n++) {
		const char *end = NULL;

		tool_load(ends[n].name, text, sizeof(text));
		for (const char *at = text; (at = strstr(at, ends[n].end)); at++)
			end = at;
		if (!end)
			fail_msg("%s: no %s", ends[n].name, ends[n].end);
		for (const char *cut = text; cut <= end; cut += 1 + (end - text) / 500) {
			bool whole = tool_bytes("in", text, (size_t)(cut - text)) &&
				     !tools.failed && !(tools.at[0].notes & TOOL_CUT);

			if (whole)
				fail_msg("%s, cut at %td of %td", ends[n].name, cut - text,
					 end - text);
		}
		assert_int_equal(tool_bytes("in", text, strlen(text)), 1);
		assert_false(tools.failed);
	}
}

/* Where a row could begin, the line is not searched to its end each time: that takes minutes. */
TEST_F(NULL, tool_teardown, test_many_places)
{
	static const char begin[] = "<rteval version=\"3\"><cyclictest ";
	static const char tracer[] = "# tracer: osnoise\n";
	static const char *const words[] = { "T:1 ", "context " };
	const size_t end = 1000000;

	for (unsigned n = 0; n < 2; n++) {
		for (size_t i = 0, bytes = strlen(words[n]); i <= end; i += bytes)
			memcpy(text + i, words[n], bytes);
		text[end] = '\0';
		assert_int_equal(tool_string(text), 0);
		assert_printed("no known output");
	}
	memcpy(text, tracer, strlen(tracer));
	for (size_t i = strlen(tracer); i < end; i += 3)
		memcpy(text + i, "-1(", 4);
	assert_int_equal(tool_string(text), 0);
	assert_printed("osnoise: no figures in it");
	memset(text, '<', end / 10);
	memcpy(text, begin, strlen(begin));
	text[end / 10] = '\0';
	assert_int_equal(tool_string(text), 0);
	assert_printed("rteval: truncated before its \"</rteval>\"");
}

/* Each output takes far more memory than its text. */
TEST_F(NULL, tool_teardown, test_many_pieces)
{
	size_t used = 0;

	for (unsigned i = 0; i <= TOOL_PIECES_MAX; i++)
		used += (size_t)sprintf(text + used,
					"# tracer: osnoise\n"
					"o-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n");
	assert_int_equal(tool_string(text), 0);
	assert_printed("in:8193: more than 4096 outputs in one file");
	assert_true(tools.failed);
}

/* Two whole lines of 80 columns each are both read. */
TEST_F(NULL, tool_teardown, test_not_broken)
{
	static const char row[] = "osnoise/000000000000000000000000-9 [001] .... 9.2: "
				  "1000 20 98.00000 20 0 0 0 0 0\n";

	assert_int_equal(strlen(row), 81);
	strcpy(text, "# tracer: osnoise\n");
	for (unsigned i = 0; i < 70; i++)
		strcat(text, row);
	tool_string(text);
	assert_string_equal(tool_reported, "");
	assert_exact(tools.at[0].core[0].exposure_ns, 70 * 1000000);
}
