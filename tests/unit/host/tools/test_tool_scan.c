/* SPDX-License-Identifier: BSD-2-Clause */
/* The patterns of rows: what they match, what they leave, and what they do not match. */
#include "host/tools/tool_format.h"

#include "tests/unit/common/test.h"

#include <string.h>

static const struct {
	const char *pattern, *line, *left; /* left: what follows the match; NULL: no match */
	uint64_t n[4];
} cases[] = {
	{ "T:%u C:%u$", "T: 0 C:   17  ", "  ", { 0, 17 } },
	{ "T:%u C:%u$", "T: 0 C:   17 8", NULL, { 0 } },
	{ "T:%u C:%u$", "T: 0 C:", NULL, { 0 } },
	{ "a b", "  a    b.", ".", { 0 } },
	{ "%u", "18446744073709551616", NULL, { 0 } },
	/* A number below 0, and none. */
	{ "%i %i", "-5 6", "", { 0, 6 } },
	{ "%m %m", "- 6", "", { TOOL_NONE, 6 } },
	{ "%u", "- 6", NULL, { 0 } },
	/* Fractions are cut; the next number may touch a share of five decimals. */
	{ "%3 us", "1.23456 us", "", { 1234 } },
	{ "%s%u", "99.12345678 ", " ", { 99, 678 } },
	{ "%s%u", "99.1234 678", NULL, { 0 } },
	{ "%u%% of", "5% of", "", { 5 } },
	/* A part is absent if its first text is; one that has begun must be whole. */
	{ "%u{ SMI:%u}{ x%u}$", "7 x3", "", { 7, TOOL_NONE, 3 } },
	{ "%u{ SMI:%u}$", "7", "", { 7, TOOL_NONE } },
	{ "%u{ SMI:%u}$", "7 SMI:", NULL, { 0 } },
	{ "%u{ %u}$", "7  ", "  ", { 7, TOOL_NONE } },
	{ "%u{ %u}$", "7 8", "", { 7, 8 } },
	/* The first place of what follows, and no other: a part of a name is none. */
	{ "*max:%u", "min:1, max:2, max:3", ", max:3", { 2 } },
	{ "* start %u", " restart:9 start 5", "", { 5 } },
	{ "* start %u", " start 5", "", { 5 } },
	{ "*x%u", "y x z x5", NULL, { 0 } },
};

TEST(test_patterns)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t n[TOOL_NUMBERS_MAX] = { 0 };
		const char *at = cases[i].line;
		bool matches = tool_scan(&at, cases[i].pattern, n);

		print_message("`%s` of `%s`\n", cases[i].pattern, cases[i].line);
		assert_int_equal(matches, cases[i].left != NULL);
		assert_string_equal(at, matches ? cases[i].left : cases[i].line);
		for (size_t k = 0; matches && k < 4; k++)
			assert_int_equal(n[k], cases[i].n[k]);
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
