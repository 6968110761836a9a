/* SPDX-License-Identifier: BSD-2-Clause */
/* `compare --list`: lists the runs of tools in files, without comparing them. */
#include "compare.h"
#include "inside.h"

#include "host/lib/columns.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL     48
#define COLUMNS  6
#define NS_OF_MS 1000000

/* The exposure of all cores: from the least to the most, ns. */
static struct range exposure_of(const struct tool *tool)
{
	struct range all = { 0 };

	for (size_t i = 0; i < tool->cores; i++) {
		const struct range r = tool->core[i].exposure_ns;

		if (!r.known)
			return (struct range){ 0 };
		all = i ? range_of(arith_min(all.low, r.low), arith_max(all.high, r.high)) : r;
	}
	return all;
}

static enum tool_origin exposure_from(const struct tool *tool)
{
	enum tool_origin least = tool->cores ? TOOL_STATED : TOOL_UNKNOWN;

	for (size_t i = 0; i < tool->cores; i++) {
		if (tool->core[i].exposure_from < least)
			least = tool->core[i].exposure_from;
	}
	return least;
}

static struct range max_of(const struct tool *tool)
{
	struct range max = { 0 };

	for (size_t i = 0; i < tool->cores; i++)
		max = range_max(max, tool->core[i].max_ns);
	return max;
}

/* ---- Text ---- */

static void print_row(const char **row, char (*cell)[CELL], const struct tool *tool, size_t number)
{
	struct text t;

	for (unsigned c = 0; c < COLUMNS; c++)
		row[c] = cell[c];
	snprintf(cell[0], CELL, "%zu", number);
	snprintf(cell[1], CELL, "%" PRIu64, tool->line);
	snprintf(cell[2], CELL, "%zu", tool->cores);
	text_init(&t, cell[3], CELL);
	range_text(&t, range_in_units(exposure_of(tool), NS_OF_MS), 3);
	text_init(&t, cell[4], CELL);
	range_text(&t, max_of(tool), RANGE_US);
	snprintf(cell[5], CELL, "%s%s%.20s", tool->tool, tool->version[0] ? " " : "",
		 tool->version);
}

/* Print the runs of one file. */
static void print_table(const struct tool *tool, size_t count, size_t number)
{
	static const char *const head[COLUMNS] = { "RUN",         "LINE",    "CORES",
						   "EXPOSURE(s)", "MAX(us)", "TOOL" };
	char(*cell)[COLUMNS][CELL] = memory_new(count, sizeof(*cell));
	const char **row = memory_new((count + 1) * COLUMNS, sizeof(*row));

	memcpy(row, head, sizeof(head));
	for (size_t i = 0; i < count; i++)
		print_row(&row[(i + 1) * COLUMNS], cell[i], &tool[i], number + i);
	columns_print(row, count + 1, COLUMNS, "rl");
	free(row);
	free(cell);
}

static void print_word(size_t number, const char *what, const char *text)
{
	if (text[0])
		printf("run %zu: %s: %s\n", number, what, text);
}

/* The object of a run: where it was measured, by which tool, and what is missing. */
static void print_words(const struct tool *tool, size_t number)
{
	bool wakeup = tool->notes & TOOL_WAKEUP;

	print_word(number, "command", tool->command);
	print_word(number, "machine", tool->machine);
	if (!wakeup && exposure_from(tool) != TOOL_STATED)
		print_word(number, "exposure not stated", tool_origin_name(exposure_from(tool)));
	if (!wakeup && tool->threshold_from != TOOL_STATED)
		print_word(number, "threshold not stated", tool_origin_name(tool->threshold_from));
	for (unsigned n = 0; n < TOOL_NOTES; n++) {
		if (tool->notes & 1u << n)
			print_word(number, tool_notes[n].name, tool_notes[n].text);
	}
}

static void print_text(const struct tool_list *tools)
{
	for (size_t i = 0, n; i < tools->count; i = n) {
		const struct tool *first = &tools->at[i];

		for (n = i; n < tools->count && !strcmp(tools->at[n].file, first->file);)
			n++;
		printf("%s%s\n", i ? "\n" : "", first->file);
		print_table(first, n - i, i + 1);
		for (size_t k = i; k < n; k++)
			print_words(&tools->at[k], k + 1);
	}
}

/* ---- JSON ---- */

static json_t *json_text(const char *text)
{
	return text[0] ? json_name(text) : json_null();
}

static json_t *make_notes(const struct tool *tool)
{
	json_t *notes = json_array();

	for (unsigned n = 0; n < TOOL_NOTES; n++) {
		if (tool->notes & 1u << n)
			json_array_append_new(notes, json_string(tool_notes[n].name));
	}
	return notes;
}

static json_t *make_run(const struct tool *tool, size_t number)
{
	return json_pack(
		"{s:o,s:o,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:s,s:o,s:s,s:o,s:o}", "run",
		json_number(number), "file", json_name(tool->file), "line", json_number(tool->line),
		"tool", tool->tool, "version", json_text(tool->version), "command",
		json_text(tool->command), "machine", json_text(tool->machine), "cores",
		json_number(tool->cores), "exposure_ns", json_range(exposure_of(tool)), "exposure",
		tool_origin_name(exposure_from(tool)), "threshold_ns",
		json_range(tool->threshold_ns), "threshold", tool_origin_name(tool->threshold_from),
		"max_ns", json_range(max_of(tool)), "notes", make_notes(tool));
}

static void print_json(const struct tool_list *tools, json_t *complaints)
{
	json_print("compare-list/1",
		   json_pack("{s:o,s:O}", "runs",
			     JSON_ARRAY(i, i < tools->count, make_run(&tools->at[i], i + 1)),
			     "complaints", complaints),
		   JSON_INDENT(2));
}

static int exit_code(const struct tool_list *tools)
{
	uint32_t notes = 0;

	for (size_t i = 0; i < tools->count; i++)
		notes |= tools->at[i].notes;
	if (tools->failed)
		return EXIT_ERROR;
	return notes & (TOOL_CUT | TOOL_DAMAGED) ? EXIT_INCOMPLETE : EXIT_PASS;
}

int compare_list(enum form form, int count, char **paths)
{
	struct inside inside = { .any_stage = true };
	json_t *complaints = json_array();
	int code;

	for (int i = 0; i < count; i++)
		inside_read(&inside, paths[i], compare_complain, complaints);
	if (form == FORM_JSON)
		print_json(&inside.runs, complaints);
	else
		print_text(&inside.runs);
	code = exit_code(&inside.runs);
	json_decref(complaints);
	inside_free(&inside);
	return code;
}
