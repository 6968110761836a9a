/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any floor, and what each tool prints of random gaps, in its own form and cut as it cuts them:
 * what is read holds the gaps that were seen, and the comparison adds up, in JSON, too.
 */
#include "host/compare/compare.h"
#include "host/tools/tool_format.h"

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/split_holds.h"
#include "tests/unit/tool_outputs.h"
#include "tests/unit/tool_text.h"

#include <jansson.h>

/* ---- What is read, and compared ---- */

enum { EVENTS = 1, SUM = 2, MAX = 4, CAUSES_TOO = 8, NO_CORE = 16, ALL = EVENTS | SUM | MAX };

static const struct {
	const char *tool, *also;
	void (*print)(void);
	unsigned has; /* figures of each core; NO_CORE: of all together */
} forms[] = {
	{ "hwlat", NULL, print_hwlat, ALL },
	{ "hwlatdetect", NULL, print_hwlatdetect, ALL },
	{ "osnoise", NULL, print_events, SUM | MAX | CAUSES_TOO },
	{ "osnoise", NULL, print_lines, SUM | MAX },
	{ "rtla osnoise top", "rtla hwnoise", print_top, SUM | MAX },
	{ "rtla osnoise hist", NULL, print_hist, ALL },
	{ "oslat", NULL, print_oslat, ALL },
	{ "oslat", NULL, print_oslat_json, ALL },
	{ "sysjitter", NULL, print_sysjitter, ALL },
	{ "sysjitter raw", NULL, print_sysjitter_raw, ALL | NO_CORE },
	{ "detect-detour", NULL, print_detour, ALL | CAUSES_TOO },
	{ "cyclictest", NULL, print_cyclictest, EVENTS | MAX | NO_CORE },
	{ "cyclictest", NULL, print_cyclictest_json, EVENTS | MAX },
	{ "timerlat", NULL, print_timerlat_trace, EVENTS | MAX },
	{ "rtla timerlat top", NULL, print_timerlat, EVENTS | MAX },
	{ "rtla timerlat hist", NULL, print_timerlat_hist, EVENTS | MAX },
	{ "jHiccup", NULL, print_jhiccup, EVENTS | MAX | NO_CORE },
	{ "FWQ", NULL, print_fwq, SUM | MAX | NO_CORE },
	{ "P-SNAP", NULL, print_psnap, SUM | MAX },
	{ "FTQ", NULL, print_ftq, SUM | MAX },
	{ "noisefloor", NULL, print_own, ALL },
};

#define FORMS_READ (sizeof(forms) / sizeof(forms[0]))

static char *output;
static size_t pairs;

static void check_holds(const char *what, bool wanted, struct range r, uint64_t value)
{
	check_range(r);
	if (r.known ? value < r.low || value > r.high : wanted)
		fail_msg("%s of %" PRIu64 " not in %" PRIu64 " to %" PRIu64
			 ", of the pair that seed %#llx makes:\n%s%s",
			 what, value, r.low, r.high, at_pair, output, tool_reported);
}

static void check_read(unsigned has, const struct tool_core *read, const struct seen *c)
{
	check_holds("events", has & EVENTS, read->events, c->events);
	check_holds("sum", has & SUM, read->sum_ns, c->sum_ns);
	check_holds("longest", has & MAX, read->max_ns, c->max_ns);
	for (unsigned n = 0; n < TOOL_CAUSES && has & CAUSES_TOO; n++)
		check_holds(tool_cause_name((enum tool_cause)n), false, read->cause[n].ns,
			    c->cause_ns[n]);
}

/* Of a tool that does not name cores, all of them are one. */
static void join_cores(void)
{
	for (; cores > 1; cores--) {
		saw[0].events += saw[cores - 1].events;
		saw[0].max_ns = arith_max(saw[0].max_ns, saw[cores - 1].max_ns);
	}
}

static void check_tool(size_t form, const struct tool *tool)
{
	if (strcmp(tool->tool, forms[form].tool) != 0 &&
	    (!forms[form].also || strcmp(tool->tool, forms[form].also) != 0))
		fail_msg("read as %s:\n%s", tool->tool, output);
	if (forms[form].has & NO_CORE)
		join_cores();
	EACH_CORE(n)
	{
		const struct tool_core *read = tool_find(
			tool, forms[form].has & NO_CORE ? TOOL_ANY_CPU : n);

		if (read)
			check_read(forms[form].has, read, &saw[n]);
		else if (saw[n].events) /* of a core without gaps some print nothing */
			fail_msg("no core %u, of the pair that seed %#llx makes:\n%s", n, at_pair,
				 output);
	}
}

/* ---- JSON ---- */

/* Whatever is a range, at any depth. */
static void check_ranges(json_t *value)
{
	json_t *low = json_object_get(value, "low"), *high = json_object_get(value, "high");
	json_t *middle = json_object_get(value, "value"), *member;
	const char *key;
	size_t i;

	json_array_foreach(value, i, member) check_ranges(member);
	json_object_foreach(value, key, member) check_ranges(member);
	if (!json_is_integer(low))
		return;
	HOLDS(!json_is_integer(high) || json_integer_value(low) <= json_integer_value(high));
	if (!json_is_integer(middle))
		return;
	HOLDS(json_integer_value(low) <= json_integer_value(middle));
	HOLDS(!json_is_integer(high) || json_integer_value(middle) <= json_integer_value(high));
}

static json_t *end_of(json_t *row, const char *figure, const char *end)
{
	return json_object_get(json_object_get(row, figure), end);
}

/* Of the cores that are split. */
static void check_sum_of(json_t *compared, const char *figure, const char *end)
{
	json_t *core_row, *all = end_of(json_object_get(compared, "all"), figure, end);
	json_int_t sum = 0;
	size_t i;

	if (!json_is_integer(all))
		return;
	json_array_foreach(json_object_get(compared, "cores"), i, core_row)
	{
		if (json_is_object(json_object_get(core_row, "floor_ns")))
			sum += json_integer_value(end_of(core_row, figure, end));
	}
	HOLDS(sum == json_integer_value(all));
}

static void check_document(json_t *root)
{
	static const char *const figures[] = { "exposure_ns",    "noise_ns",     "floor_ns",
					       "unexplained_ns", "in_causes_ns", "added_ns" };
	json_t *compared = json_array_get(json_object_get(root, "compared"), 0), *core_row;
	size_t i;

	check_ranges(root);
	json_array_foreach(json_object_get(compared, "cores"), i, core_row)
	{
		json_t *most = end_of(core_row, "floor_ppm", "high");

		HOLDS(!json_is_integer(most) || json_integer_value(most) <= 1000000);
	}
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		check_sum_of(compared, figures[i], "low");
		check_sum_of(compared, figures[i], "high");
	}
}

static void check_json(const struct floor *floor, const struct tool *tool)
{
	FILE *terminal = stdout;
	struct split_result split;
	char *text = NULL;
	size_t bytes;
	json_t *root;

	split_make(&split, floor, tool, true);
	stdout = open_memstream(&text, &bytes);
	assert_non_null(stdout);
	compare_json(&(struct compare_results){
		.form = FORM_JSON, .floor = floor, .split = &split, .count = 1 });
	fclose(stdout);
	stdout = terminal;
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	check_document(root);
	json_decref(root);
	free(text);
	split_free(&split);
}

/* Where there was none, some tools print nothing. */
static bool has_gaps(void)
{
	uint64_t events = 0;

	EACH_CORE(n) events += saw[n].events;
	return events;
}

static void check_form(size_t form, const struct random_floor *f)
{
	size_t bytes;

	to = open_memstream(&output, &bytes);
	assert_non_null(to);
	forms[form].print();
	assert_int_equal(fclose(to), 0);
	if (tool_bytes("os", output, bytes) == 1) {
		check_tool(form, &tools.at[0]);
		check_split(&f->floor, &tools.at[0]);
		if (one_in(4))
			check_json(&f->floor, &tools.at[0]);
		pairs++;
	} else if (tools.count || has_gaps() || !tool_reported[0]) {
		fail_msg("%zu pieces:\n%s%s", tools.count, output, tool_reported);
	}
	free(output);
	tool_forget();
}

TEST(test_any_output)
{
	static struct random_floor f;

	for (uint64_t n = 0; n < rounds(100, 600); n++) {
		for (size_t form = 0; form < FORMS_READ; form++) {
			at_pair = seed = n << 32 | form << 24;
			make_floor(&f);
			check_form(form, &f);
		}
	}
	assert_true(pairs > (rounds_all() ? 10000 : 1500));
}
