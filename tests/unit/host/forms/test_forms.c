/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Forms of `compare` and of the page, on real outputs of the OS's side: that each is what its
 * readers take, and that all of them agree; and what no form of any subcommand prints.
 */
#define _GNU_SOURCE /* strcasestr, strchrnul */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/xml.h"

#include <jansson.h>

#define DIFF(...) RUN(&diff_subcommand, "diff", __VA_ARGS__)

#define QUIET "tests/data/runs/quiet.log"
#define SMIS  "tests/data/runs/smis.log"
#define PEERS "tests/data/peers/"

/* Real outputs, and what `compare` makes of each: its name, and whether it can split. */
static const struct {
	const char *path, *tool;
	bool split;
} tools[] = {
	{ PEERS "hwlat-none.trace", "hwlat", true },
	{ PEERS "hwlat-round-robin.trace", "hwlat", true },
	{ PEERS "hwlat-per-cpu.trace", "hwlat", true },
	{ PEERS "hwlat-6.12.trace", "hwlat", true },
	{ PEERS "osnoise.trace", "osnoise", true },
	{ PEERS "osnoise-events.trace", "osnoise", true },
	{ PEERS "osnoise-6.12.trace", "osnoise", true },
	{ PEERS "rtla-osnoise-top.txt", "rtla osnoise top", true },
	{ PEERS "rtla-osnoise-top-6.12.txt", "rtla osnoise top", true },
	{ PEERS "rtla-osnoise-hist.txt", "rtla osnoise hist", true },
	{ PEERS "rtla-osnoise-hist-6.12.txt", "rtla osnoise hist", true },
	{ PEERS "oslat.txt", "oslat", true },
	{ PEERS "oslat.json", "oslat", true },
	{ PEERS "oslat-2.4.txt", "oslat", true },
	{ PEERS "oslat-2.4.json", "oslat", true },
	{ PEERS "oslat-2.6.json", "oslat", true },
	{ PEERS "sysjitter-1.4.summary.verbose.txt", "sysjitter", true },
	{ PEERS "cyclictest.txt", "cyclictest", false },
	{ PEERS "cyclictest.json", "cyclictest", false },
	{ PEERS "cyclictest-2.4-h8.json", "cyclictest", false },
	{ PEERS "cyclictest-2.6.json", "cyclictest", false },
};

#define TOOL_FILES (sizeof(tools) / sizeof(tools[0]))

/* ---- What readers take ---- */

static void assert_junit(void)
{
	const char *totals = strstr(out, " tests=\"");
	unsigned tests = 0;

	assert_well_formed();
	for (; totals; totals = strstr(totals + 1, " tests=\""))
		tests += (unsigned)strtoul(totals + 8, NULL, 10);
	assert_true(tests > 0);
	assert_count("<testcase ", tests);
}

static json_t *assert_json(void)
{
	json_error_t error;
	json_t *d = json_loads(out, JSON_REJECT_DUPLICATES, &error);

	if (!d)
		fail_msg("no JSON: %s at %d", error.text, error.position);
	return d;
}

static double member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_number(value))
		fail_msg("%s is no number", name);
	return json_number_value(value);
}

/* ---- Diff ---- */

/* A refused comparison is no pass. */
TEST_F(start, teardown, test_diff_refused)
{
	SEND_BEGIN(.config = "threshold=7us", .clock = { .hz = 1 });
	SEND_CPU(.stage = "handoff", .exposure_ns = 5);
	save(1);
	assert_int_equal(DIFF("--format", "junit", QUIET, path[1]), 2);
	assert_junit();
	assert_in(out, "<error message=\"not compared; the runs differ in threshold");
}

/* ---- Compare ---- */

/* The floor's machine has a clock of another rate than those of the tools. */
#define COMPARE(form, file) \
	RUN(&compare_subcommand, "compare", "--force", "--format", form, SMIS, file)
#define REFUSE(form, file) RUN(&compare_subcommand, "compare", "--format", form, SMIS, file)

/* Parts of a row sum up to the noise and what is counted twice, to the ns. */
static void assert_sums(const json_t *row)
{
	static const char *const parts[] = { "floor_ns",   "nmi_ns",    "irq_ns",
					     "softirq_ns", "thread_ns", "unexplained_ns" };
	double low = 0, high = 0, noise = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const json_t *part = json_object_get(row, parts[i]);

		low += json_is_null(part) ? 0 : member(part, "low");
		high += json_is_null(part) ? 0 : member(part, "high");
	}
	row = json_object_get(row, "noise_ns");
	noise = member(row, "low");
	assert_true(low <= member(row, "high") && high >= noise);
}

static void check_tool(size_t n)
{
	const json_t *first, *core;
	size_t cores, split = 0, i;
	json_t *d;
	int code;

	code = COMPARE("json", tools[n].path);
	d = assert_json();
	first = json_array_get(json_object_get(d, "compared"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "tool")), tools[n].tool);
	cores = json_array_size(json_object_get(first, "cores"));
	assert_true(cores > 0);
	json_array_foreach(json_object_get(first, "cores"), i, core)
	{
		if (json_is_null(json_object_get(core, "floor_ns")))
			continue;
		assert_sums(core);
		split++;
	}
	assert_int_equal(split > 0, tools[n].split);
	json_decref(d);
	assert_int_equal(COMPARE("text", tools[n].path), code);
	assert_in(out, tools[n].tool);
	assert_int_equal(COMPARE("junit", tools[n].path), code);
	assert_junit();
	assert_count("<testcase ", (unsigned)(cores + (split && cores > 1) + 1));
	assert_count("<skipped ", (unsigned)(cores - split));
}

TEST_F(start, teardown, test_compare)
{
	for (size_t n = 0; n < TOOL_FILES; n++) {
		print_message("%s\n", tools[n].path);
		check_tool(n);
	}
}

/* A refusal is an error, by name, and has no figures. */
TEST_F(start, teardown, test_compare_refused)
{
	static const char other[] =
		"o-9 [007] .... 9.1: sample_threshold: start 9.1 duration 20000 ns interference 0\n"
		"o-9 [007] .... 9.9: 1000000 20 99.00000 20 1 0 0 0 0\n";

	capture_text(&capture, other);
	save(1);
	assert_int_equal(REFUSE("junit", path[1]), 2);
	assert_junit();
	assert_in(out, "<error message=\"refused; ");
	assert_in(out, "refused: no-common-core");
	assert_in(out, "<testcase classname=\"noisefloor.osnoise\" name=\"compared\"");
	/* A file without records is no pass, either. */
	start_again();
	capture_text(&capture, "chatter\n");
	save(1);
	assert_int_equal(REFUSE("junit", path[1]), 2);
	assert_junit();
	assert_in(out, "<error message=\"no measurement of the OS could be read\"/>");
}

/* ---- No limit is no pass ---- */

static void assert_no_pass(const char *form)
{
	for (char *line = out, *end; *line; line = end + 1) {
		end = strchrnul(line, '\n');
		if (!*end)
			break;
		*end = '\0';
		if (strcasestr(line, "pass"))
			fail_msg("%s: %s", form, line);
		*end = '\n';
	}
}

TEST_F(start, teardown, test_none_is_no_pass)
{
	static const char *const forms[] = { "text", "json", "jsonl", "junit", "influx" };
	char *style;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_int_equal(RUN(&show_subcommand, "show", "--format", forms[i], QUIET), 0);
		assert_true(out[0] != '\0');
		assert_no_pass(forms[i]);
		/* The check that passes is that of the run's completeness. */
		if (strcmp(forms[i], "junit") == 0)
			assert_int_equal(
				text_count(out, "<testcase ") - text_count(out, "<skipped "), 1);
	}
	assert_int_equal(RUN(&show_subcommand, "show", "-fhtml", "-o", "-", QUIET), 0);
	style = strstr(out, "<style>");
	assert_non_null(style);
	memmove(out, strstr(style, "</style>"), strlen(strstr(style, "</style>")) + 1);
	assert_in(out, "class=\"verdict none\"");
	assert_no_pass("page");
}

TEST_GROUP(make_folder, remove_folder);
