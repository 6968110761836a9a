/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arbitrary bytes as outputs of other tools. A format's parser is selected by the first line of its
 * output, so the seeds have these lines. Results must be consistent: ordered bounds, printable
 * complaints, and a comparison that adds up.
 */
#include "host/compare/compare.h"
#include "host/compare/inside.h"

#include "tests/fuzz/take.h"

#include <stdio.h>

#define FLOOR_NS 5000

static void on_complaint(void *ctx, const char *file, uint64_t line, const char *text)
{
	size_t *complaints = ctx;

	(void)line;
	insist(*text && strcmp(file, "fuzz.3") == 0);
	for (const char *at = text; *at; at++)
		insist((unsigned char)*at >= ' ' && *at != 0x7f);
	++*complaints;
}

static void check_range(struct range r)
{
	insist(r.low <= r.high && (r.known || !r.high));
	insist(!r.value.known || (r.value.value >= r.low && r.value.value <= r.high));
}

static void check_core(const struct tool *peer, const struct tool_core *core)
{
	check_range(core->exposure_ns);
	check_range(core->events);
	check_range(core->max_ns);
	check_range(core->sum_ns);
	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		check_range(core->cause_ns[c]);
	insist(tool_sum_from(peer, core, FLOOR_NS) <= core->sum_ns.high);
	insist(core->exposure_ns.known == (core->exposure_from != TOOL_UNKNOWN));
}

/* If all figures are exact, the parts add up to the noise plus what is counted twice. */
static void check_row(const struct split_row *row)
{
	struct range parts = range_add(row->figure[SPLIT_BELOW], row->figure[SPLIT_UNEXPLAINED]);
	struct range whole = range_add(row->figure[SPLIT_NOISE], row->figure[SPLIT_IN_CAUSES]);

	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		parts = range_add(parts, row->figure[SPLIT_CAUSE + c]);
	insist(!row->split || !parts.value.known || !whole.value.known ||
	       parts.value.value == whole.value.value);
	check_range(row->figure[SPLIT_BELOW]);
	check_range(row->figure[SPLIT_UNEXPLAINED]);
	check_range(row->figure[SPLIT_ADDED]);
}

/* In every form. */
static void print_all(const struct floor *floor, struct split_result *split)
{
	const struct compare_limits limits = {
		.limit = { [LIMIT_MAX] = 20000, [LIMIT_MAX_NOISE] = 100 }
	};
	enum verdict verdict = compare_judge(&limits, split, 1);
	static bool quiet;

	insist(quiet || freopen("/dev/null", "w", stdout));
	quiet = true;
	compare_text(&(struct compare_results){ FORM_TEXT, floor, split, 1, verdict, NULL });
	compare_json(&(struct compare_results){ FORM_JSON, floor, split, 1, verdict, NULL });
	compare_junit(&(struct compare_results){ FORM_JUNIT, floor, split, 1, verdict, NULL });
}

static void compare(const struct tool *peer)
{
	const uint64_t pair[][2] = { { 20000, 100 } };
	struct record_cpu core = { .cpu = 0,
				   .exposure_ns = 10000000000,
				   .noise_ns = 2000000,
				   .max_ns = 20000,
				   .histogram = { pair, 1 } };
	const struct result_stage stage = { .cpu = &core, .cpus = 1 };
	const struct result run = { .sid = 1 };
	const struct floor floor = { .file = "fuzz",
				     .run = &run,
				     .stage = &stage,
				     .stage_name = "handoff",
				     .threshold_ns = 1000,
				     .burst = 1 };
	struct split_result split;

	split_make(&split, &floor, peer, true);
	for (size_t i = 0; i < split.rows; i++)
		check_row(&split.row[i]);
	print_all(&floor, &split);
	split_free(&split);
}

FUZZ(0, 1 << 20)
{
	struct inside peers = { .runs.floor_ns = FLOOR_NS };
	struct inside_reader *r;
	size_t complaints = 0;

	r = inside_begin(&peers, "fuzz.3", on_complaint, &complaints);
	inside_feed(r, (const char *)data, bytes);
	inside_end(r);
	insist(peers.runs.count || complaints);
	for (size_t i = 0; i < peers.runs.count; i++) {
		for (size_t n = 0; n < peers.runs.at[i].cores; n++)
			check_core(&peers.runs.at[i], &peers.runs.at[i].core[n]);
		compare(&peers.runs.at[i]);
	}
	inside_free(&peers);
}
