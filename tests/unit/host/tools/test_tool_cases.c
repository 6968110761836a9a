/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs of other tools, and what is read of them. A file of tests/data/tools holds the cases of a
 * format, or of what surrounds outputs. In a case, each line begins with
 *
 *   #  a comment: above all where the figures come from
 *   == its title
 *   @  a file of tests/data/peers, in place of a text; &: the name that the text has ("in")
 *   %  the shortest gap of the floor, ns
 *   |  a line of the text; :  the same without a newline. \xNN is a byte, \\ a backslash
 *   ?  what a {} in the text stands for: the case is repeated for each
 *
 * and what follows the text is checked. The second output of a text is "1/", the core "any" none:
 *
 *   runs 2                      so many outputs; without complaints, unless "reports" follows
 *   reports in:3: osnoise: not  a complaint begins, or goes on, so
 *   failed                      nothing usable, or not all
 *   1/tool hwlat                also: version, notes, cores, threshold, shared
 *   noted partly-listed         and: not noted
 *   cpu3.sum 138000..2*999      also: max, events, exposure, smi, above, irq.ns
 *
 * A range is `unknown`, a number, LOW..HIGH or LOW.. ; numbers are sums of products. Behind it may
 * be `stated` or `assumed`, its origin, and `likely N`. `exposure ~N`: N is concluded; the exposure
 * is at least what the noise took, and has no upper bound. cpu3.sum.low and .high are one of its
 * bounds, which LOW..HIGH bounds in turn.
 */
#include <dirent.h>
#include <stdlib.h>

#include "host/lib/scan.h"

#include "core/lib/arith.h"

#include "tests/unit/common/test.h"
#include "tests/unit/tool_text.h"

#define CASES      "tests/data/tools/"
#define TEXT_MAX   16384
#define ROW_MAX    4096
#define CHECKS_MAX 40

/* A case: its text or file, what its text has in turn, and what is checked. */
static char title[ROW_MAX], name[ROW_MAX], file[ROW_MAX], text[TEXT_MAX];
static size_t bytes;
static uint64_t floor_ns;
static char choice[CHECKS_MAX][ROW_MAX], check[CHECKS_MAX][ROW_MAX];
static size_t choices, checks;

static const char *line, *chosen; /* the check, and the choice */
static bool may_report;

static unsigned failures;

/* The case goes on, so that all that fails is seen at once. */
#define fail_case(format, ...)                                                                   \
	(failures++, print_error("%s: %s: %s: " format "\n%zu outputs\n%s", title, chosen, line, \
				 __VA_ARGS__, tools.count, tool_reported))

/* ---- Numbers and ranges ---- */

static uint64_t read_sum(const char **at);

static uint64_t read_factor(const char **at)
{
	uint64_t value = 0;

	*at += strspn(*at, " ");
	if (**at == '(') {
		++*at;
		value = read_sum(at);
		if (*(*at)++ != ')')
			fail_case("%s", "no )");
		return value;
	}
	if (!scan_u64(at, &value))
		fail_case("no number: \"%s\"", *at);
	return value;
}

static uint64_t read_product(const char **at)
{
	uint64_t value = read_factor(at);

	while (**at == '*' || **at == '/') {
		bool divides = *(*at)++ == '/';
		uint64_t factor = read_factor(at);

		value = divides ? value / factor : value * factor;
	}
	return value;
}

static uint64_t read_sum(const char **at)
{
	uint64_t value = read_product(at);

	while (**at == '+' || **at == '-') {
		bool less = *(*at)++ == '-';
		uint64_t term = read_product(at);

		value = less ? value - term : value + term;
	}
	return value;
}

static void check_range(struct range is, enum tool_origin from, const char *at)
{
	bool below = scan_literal(&at, ".low"), above = scan_literal(&at, ".high");
	uint64_t low, high;

	if (below || above)
		is.low = is.high = below ? is.low : is.high;

	if (scan_literal(&at, "unknown")) {
		if (is.known)
			fail_case("%llu..%llu", (unsigned long long)is.low,
				  (unsigned long long)is.high);
		return;
	}
	high = low = read_sum(&at);
	if (scan_literal(&at, ".."))
		high = *at && *at != ' ' ? read_sum(&at) : RANGE_OPEN;
	if ((below || above) && high != low && is.known && is.low >= low && is.low <= high)
		return;
	if (!is.known || is.low != low || is.high != high)
		fail_case("%llu..%llu, %llu", (unsigned long long)is.low,
			  (unsigned long long)is.high, (unsigned long long)is.value.value);
	if (scan_literal(&at, "likely") && is.value.value != read_sum(&at))
		fail_case("likely %llu", (unsigned long long)is.value.value);
	if (*at && !scan_literal(&at, tool_origin_name(from)))
		fail_case("it is %s", tool_origin_name(from));
	if (!scan_end(at))
		fail_case("\"%s\" is not understood", at);
}

/* Check the exposure of a core against tool_exposure_assume(). */
static void check_concluded(const struct tool_core *core, const char *at)
{
	const struct range is = core->exposure_ns;
	uint64_t likely = read_sum(&at), least = arith_min(core->sum_ns.low, likely);

	if (!is.known || is.low != least || is.high != RANGE_OPEN || is.value.value != likely ||
	    core->exposure_from != TOOL_ASSUMED)
		fail_case("%llu..%llu, %llu", (unsigned long long)is.low,
			  (unsigned long long)is.high, (unsigned long long)is.value.value);
	if (!scan_end(at))
		fail_case("\"%s\" is not understood", at);
}

/* ---- What is read ---- */

static void check_words(const char *is, const char *at)
{
	if (strcmp(is, at + strspn(at, " ")) != 0)
		fail_case("%s", is);
}

static void check_notes(uint32_t notes, const char *at)
{
	char words[500] = "";

	for (size_t i = 0; i < TOOL_NOTES; i++)
		if (notes & 1u << i)
			sprintf(words + strlen(words), "%s%s", *words ? " " : "",
				tool_notes[i].name);
	check_words(words, at);
}

static void check_noted(uint32_t notes, const char *note, bool noted)
{
	size_t i = 0;

	while (i < TOOL_NOTES && strcmp(tool_notes[i].name, note) != 0)
		i++;
	if (i == TOOL_NOTES || !(notes & 1u << i) == noted)
		fail_case("notes are %#x", notes);
}

static void check_core(const struct tool *tool, const struct tool_core *core, const char *at)
{
	const struct range smi = range_of(core->smi.value, core->smi.value);
	const struct {
		const char *name;
		struct range is;
	} figures[] = {
		{ "exposure", core->exposure_ns },
		{ "events", core->events },
		{ "max", core->max_ns },
		{ "sum", core->sum_ns },
		{ "smi", core->smi.known ? smi : (struct range){ 0 } },
		{ "above", range_exact(tool_sum_from(tool, core, floor_ns)) },
	};

	static const char *const causes[TOOL_CAUSES] = { "nmi", "irq", "softirq", "thread" };

	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		const char *of = at;

		if (!scan_literal(&of, causes[c]) || !scan_literal(&of, ".ns"))
			continue;
		check_range(core->cause_ns[c], TOOL_UNKNOWN, of);
		return;
	}
	if (scan_literal(&at, "exposure ~")) {
		check_concluded(core, at);
		return;
	}
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (scan_literal(&at, figures[i].name)) {
			check_range(figures[i].is, core->exposure_from, at);
			return;
		}
	}
	fail_case("no figure %s", at);
}

static void check_tool(const struct tool *tool, const char *at)
{
	const struct tool_core *core;
	uint32_t cpu = TOOL_ANY_CPU;

	if (scan_literal(&at, "tool "))
		check_words(tool->tool, at);
	else if (scan_literal(&at, "version "))
		check_words(tool->version, at);
	else if (scan_literal(&at, "notes"))
		check_notes(tool->notes, at);
	else if (scan_literal(&at, "noted "))
		check_noted(tool->notes, at, true);
	else if (scan_literal(&at, "not noted "))
		check_noted(tool->notes, at, false);
	else if (scan_literal(&at, "cores"))
		check_range(range_exact(tool->cores), TOOL_UNKNOWN, at);
	else if (scan_literal(&at, "threshold.from "))
		check_words(tool_origin_name(tool->threshold_from), at);
	else if (scan_literal(&at, "threshold"))
		check_range(tool->threshold_ns, tool->threshold_from, at);
	else if (scan_literal(&at, "shared"))
		check_range(tool->shared_ns, TOOL_UNKNOWN, at);
	else if (scan_literal(&at, "any.") ||
		 (scan_literal(&at, "cpu") && scan_u32(&at, &cpu) && scan_literal(&at, "."))) {
		core = tool_find(tool, cpu);
		if (!core)
			fail_case("no core %u", cpu);
		else
			check_core(tool, core, at);
	} else {
		fail_case("%s", "no such check");
	}
}

/* ---- Cases ---- */

/* Read the text, with what it has of this choice. */
static void read_text(void)
{
	static char whole[2 * TEXT_MAX];
	size_t used = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (choices && strncmp(text + i, "{}", 2) == 0) {
			used += (size_t)sprintf(whole + used, "%s", chosen);
			i++;
		} else {
			whole[used++] = text[i];
		}
		assert_true(used + ROW_MAX < sizeof(whole));
	}
	tool_bytes(name, whole, used);
}

static void run_check(const char *at)
{
	const char *piece = at;
	uint64_t n = 0;

	line = at;
	if (scan_literal(&at, "runs ")) {
		may_report = tools.count != read_sum(&at);
		if (may_report)
			fail_case("%s", "another number of outputs");
		return;
	}
	if (scan_literal(&at, "reports ")) {
		may_report = true;
		if (!strstr(tool_reported, at))
			fail_case("%s", "not reported");
	} else if (scan_literal(&at, "silent on ")) {
		if (strstr(tool_reported, at))
			fail_case("%s", "reported");
	} else if (scan_literal(&at, "failed")) {
		if (!tools.failed)
			fail_case("%s", "did not fail");
	} else {
		if (scan_u64(&piece, &n) && scan_literal(&piece, "/"))
			at = piece;
		else
			n = 0;
		if (n >= tools.count)
			fail_case("%s", "no such output");
		else
			check_tool(&tools.at[n], at);
	}
}

/* The case has been read: it reports nothing but what it has. */
static void run_case(void)
{
	line = chosen = "";
	if ((bytes || file[0]) && !checks)
		fail_case("%s", "a text without a check before it");
	for (size_t n = 0; checks && n < (choices ? choices : 1); n++) {
		chosen = choices ? choice[n] : "";
		may_report = true;
		tool_floor_ns = floor_ns;
		if (file[0])
			tool_file(file);
		else
			read_text();
		for (size_t i = 0; i < checks; i++)
			run_check(check[i]);
		if (!may_report && tool_reported[0])
			fail_case("%s", "reports");
	}
	bytes = floor_ns = checks = choices = 0;
	strcpy(name, "in");
	file[0] = '\0';
}

/* \xNN and \\ */
static void add_text(const char *at, bool newline)
{
	for (; *at; at++) {
		char c = *at;

		if (c == '\\' && at[1] == 'x') {
			c = (char)strtoul((char[]){ at[2], at[3], '\0' }, NULL, 16);
			at += 3;
		} else if (c == '\\') {
			at++;
		}
		assert_true(bytes + 2 < TEXT_MAX);
		text[bytes++] = c;
	}
	if (newline)
		text[bytes++] = '\n';
}

static void take_line(char *row)
{
	row[strcspn(row, "\n")] = '\0';
	if (*row == '=' || (checks && *row && strchr("@&%?|:", *row)))
		run_case();
	switch (*row) {
	case '\0':
	case '#':
		return;
	case '=':
		strcpy(title, row);
		return;
	case '@':
		strcpy(file, row + 2);
		return;
	case '%':
		floor_ns = strtoull(row + 2, NULL, 10);
		return;
	case '&':
		strcpy(name, row + 2);
		return;
	case '?':
		assert_true(choices < CHECKS_MAX);
		strcpy(choice[choices++], row[1] ? row + 2 : "");
		return;
	case '|':
	case ':':
		add_text(row + 1 + (row[1] == ' '), *row == '|');
		return;
	}
	assert_true(checks < CHECKS_MAX);
	strcpy(check[checks++], row);
}

TEST_F(NULL, tool_teardown, test_cases)
{
	DIR *folder = opendir(CASES);
	struct dirent *entry;
	static char row[ROW_MAX];
	unsigned files = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		char path[400];
		FILE *f;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s%s", CASES, entry->d_name);
		print_message("%s\n", path);
		f = fopen(path, "r");
		assert_non_null(f);
		while (fgets(row, sizeof(row), f))
			take_line(row);
		run_case();
		fclose(f);
		files++;
	}
	closedir(folder);
	assert_true(files > 0);
	assert_int_equal(failures, 0);
}
