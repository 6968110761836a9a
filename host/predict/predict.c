/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: the options, the mode that predicts, and how its prediction is printed. */
#include "predict.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/modes/host_mode.h"
#include "host/subcommands.h"

#include "core/lib/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAIN_DEFAULT_NS UINT64_C(1000000)
#define NODES_MAX        100000000

static struct predict_options options = { .grain_ns = GRAIN_DEFAULT_NS };

static const uint64_t curve[] = { 1,   2,    5,    10,   20,    50,    100,   200,
				  500, 1000, 2000, 5000, 10000, 20000, 50000, 100000 };

#define CURVE (sizeof(curve) / sizeof(curve[0]))

_Static_assert(PREDICT_ROWS > CURVE + 1, "one that is asked for");

/* Choose the table's numbers of nodes and, in its place, the number that is asked for. */
static void choose_nodes(struct predict_result *p)
{
	uint64_t asked = p->options->nodes;

	for (size_t n = 0; n < CURVE; n++) {
		if (asked && asked < curve[n]) {
			p->nodes[p->rows++] = asked;
			asked = 0;
		}
		p->nodes[p->rows++] = curve[n];
		asked = asked == curve[n] ? 0 : asked;
	}
	if (asked)
		p->nodes[p->rows++] = asked;
}

/* ---- Lengths by bucket ---- */

void predict_gather(struct predict_sums *s, double at, double mass)
{
	/* Not every double fits an integer. */
	size_t bucket = at < 0x1p48 ? hist_bucket((uint64_t)at) : HIST_BUCKETS - 1;

	s->mass[bucket] += mass;
	s->moment[bucket] += mass * at;
}

size_t predict_points(struct predict_sums *s, struct predict_point point[HIST_BUCKETS])
{
	size_t points = 0;

	for (size_t i = HIST_BUCKETS; i-- > 0;)
		if (s->mass[i] > 0)
			point[points++] = (struct predict_point){ s->moment[i] / s->mass[i],
								  s->mass[i] };
	memset(s, 0, sizeof(*s));
	return points;
}

/* ---- Slowdown: the fixed point, approached from below ---- */

#define ROUNDS_MAX 2000
#define CLOSE      1e-9

double predict_noise_share(const struct predict_point *class, size_t count)
{
	double share = 0;

	for (size_t k = 0; k < count; k++)
		share += class[k].at * class[k].mass / NS_PER_S;
	return share;
}

/*
 * M(domains) - M(1): by how much the longest event that hits any of the domains is longer than that
 * of one domain.
 */
static double later(const struct predict_point *class, size_t count, double domains, double step)
{
	double rate = 0, late = 0;

	for (size_t k = 0; k < count; k++) {
		double shorter = k + 1 < count ? class[k + 1].at : 0;
		double hits;

		rate += class[k].mass;
		hits = step * rate / NS_PER_S;
		late += (class[k].at - shorter) * (exp(-hits) - exp(-domains * hits));
	}
	return late;
}

double predict_slowdown(const struct predict_point *class, size_t count, double domains,
			double grain_ns)
{
	double share = predict_noise_share(class, count);
	double step = grain_ns;

	if (share > SLOWDOWN_SHARE_MAX)
		return INFINITY;
	/*
	 * The right-hand side rises with the step, so each round comes closer and none overshoots.
	 */
	for (int round = 0; round < ROUNDS_MAX; round++) {
		double next = grain_ns + share * step + later(class, count, domains, step);
		int close = next - step <= step * CLOSE;

		step = next;
		if (close)
			break;
	}
	return step / grain_ns;
}

/* ---- Output ---- */

void predict_line(struct predict_result *p, struct text *line)
{
	text_sanitize(line->buf);
	text_add(&p->about, "%s\n", line->buf);
	text_reset(line);
}

static void print_row(const struct predict_result *p, size_t n)
{
	printf("%9llu", (unsigned long long)p->nodes[n]);
	for (size_t c = 0; c < p->columns; c++) {
		if (isinf(p->factor[c][n]))
			printf("  unbounded");
		else
			printf("  %9.4f", p->factor[c][n]);
	}
	putchar('\n');
}

static void print_text(const struct predict_result *p)
{
	TEXT_DEFINE(t, 300);

	for (size_t i = 0; i < p->runs; i++) {
		text_add(&t, "%s: run %016llx", p->selected[i].capture.name,
			 (unsigned long long)p->selected[i].run->sid);
		text_sanitize_print(&t);
	}
	fputs(p->about.buf, stdout);
	printf("%9s", strcmp(p->of, "nodes") == 0 ? "NODES" : "RANKS");
	for (size_t c = 0; c < p->columns; c++)
		printf("  %9s", p->column[c].head);
	putchar('\n');
	for (size_t n = 0; n < p->rows; n++)
		print_row(p, n);
	if (p->note)
		puts(p->note);
}

static json_t *json_row(const struct predict_result *p, size_t n)
{
	json_t *row = json_pack("{s:I}", p->of, (json_int_t)p->nodes[n]);

	for (size_t c = 0; c < p->columns; c++)
		json_object_set_new(row, p->column[c].name,
				    isinf(p->factor[c][n]) ? json_null()
							   : json_real(p->factor[c][n]));
	return row;
}

static json_t *json_run(const struct capture_select *s)
{
	return json_pack("{s:o,s:o,s:b}", "file", json_name(s->capture.name), "sid",
			 json_sid(s->run->sid), "whole", result_is_whole(s->run));
}

static void print_json(struct predict_result *p)
{
	json_t *d = p->document;

	json_object_set_new(d, "runs", JSON_ARRAY(i, i < p->runs, json_run(&p->selected[i])));
	json_object_set_new(d, "grain_ns", json_integer((json_int_t)p->options->grain_ns));
	json_object_set_new(d, "curve", JSON_ARRAY(n, n < p->rows, json_row(p, n)));
	json_print(p->schema, d, JSON_COMPACT | JSON_REAL_PRECISION(12));
}

/* Predict by the mode that all runs share; false, with a complaint, if they share none. */
static bool predict(struct predict_result *p)
{
	const struct capture_select *s = p->selected;
	const struct host_mode *mode = result_mode(s->run), *other = mode;
	size_t n = 0;

	while (other == mode && ++n < p->runs)
		other = result_mode(s[n].run);
	if (other != mode)
		fprintf(stderr, "%s is a run in mode=%s, %s in mode=%s: no prediction of both\n",
			s->capture.name, mode->mode->name, s[n].capture.name, other->mode->name);
	else if (!mode->predict)
		fprintf(stderr, "%s: a run of mode=%s has measured nothing to predict from\n",
			s->capture.name, mode->mode->name);
	else
		return mode->predict(p);
	return false;
}

static int predict_and_print(const struct capture_select *selected, size_t count)
{
	static struct predict_result p;
	int code = EXIT_PASS;

	p = (struct predict_result){ .options = &options, .selected = selected, .runs = count };
	text_init(&p.about, p.about_text, sizeof(p.about_text));
	choose_nodes(&p);
	if (!predict(&p))
		return EXIT_ERROR;
	if (options.form.form == FORM_JSON)
		print_json(&p);
	else
		print_text(&p);
	if (options.form.form != FORM_JSON)
		json_decref(p.document);
	for (size_t i = 0; i < count; i++)
		code = exit_worst(code, capture_select_code(&selected[i]));
	return code;
}

static int predict_run(int count, char **paths)
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
		code = predict_and_print(selected, (size_t)count);
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
	.run = predict_run,
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
