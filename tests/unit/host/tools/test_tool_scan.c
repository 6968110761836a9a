/* SPDX-License-Identifier: BSD-2-Clause */
/* The patterns of rows: what they match, what they leave, and what they do not match. */
#include "host/tools/tool_format.h"

#include "tests/unit/common/test.h"

#include <string.h>

static const struct {
	const char *pattern, *line, *left; /* left: what follows the match; NULL: no match */
	uint64_t n[4];                     /* first, second, last, and how many a list has */
} cases[] = {
	{ "T:%u(first) C:%u(second)$", "T: 0 C:   17  ", "  ", { 0, 17 } },
	{ "T:%u(first) C:%u(second)$", "T: 0 C:   17 8", NULL, { 0 } },
	{ "T:%u(first) C:%u(second)$", "T: 0 C:", NULL, { 0 } },
	{ "a b", "  a    b.", ".", { 0 } },
	{ "%u(first)", "18446744073709551616", NULL, { 0 } },
	/* A number below 0, and no number. */
	{ "%i(first) %i(second)", "-5 6", "", { 0, 6 } },
	{ "%m(first) %m(second)", "- 6", "", { TOOL_NONE, 6 } },
	{ "%u(first)", "- 6", NULL, { 0 } },
	/* Fractions are cut. */
	{ "%3(first) us", "1.23456 us", "", { 1234 } },
	{ "%u(first)%% of", "5% of", "", { 5 } },
	/* A part is absent if its first text is; one that has begun must be whole. */
	{ "%u(first){ SMI:%u(second)}{ x%u(last)}$", "7 x3", "", { 7, TOOL_NONE, 3 } },
	{ "%u(first){ SMI:%u(second)}$", "7", "", { 7, TOOL_NONE } },
	{ "%u(first){ SMI:%u(second)}$", "7 SMI:", NULL, { 0 } },
	{ "%u(first){ %u(second)}$", "7  ", "  ", { 7, TOOL_NONE } },
	{ "%u(first){ %u(second)}$", "7 8", "", { 7, 8 } },
	/* Numbers of all columns, behind words or not; "-" is none where it may be. */
	{ "over:@$", "over: 7 8  9", "", { 0, 0, 0, 3 } },
	{ "over:@$", "over: 7 8 x", NULL, { 0 } },
	{ "Index@$", "Index   IRQ-000   Thr-001", "", { 0, 0, 0, 2 } },
	{ "@3 (us)", " 1.5 - 2 (us)", NULL, { 0 } },
	{ "@3 (us)", " 1.5 2 (us)", "", { 0, 0, 0, 2 } },
	{ "@m$", " 5 - 7", "", { 0, 0, 0, 3 } },
	{ "@$", " 5 -", NULL, { 0 } },
	{ "@ (us)", "1.5 (us)", NULL, { 0 } },
	/* A mark without a number in the line, and a number without a name. */
	{ "x%!(first)", "x", "", { 1 } },
	/*
	 * A star ends at the first place of the text after it; a part of a name is no such place.
	 */
	{ "*max:%u(first)", "min:1, max:2, max:3", ", max:3", { 2 } },
	{ "* start %u(first)", " restart:9 start 5", "", { 5 } },
	{ "* start %u(first)", " start 5", "", { 5 } },
	{ "*x%u(first)", "y x z x5", NULL, { 0 } },
};

TEST(test_patterns)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tool_values v = { .unnamed = 0 };
		const char *at = cases[i].line;
		bool matches = tool_scan(&at, cases[i].pattern, &v);

		print_message("`%s` of `%s`\n", cases[i].pattern, cases[i].line);
		assert_int_equal(matches, cases[i].left != NULL);
		assert_string_equal(at, matches ? cases[i].left : cases[i].line);
		if (!matches)
			continue;
		assert_int_equal(v.first, cases[i].n[0]);
		assert_int_equal(v.second, cases[i].n[1]);
		assert_int_equal(v.last, cases[i].n[2]);
		assert_int_equal(v.listed, cases[i].n[3]);
	}
}

/* A word begins where no letter or digit of a word ends, but for a digit before a mark. */
TEST(test_words)
{
	static const char line[] = "xcyclic: sched 1, cyclic: sched 2";

	assert_ptr_equal(tool_scan_word(line, "cyclic: sched %u$"), line + 18);
	assert_ptr_equal(tool_scan_word(line, "cyclic: sched 1"), NULL);
	assert_non_null(tool_scan_word("1# RTLA", "# RTLA"));
	assert_null(tool_scan_word("# tracer: hwlat2", "# tracer: hwlat$"));
}
