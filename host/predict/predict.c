/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: the options, and the mode that predicts. */
#include "predict.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/modes/host_mode.h"
#include "host/subcommands.h"

#include <stdio.h>
#include <stdlib.h>

#define GRAIN_DEFAULT_NS UINT64_C(1000000)
#define NODES_MAX        100000000

static struct predict_options options = { .grain_ns = GRAIN_DEFAULT_NS };

static const uint64_t curve[] = { 1,   2,    5,    10,   20,    50,    100,   200,
				  500, 1000, 2000, 5000, 10000, 20000, 50000, PREDICT_NODES_MOST };

#define CURVE (sizeof(curve) / sizeof(curve[0]))

uint64_t predict_nodes_at(const struct predict_options *o, size_t n)
{
	size_t before = 0;

	while (before < CURVE && curve[before] < o->nodes)
		before++;
	if (o->nodes && (before == CURVE || curve[before] != o->nodes)) {
		if (n == before)
			return o->nodes;
		n -= n > before;
	}
	return n < CURVE ? curve[n] : 0;
}

/* By the mode that all of them have. */
static int predict(const struct capture_select *selected, size_t count)
{
	const struct host_mode *mode = result_mode(selected->run), *other = mode;
	size_t n = 0;

	while (other == mode && ++n < count)
		other = result_mode(selected[n].run);
	if (other == mode)
		return mode->predict(&options, selected, count);
	fprintf(stderr, "%s is a run in mode=%s, %s in mode=%s: no prediction of both\n",
		selected->capture.name, mode->mode->name, selected[n].capture.name,
		other->mode->name);
	return EXIT_ERROR;
}

static int run(int count, char **paths)
{
	struct capture_select *selected;
	int opened = 0, code = EXIT_ERROR;
	bool all = true;

	if (!capture_check("predict", count, (const char *const *)paths))
		return EXIT_ERROR;
	selected = memory_new((size_t)count, sizeof(*selected));
	while (all && opened < count) {
		all = capture_select(&selected[opened], paths[opened], options.run);
		opened++;
	}
	if (all)
		code = predict(selected, (size_t)count);
	while (opened > 0)
		capture_close(&selected[--opened].capture);
	free(selected);
	return code;
}

static const struct options_row rows[] = {
	{ "nodes", "N", "a number of nodes, or ranks, to add to the table of 1 to 100000",
	  options_count, offsetof(struct predict_options, nodes), .most = NODES_MAX },
	{ "grain", "TIME", "what a node computes per step; 1ms", options_time,
	  .offset = offsetof(struct predict_options, grain_ns) },
	{ "unseen", "TIME",
	  "the length of the event that BOUND assumes; by default that of the longest seen",
	  options_time, .offset = offsetof(struct predict_options, unseen_ns) },
	{ "cores", "HOW",
	  "merged: gaps that overlap are one event of the node, which takes a report with all "
	  "gaps, gaps=all; apart: no two coincide, an upper bound; together: all cores stop at "
	  "once, a lower bound; auto, the default: merged where possible, else apart",
	  options_enum, offsetof(struct predict_options, cores), .word = predict_cores_name },
	{ "kernel", "NAME", "mode=stretch: the kernel, if the run has several", options_text,
	  .offset = offsetof(struct predict_options, kernel) },
	{ "phase", "NAME",
	  "mode=stretch: who works besides; by default all, or alone if the run has no other",
	  options_text, .offset = offsetof(struct predict_options, phase) },
	OPTIONS_STAGE(struct predict_options, stage,
		      "the stage; by default the last on the ladder"),
	OPTIONS_RUN(struct predict_options, run, "the run, if the file has several"),
	OPTIONS_FORM(struct predict_options, form, form_is_text_or_json),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand predict_subcommand = {
	.name = "predict",
	.run = run,
	.summary = "how much a parallel job is slowed down by a measured floor",
	.arguments = "FILE...",
	.least = 1,
	.reads_input = true,
	.most = OPTIONS_MANY,
	.about = "How much slower a bulk-synchronous job runs on many nodes like the measured one: "
		 "in each step every node computes for the grain, and all wait for the slowest. Of "
		 "runs in mode=stretch, one or many nodes' own, the same for ranks on their cores.",
	.exit_code = "0, 2 error, 3 records of the run are missing.",
	.rows = rows,
	.options = &options,
};
