/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: the options, and the table of slowdowns. */
#include "predict.h"

#include "host/capture/capture.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"
#include "host/subcommands.h"

#include "core/lib/ticks.h"

#include <math.h>
#include <stdio.h>

#define GRAIN_DEFAULT_NS UINT64_C(1000000)
#define NODES_MAX        100000000
#define LINE_MAX_BYTES   300

static struct options {
	uint64_t nodes; /* 0: not given */
	uint64_t grain_ns;
	uint64_t unseen_ns; /* 0: the longest seen */
	const char *stage, *run;
	struct form_choice form;
} options = { .grain_ns = GRAIN_DEFAULT_NS };

/* The number of nodes of the table's next row, with the one that is asked for; 0: no more. */
static uint64_t next_nodes(uint64_t after)
{
	static const uint64_t curve[] = { 1,   2,    5,    10,   20,    50,    100,   200,
					  500, 1000, 2000, 5000, 10000, 20000, 50000, 100000 };
	uint64_t next = options.nodes > after ? options.nodes : 0;

	for (size_t n = 0; n < sizeof(curve) / sizeof(curve[0]); n++)
		if (curve[n] > after && (!next || curve[n] < next))
			next = curve[n];
	return next;
}

/* The slowdown as seen, or its bound: INFINITY where there is none. */
static double slowdown(const struct predict_noise *n, uint64_t nodes, bool bound)
{
	return predict_slowdown(bound ? n->bound : n->seen, n->seen_count + bound,
				(double)nodes * n->domains, (double)options.grain_ns);
}

/* ---- Text ---- */

static void print_noise(const struct predict_noise *n, const struct result_stage *stage,
			uint64_t threshold_ns, struct text *t)
{
	char rate[40], share[40];

	text_add(t, "stage:   %s, %zu cores, ", stage->name, stage->cpus);
	text_duration(t, (uint64_t)(n->exposure_ns / n->domains));
	text_add(t, " each, gaps from ");
	text_duration(t, threshold_ns);
	text_add(t, " on");
	text_sanitize_print(t);
	snprintf(rate, sizeof(rate), "%.4g", n->events / n->exposure_ns * NS_PER_S * n->domains);
	snprintf(share, sizeof(share), "%.4g", predict_noise_share(n->seen, n->seen_count) * 100);
	text_add(t,
		 "noise:   %llu gaps, %s: %s a second on a node, %s %% of the time, the longest ",
		 (unsigned long long)stage->gaps_counted,
		 n->merged ? "overlapping ones merged to events"
			   : "assuming gaps never overlap, an upper bound",
		 rate, share);
	if (n->events > 0)
		text_duration(t, (uint64_t)n->longest_ns);
	else
		text_add(t, "n/a");
	text_sanitize_print(t);
	text_add(t, "job:     steps of ");
	text_duration(t, options.grain_ns);
	text_add(t, ", in each of which all nodes wait for the slowest");
	text_sanitize_print(t);
	text_add(t, "BOUND:   with every rate at its 95 %% upper limit, and an event of ");
	text_duration(t, (uint64_t)n->unseen_ns);
	text_add(t, " that ");
	text_duration(t, (uint64_t)n->exposure_ns);
	text_add(t, " may have missed, every ");
	text_duration(t, (uint64_t)(NS_PER_S / n->unseen_hz));
	text_sanitize_print(t);
}

static void print_text(const struct capture_select *s, const struct result_stage *stage,
		       const struct predict_noise *n)
{
	TEXT_DEFINE(t, LINE_MAX_BYTES);
	double seen = 1, bound;

	text_add(&t, "%s: run %016llx", s->capture.name, (unsigned long long)s->run->sid);
	text_sanitize_print(&t);
	print_noise(n, stage, result_threshold(s->run), &t);
	puts("    NODES   SLOWDOWN      BOUND");
	for (uint64_t nodes = 0; (nodes = next_nodes(nodes));) {
		seen = slowdown(n, nodes, false);
		bound = slowdown(n, nodes, true);
		printf("%9llu  %9.4f", (unsigned long long)nodes, seen);
		if (isinf(bound))
			puts("  unbounded");
		else
			printf("  %9.4f\n", bound);
	}
	/* The last is the largest. */
	if (seen > SLOWDOWN_SURE)
		printf("a SLOWDOWN above %g is an upper limit: the formula holds up to there\n",
		       SLOWDOWN_SURE);
}

/* ---- JSON ---- */

static json_t *curve_of(const struct predict_noise *n)
{
	json_t *curve = json_array();

	for (uint64_t nodes = 0; (nodes = next_nodes(nodes));) {
		double bound = slowdown(n, nodes, true);

		json_array_append_new(curve,
				      json_pack("{s:I,s:f,s:o}", "nodes", (json_int_t)nodes,
						"slowdown", slowdown(n, nodes, false), "bound",
						isinf(bound) ? json_null() : json_real(bound)));
	}
	return curve;
}

static void print_json(const struct capture_select *s, const struct result_stage *stage,
		       const struct predict_noise *n)
{
	json_print("predict/1",
		   json_pack("{s:[{s:o,s:o,s:b}],s:o,s:I,s:I,s:f,s:f,s:f,s:s,s:f,s:f,s:f,s:f,s:f,"
			     "s:o}",
			     "runs", "file", json_name(s->capture.name), "sid",
			     json_sid(s->run->sid), "whole", result_is_whole(s->run), "stage",
			     json_name(stage->name), "grain_ns", (json_int_t)options.grain_ns,
			     "cores", (json_int_t)stage->cpus, "exposure_ns", n->exposure_ns,
			     "events", n->events, "longest_ns", n->longest_ns, "how",
			     n->merged ? "merged" : "apart", "noise_share",
			     predict_noise_share(n->seen, n->seen_count), "threshold_ns",
			     (double)result_threshold(s->run), "unseen_ns", n->unseen_ns,
			     "unseen_hz", n->unseen_hz, "sure_up_to", SLOWDOWN_SURE, "curve",
			     curve_of(n)),
		   JSON_COMPACT | JSON_REAL_PRECISION(12));
}

/* ---- The subcommand ---- */

static int predict_run(int count, char **paths)
{
	struct result_stage *stage = NULL;
	static struct predict_noise n;
	struct capture_select s;
	int code = EXIT_ERROR;
	TEXT_DEFINE(why, LINE_MAX_BYTES);

	(void)count;
	if (capture_select(&s, paths[0], options.run))
		stage = capture_select_stage(&s, options.stage);
	if (stage && predict_noise_read(&n, s.run, stage, options.unseen_ns, &why)) {
		(options.form.form == FORM_JSON ? print_json : print_text)(&s, stage, &n);
		code = capture_select_code(&s);
	} else if (stage) {
		fprintf(stderr, "%s: no prediction: %s\n", s.capture.name, why.buf);
	}
	capture_close(&s.capture);
	return code;
}

static const struct options_row rows[] = {
	{ "nodes", "N", "a number of nodes to add to the table of 1 to 100000", options_count,
	  offsetof(struct options, nodes), .most = NODES_MAX },
	{ "grain", "TIME", "what a node computes per step; 1ms", options_time,
	  .offset = offsetof(struct options, grain_ns) },
	{ "unseen", "TIME",
	  "the length of the event that BOUND assumes; by default that of the longest seen",
	  options_time, .offset = offsetof(struct options, unseen_ns) },
	OPTIONS_STAGE(struct options, stage, "the stage; by default the last on the ladder"),
	OPTIONS_RUN(struct options, run, "the run, if the file has several"),
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand predict_subcommand = {
	.name = "predict",
	.run = predict_run,
	.summary = "how much a parallel job is slowed down by a measured floor",
	.arguments = "FILE",
	.least = 1,
	.reads_input = true,
	.most = 1,
	.about = "How much slower a bulk-synchronous job runs on many nodes like the measured one: "
		 "in each step every node computes for the grain, and all wait for the slowest.",
	.exit_code = "0, 2 error, 3 records of the run are missing.",
	.rows = rows,
	.options = &options,
};
