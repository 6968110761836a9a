/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: the formula applied to a stage's noise, for 1 to 100,000 nodes. */
#include "host/lib/exit.h"
#include "host/lib/form.h"
#include "host/lib/json_name.h"
#include "host/subcommands.h"
#include "host/capture/capture.h"
#include "predict_stretch.h"
#include "profile.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/forms/series.h"
#include "slowdown.h"

#include "core/lib/text.h"
#include "core/lib/ticks.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#define GRAIN_DEFAULT_NS UINT64_C(1000000)
#define NODES_MAX        100000000
#define LINE_MAX_BYTES   256

static struct predict_options options = { .grain_ns = GRAIN_DEFAULT_NS };

/* A prediction and its input. */
struct prediction {
	const struct predict_options *options;
	const struct capture_select *selected;
	struct result_stage *stage;
	uint64_t threshold_ns;
	struct profile profile;
	double unseen_ns;
	size_t seen_count, bound_count;
	struct slowdown_noise seen[PROFILE_CLASSES], bound[PROFILE_CLASSES];
};

static const uint64_t curve[] = { 1,   2,    5,    10,   20,    50,    100,   200,
				  500, 1000, 2000, 5000, 10000, 20000, 50000, 100000 };

#define CURVE (sizeof(curve) / sizeof(curve[0]))

/* Lengths of events that may have been missed. */
static const uint64_t unseen_lengths[] = { 1000000, 10000000, 100000000, 1000000000 };

#define UNSEEN_LENGTHS (sizeof(unseen_lengths) / sizeof(unseen_lengths[0]))

static double on_nodes(const struct prediction *p, const struct slowdown_noise *class, size_t count,
		       uint64_t nodes)
{
	return slowdown(class, count, (double)nodes * p->profile.domains,
			(double)p->options->grain_ns);
}

static double seen_at(const struct prediction *p, uint64_t nodes)
{
	return on_nodes(p, p->seen, p->seen_count, nodes);
}

static double bound_at(const struct prediction *p, uint64_t nodes)
{
	return on_nodes(p, p->bound, p->bound_count, nodes);
}

/* The same with unseen events of another length. */
static double unseen_at(const struct prediction *p, uint64_t length_ns, uint64_t nodes)
{
	static struct slowdown_noise class[PROFILE_CLASSES];
	size_t count = profile_bound(&p->profile, (double)length_ns, class);

	return on_nodes(p, class, count, nodes);
}

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

static void print_source(const struct prediction *p, struct text *t)
{
	text_add(t, "%s: run %016llx, stage %s: %u cores, ", p->selected->capture.name,
		 (unsigned long long)p->selected->run->sid, p->stage->name, p->profile.of);
	text_duration(t, (uint64_t)(p->profile.exposure_ns / p->profile.domains));
	text_add(t, " each, gaps from ");
	text_duration(t, p->threshold_ns);
	text_add(t, " on");
	text_sanitize_print(t);
}

static void print_noise(const struct prediction *p, struct text *t)
{
	static const char *const how[] = {
		[PROFILE_MERGED] = "overlapping ones merged to events",
		[PROFILE_APART] = "assuming gaps never overlap, an upper bound",
		[PROFILE_TOGETHER] = "assuming all cores stop together, a lower bound",
	};
	double events = profile_events(&p->profile);
	char rate[40], share[40];

	snprintf(rate, sizeof(rate), "%.4g",
		 events / p->profile.exposure_ns * NS_PER_S * p->profile.domains);
	snprintf(share, sizeof(share), "%.4g", profile_share(&p->profile) * 100);
	text_add(t, "noise:   %llu gaps, %s: %s a second on a node, ",
		 (unsigned long long)p->profile.gaps, how[p->profile.cores], rate);
	text_add(t, "%s %% of the time, the longest ", share);
	if (events > 0)
		text_duration(t, (uint64_t)p->profile.longest_ns);
	else
		text_add(t, "n/a");
	text_sanitize_print(t);
}

static void print_assumptions(const struct prediction *p, struct text *t)
{
	text_add(t, "job:     steps of ");
	text_duration(t, p->options->grain_ns);
	text_add(t, ", in each of which all nodes wait for the slowest");
	text_sanitize_print(t);
	text_add(t, "BOUND:   with every rate at its 95 %% upper limit, and an event of ");
	text_duration(t, (uint64_t)p->unseen_ns);
	text_add(t, " that ");
	text_duration(t, (uint64_t)p->profile.exposure_ns);
	text_add(t, " may have missed, every ");
	text_duration(t, (uint64_t)(NS_PER_S / profile_unseen_hz(&p->profile)));
	text_sanitize_print(t);
}

/* An infinite bound is printed as "unbounded". */
static void factor(char text[40], double slower)
{
	if (isinf(slower))
		snprintf(text, 40, "unbounded");
	else
		snprintf(text, 40, "%.4f", slower);
}

#define BAR_MAX 40

/* The slowdown beyond 1, relative to the largest one printed. */
static void print_row(uint64_t nodes, double seen, double bound, double most)
{
	int length = most > 1 ? (int)lround((seen - 1) / (most - 1) * BAR_MAX) : 0;
	char bound_text[40];

	factor(bound_text, bound);
	printf("%9" PRIu64 "  %9.4f  %9s%s%.*s\n", nodes, seen, bound_text, length > 0 ? "  " : "",
	       length, "########################################");
}

static void print_curve(const struct prediction *p)
{
	double most = 1;

	for (size_t n = 0; predict_nodes_at(p->options, n); n++)
		most = fmax(most, seen_at(p, predict_nodes_at(p->options, n)));
	puts("    NODES   SLOWDOWN      BOUND");
	for (size_t n = 0; predict_nodes_at(p->options, n); n++) {
		uint64_t nodes = predict_nodes_at(p->options, n);

		print_row(nodes, seen_at(p, nodes), bound_at(p, nodes), most);
	}
	if (most > SLOWDOWN_SURE)
		printf("a SLOWDOWN above %g is an upper limit: the formula holds up to there\n",
		       SLOWDOWN_SURE);
}

/* The number of nodes for the rest of the output. */
static uint64_t nodes_asked(const struct predict_options *o)
{
	return o->nodes ? o->nodes : curve[CURVE - 1];
}

static void print_unseen(const struct prediction *p, struct text *t)
{
	uint64_t nodes = nodes_asked(p->options);

	printf("unseen events of another length, on %" PRIu64 " nodes: BOUND would be\n", nodes);
	for (size_t i = 0; i < UNSEEN_LENGTHS; i++) {
		char number[40];

		factor(number, unseen_at(p, unseen_lengths[i], nodes));
		text_add(t, "%9s for ", number);
		text_duration(t, unseen_lengths[i]);
		text_sanitize_print(t);
	}
}

static void print_text(const struct prediction *p)
{
	TEXT_DEFINE(t, 4096);

	print_source(p, &t);
	print_noise(p, &t);
	print_assumptions(p, &t);
	print_curve(p);
	print_unseen(p, &t);
}

static json_t *json_factor(double slower)
{
	return isinf(slower) ? json_null() : json_real(slower);
}

static json_t *json_point(const struct prediction *p, uint64_t nodes)
{
	return json_pack("{s:I,s:f,s:o}", "nodes", (json_int_t)nodes, "slowdown", seen_at(p, nodes),
			 "bound", json_factor(bound_at(p, nodes)));
}

static json_t *json_unseen(const struct prediction *p, uint64_t length, uint64_t nodes)
{
	return json_pack("{s:I,s:I,s:o}", "nodes", (json_int_t)nodes, "length_ns",
			 (json_int_t)length, "bound", json_factor(unseen_at(p, length, nodes)));
}

static void print_json(const struct prediction *p)
{
	const struct profile *f = &p->profile;
	const struct predict_options *o = p->options;

	json_print(
		json_pack("{s:o,s:o,s:o,s:b,s:I,s:I,s:f,s:f,s:f,s:s,s:f,s:f,s:f,s:f,s:f,s:o,s:o}",
			  "file", json_name(p->selected->capture.name), "sid",
			  json_sid(p->selected->run->sid), "stage", json_name(p->stage->name),
			  "whole", result_is_whole(p->selected->run), "grain_ns",
			  (json_int_t)o->grain_ns, "cores", (json_int_t)f->of, "exposure_ns",
			  f->exposure_ns, "events", profile_events(f), "longest_ns", f->longest_ns,
			  "how", profile_cores_name(f->cores), "noise_share", profile_share(f),
			  "threshold_ns", (double)p->threshold_ns, "unseen_ns", p->unseen_ns,
			  "unseen_hz", profile_unseen_hz(f), "sure_up_to", SLOWDOWN_SURE, "curve",
			  JSON_ARRAY(i, predict_nodes_at(o, i),
				     json_point(p, predict_nodes_at(o, i))),
			  "unseen",
			  JSON_ARRAY(i, i < UNSEEN_LENGTHS,
				     json_unseen(p, unseen_lengths[i], nodes_asked(o)))),
		JSON_COMPACT | JSON_REAL_PRECISION(12));
}

/* ---- For time-series databases ---- */

static void add_row(struct series *s, const struct prediction *p, uint64_t nodes)
{
	series_add(s, series_time_of(p->selected->capture.name));
	series_label(s, "run", "%016" PRIx64, p->selected->run->sid);
	series_label(s, "stage", "%s", p->stage->name);
	series_label(s, "grain_ns", "%" PRIu64, p->options->grain_ns);
	series_label(s, "nodes", "%" PRIu64, nodes);
	series_set_real(s, "slowdown", "Time of a step, relative to one without noise.",
			seen_at(p, nodes));
	series_set_real(s, "slowdown_bound", "The same, with rates at their 95 % limits.",
			bound_at(p, nodes));
}

static void print_series(const struct prediction *p)
{
	struct series s = { .measurement = "predict" };

	for (size_t n = 0; predict_nodes_at(p->options, n); n++)
		add_row(&s, p, predict_nodes_at(p->options, n));
	series_print(&s, p->options->form.form);
	series_free(&s);
}

static void (*const printers[FORMS])(const struct prediction *p) = {
	[FORM_TEXT] = print_text,
	[FORM_JSON] = print_json,
	[FORM_INFLUX] = print_series,
	[FORM_PROM] = print_series,
};

static bool prints(unsigned form)
{
	return printers[form];
}

/* Unseen events are assumed to be no shorter than the threshold. */
static double unseen_length(const struct prediction *p)
{
	if (p->options->unseen_ns)
		return (double)p->options->unseen_ns;
	return fmax(p->profile.longest_ns, (double)p->threshold_ns);
}

static bool predict(struct prediction *p)
{
	TEXT_DEFINE(why, LINE_MAX_BYTES);

	if (!profile_read(&p->profile, p->selected->run, p->stage, p->options->cores, &why)) {
		fprintf(stderr, "%s: no prediction: %s\n", p->selected->capture.name, why.buf);
		return false;
	}
	p->threshold_ns = result_threshold(p->selected->run);
	p->unseen_ns = unseen_length(p);
	p->seen_count = profile_classes(&p->profile, p->seen);
	p->bound_count = profile_bound(&p->profile, p->unseen_ns, p->bound);
	if (slowdown_share(p->seen, p->seen_count) <= SLOWDOWN_SHARE_MAX)
		return true;
	fprintf(stderr, "%s: no prediction: noise takes %.1f %% of the time\n",
		p->selected->capture.name, slowdown_share(p->seen, p->seen_count) * 100);
	return false;
}

static int predict_gaps(const struct capture_select *selected)
{
	static struct prediction p;

	p = (struct prediction){ .options = &options, .selected = selected };
	p.stage = capture_select_stage(selected, options.stage);
	if (options.kernel || options.phase)
		fprintf(stderr, "%s: --kernel and --phase are for runs in mode=stretch\n",
			selected->capture.name);
	if (options.kernel || options.phase || !p.stage || !predict(&p))
		return EXIT_ERROR;
	printers[options.form.form](&p);
	return capture_select_code(selected);
}

static int predict_opened(const struct capture_select *selected, size_t count)
{
	const char *of[] = { NULL, NULL }; /* a file with gaps, one with stretch */

	for (size_t i = 0; i < count; i++)
		of[selected[i].run->stretches > 0] = selected[i].capture.name;
	if (!of[0])
		return predict_stretch(&options, selected, count);
	if (count == 1)
		return predict_gaps(selected);
	if (of[1])
		fprintf(stderr, "%s is a run in mode=stretch, %s is not: no prediction of both\n",
			of[1], of[0]);
	else
		fprintf(stderr,
			"predict: extra argument %s: several runs have to be of mode=stretch\n",
			selected[1].capture.name);
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
		code = predict_opened(selected, (size_t)count);
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
	  options_enum, offsetof(struct predict_options, cores), .word = profile_cores_name },
	{ "kernel", "NAME", "mode=stretch: the kernel, if the run has several", options_text,
	  .offset = offsetof(struct predict_options, kernel) },
	{ "phase", "NAME",
	  "mode=stretch: who works besides; by default all, or alone if the run has no other",
	  options_text, .offset = offsetof(struct predict_options, phase) },
	OPTIONS_STAGE(struct predict_options, stage,
		      "the stage; by default the last on the ladder"),
	OPTIONS_RUN(struct predict_options, run, "run", "the run, if the file has several"),
	OPTIONS_FORM(struct predict_options, form, prints),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand predict_subcommand = {
	.name = "predict",
	.run = run,
	.summary = "how much a parallel job is slowed down by a measured floor",
	.arguments = "FILE...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "How much slower a bulk-synchronous job runs on many nodes like the measured one: "
		 "in each step every node computes for the grain, and all wait for the slowest. Of "
		 "runs in mode=stretch, one or many nodes' own, the same for ranks on their cores.",
	.exit_code = "0, 2 error, 3 records of the run are missing.",
	.rows = rows,
	.options = &options,
};
