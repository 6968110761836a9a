/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=gaps: each core has a record `cpu`; predict applies its formula to the noise of a stage. */
#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/capture/result_verdict.h"
#include "host/forms/checks.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"
#include "host/modes/host_mode.h"
#include "host/predict/predict.h"
#include "host/program/form.h"

#include "core/lib/text.h"
#include "core/lib/ticks.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#define LINE_MAX_BYTES 256

static bool cores(const struct result_stage *stage, struct cpulist *list)
{
	for (size_t i = 0; list && i < stage->cpus; i++)
		cpulist_add(list, stage->cpu[i].cpu);
	return stage->cpus;
}

static void describe_core(const struct record_cpu *cpu, struct text *t)
{
	text_add(t, "longest gap ");
	if (cpu->max_ns)
		text_duration(t, cpu->max_ns);
	else
		text_add(t, "none");
	text_add(t, ", %llu gaps in ", (unsigned long long)cpu->gaps);
	text_duration(t, cpu->exposure_ns);
	if (cpu->smi.known)
		text_add(t, ", %llu SMIs", (unsigned long long)cpu->smi.value);
}

static void check_core(struct checks *c, const struct result_verdict *v, const char *stage,
		       const struct record_cpu *cpu)
{
	struct verdict_reasons reasons;
	struct checks_row *check;
	struct text t;

	verdict_judge_core(&reasons, &v->limits, cpu);
	check = checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u", cpu->cpu);
	check->ns = cpu->exposure_ns;
	check->max_ns = (struct maybe){ cpu->max_ns, true };
	checks_reasons(&t, &reasons);
	if (reasons.verdict == VERDICT_NONE)
		text_add(&t, "no limit was set");
	text_add(&t, "%s", t.len ? ": " : "");
	describe_core(cpu, &t);
}

static void put_checks(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	for (size_t n = 0; n < stage->cpus; n++)
		check_core(c, v, stage->name, &stage->cpu[n]);
}

/* ---- Prediction, for 1 to 100,000 nodes ---- */

/* A prediction and its input. */
struct prediction {
	const struct predict_options *options;
	const struct capture_select *selected;
	struct result_stage *stage;
	uint64_t threshold_ns;
	struct predict_profile profile;
	double unseen_ns;
	size_t seen_count, bound_count;
	struct predict_noise seen[PROFILE_CLASSES], bound[PROFILE_CLASSES];
};

/* Lengths of events that may have been missed. */
static const uint64_t unseen_lengths[] = { 1000000, 10000000, 100000000, 1000000000 };

#define UNSEEN_LENGTHS (sizeof(unseen_lengths) / sizeof(unseen_lengths[0]))

static double on_nodes(const struct prediction *p, const struct predict_noise *class, size_t count,
		       uint64_t nodes)
{
	return predict_slowdown(class, count, (double)nodes * p->profile.domains,
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
	static struct predict_noise class[PROFILE_CLASSES];
	size_t count = predict_profile_bound(&p->profile, (double)length_ns, class);

	return on_nodes(p, class, count, nodes);
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
	double events = predict_profile_events(&p->profile);
	char rate[40], share[40];

	snprintf(rate, sizeof(rate), "%.4g",
		 events / p->profile.exposure_ns * NS_PER_S * p->profile.domains);
	snprintf(share, sizeof(share), "%.4g", predict_noise_share(p->seen, p->seen_count) * 100);
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
	text_duration(t, (uint64_t)(NS_PER_S / predict_profile_unseen_hz(&p->profile)));
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
	return o->nodes ? o->nodes : PREDICT_NODES_MOST;
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
	const struct predict_profile *f = &p->profile;
	const struct predict_options *o = p->options;

	json_print(
		"predict/1",
		json_pack("{s:o,s:o,s:o,s:b,s:I,s:I,s:f,s:f,s:f,s:s,s:f,s:f,s:f,s:f,s:f,s:o,s:o}",
			  "file", json_name(p->selected->capture.name), "sid",
			  json_sid(p->selected->run->sid), "stage", json_name(p->stage->name),
			  "whole", result_is_whole(p->selected->run), "grain_ns",
			  (json_int_t)o->grain_ns, "cores", (json_int_t)f->of, "exposure_ns",
			  f->exposure_ns, "events", predict_profile_events(f), "longest_ns",
			  f->longest_ns, "how", predict_cores_name(f->cores), "noise_share",
			  predict_noise_share(p->seen, p->seen_count), "threshold_ns",
			  (double)p->threshold_ns, "unseen_ns", p->unseen_ns, "unseen_hz",
			  predict_profile_unseen_hz(f), "sure_up_to", SLOWDOWN_SURE, "curve",
			  JSON_ARRAY(i, predict_nodes_at(o, i),
				     json_point(p, predict_nodes_at(o, i))),
			  "unseen",
			  JSON_ARRAY(i, i < UNSEEN_LENGTHS,
				     json_unseen(p, unseen_lengths[i], nodes_asked(o)))),
		JSON_COMPACT | JSON_REAL_PRECISION(12));
}

static void (*const printers[FORMS])(const struct prediction *p) = {
	[FORM_TEXT] = print_text,
	[FORM_JSON] = print_json,
};

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

	if (!predict_profile_read(&p->profile, p->selected->run, p->stage, p->options->cores,
				  &why)) {
		fprintf(stderr, "%s: no prediction: %s\n", p->selected->capture.name, why.buf);
		return false;
	}
	p->threshold_ns = result_threshold(p->selected->run);
	p->unseen_ns = unseen_length(p);
	p->seen_count = predict_profile_classes(&p->profile, p->seen);
	p->bound_count = predict_profile_bound(&p->profile, p->unseen_ns, p->bound);
	if (predict_noise_share(p->seen, p->seen_count) <= SLOWDOWN_SHARE_MAX)
		return true;
	fprintf(stderr, "%s: no prediction: noise takes %.1f %% of the time\n",
		p->selected->capture.name, predict_noise_share(p->seen, p->seen_count) * 100);
	return false;
}

/* Several runs are refused. */
static int gaps_predict(const struct predict_options *o, const struct capture_select *selected,
			size_t count)
{
	static struct prediction p;

	if (count > 1) {
		fprintf(stderr,
			"predict: extra argument %s: a run in mode=gaps is predicted alone\n",
			selected[1].capture.name);
		return EXIT_ERROR;
	}
	p = (struct prediction){ .options = o, .selected = selected };
	p.stage = capture_select_stage(selected, o->stage);
	if (o->kernel || o->phase)
		fprintf(stderr, "%s: --kernel and --phase mean nothing in mode=gaps\n",
			selected->capture.name);
	if (o->kernel || o->phase || !p.stage || !predict(&p))
		return EXIT_ERROR;
	printers[o->form.form](&p);
	return capture_select_code(selected);
}

const struct host_mode host_mode_gaps = {
	.mode = &mode_gaps,
	.cores = cores,
	.checks = put_checks,
	.predict = gaps_predict,
};
