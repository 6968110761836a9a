/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=gaps: each core has a record `cpu`; predict applies its formula to the noise of a stage. */
#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/forms/checks.h"
#include "host/lib/json_name.h"
#include "host/modes/host_mode.h"
#include "host/predict/predict.h"

#include "core/lib/text.h"
#include "core/lib/ticks.h"

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

/* ---- Prediction ---- */

/* The noise of one node: as it was seen, and its upper bound. */
struct noise {
	struct predict_profile profile;
	double unseen_ns;
	size_t seen_count, bound_count;
	struct predict_noise seen[PROFILE_CLASSES], bound[PROFILE_CLASSES];
};

static void describe_noise(struct predict_result *p, const struct noise *n,
			   const struct result_stage *stage, uint64_t threshold_ns)
{
	static const char *const how[] = {
		[PROFILE_MERGED] = "overlapping ones merged to events",
		[PROFILE_APART] = "assuming gaps never overlap, an upper bound",
		[PROFILE_TOGETHER] = "assuming all cores stop together, a lower bound",
	};
	const struct predict_profile *f = &n->profile;
	double events = predict_profile_events(f);
	char rate[40], share[40];
	TEXT_DEFINE(t, LINE_MAX_BYTES);

	text_add(&t, "stage:   %s, %u cores, ", stage->name, f->of);
	text_duration(&t, (uint64_t)(f->exposure_ns / f->domains));
	text_add(&t, " each, gaps from ");
	text_duration(&t, threshold_ns);
	text_add(&t, " on");
	predict_line(p, &t);
	snprintf(rate, sizeof(rate), "%.4g", events / f->exposure_ns * NS_PER_S * f->domains);
	snprintf(share, sizeof(share), "%.4g", predict_noise_share(n->seen, n->seen_count) * 100);
	text_add(&t,
		 "noise:   %llu gaps, %s: %s a second on a node, %s %% of the time, the longest ",
		 (unsigned long long)f->gaps, how[f->cores], rate, share);
	if (events > 0)
		text_duration(&t, (uint64_t)f->longest_ns);
	else
		text_add(&t, "n/a");
	predict_line(p, &t);
}

static void describe_job(struct predict_result *p, const struct noise *n)
{
	TEXT_DEFINE(t, LINE_MAX_BYTES);

	text_add(&t, "job:     steps of ");
	text_duration(&t, p->options->grain_ns);
	text_add(&t, ", in each of which all nodes wait for the slowest");
	predict_line(p, &t);
	text_add(&t, "BOUND:   with every rate at its 95 %% upper limit, and an event of ");
	text_duration(&t, (uint64_t)n->unseen_ns);
	text_add(&t, " that ");
	text_duration(&t, (uint64_t)n->profile.exposure_ns);
	text_add(&t, " may have missed, every ");
	text_duration(&t, (uint64_t)(NS_PER_S / predict_profile_unseen_hz(&n->profile)));
	predict_line(p, &t);
}

static json_t *make_document(const struct noise *n, const struct result_stage *stage,
			     uint64_t threshold_ns)
{
	const struct predict_profile *f = &n->profile;

	return json_pack("{s:o,s:I,s:f,s:f,s:f,s:s,s:f,s:f,s:f,s:f,s:f}", "stage",
			 json_name(stage->name), "cores", (json_int_t)f->of, "exposure_ns",
			 f->exposure_ns, "events", predict_profile_events(f), "longest_ns",
			 f->longest_ns, "how", predict_cores_name(f->cores), "noise_share",
			 predict_noise_share(n->seen, n->seen_count), "threshold_ns",
			 (double)threshold_ns, "unseen_ns", n->unseen_ns, "unseen_hz",
			 predict_profile_unseen_hz(f), "sure_up_to", SLOWDOWN_SURE);
}

/* Unseen events are assumed to be no shorter than the threshold. */
static bool read_noise(struct noise *n, const struct predict_result *p, struct result_stage *stage)
{
	const struct capture_select *s = p->selected;
	uint64_t threshold_ns = result_threshold(s->run);
	TEXT_DEFINE(why, LINE_MAX_BYTES);

	if (!predict_profile_read(&n->profile, s->run, stage, p->options->cores, &why)) {
		fprintf(stderr, "%s: no prediction: %s\n", s->capture.name, why.buf);
		return false;
	}
	n->unseen_ns = p->options->unseen_ns ? (double)p->options->unseen_ns
					     : fmax(n->profile.longest_ns, (double)threshold_ns);
	n->seen_count = predict_profile_classes(&n->profile, n->seen);
	n->bound_count = predict_profile_bound(&n->profile, n->unseen_ns, n->bound);
	if (predict_noise_share(n->seen, n->seen_count) <= SLOWDOWN_SHARE_MAX)
		return true;
	fprintf(stderr, "%s: no prediction: noise takes %.1f %% of the time\n", s->capture.name,
		predict_noise_share(n->seen, n->seen_count) * 100);
	return false;
}

#define TEXT_OF(number) #number
#define NOTE(sure) \
	"a SLOWDOWN above " TEXT_OF(sure) " is an upper limit: the formula holds up to there"

static void fill_table(struct predict_result *p, const struct noise *n)
{
	double grain_ns = (double)p->options->grain_ns;

	for (size_t i = 0; i < p->rows; i++) {
		double domains = (double)p->nodes[i] * n->profile.domains;

		p->factor[0][i] = predict_slowdown(n->seen, n->seen_count, domains, grain_ns);
		p->factor[1][i] = predict_slowdown(n->bound, n->bound_count, domains, grain_ns);
		if (p->factor[0][i] > SLOWDOWN_SURE)
			p->note = NOTE(SLOWDOWN_SURE);
	}
}

/* Several runs are refused. */
static bool gaps_predict(struct predict_result *p)
{
	static struct noise n;
	const struct capture_select *s = p->selected;
	uint64_t threshold_ns = result_threshold(s->run);
	struct result_stage *stage;

	if (p->runs > 1) {
		fprintf(stderr,
			"predict: extra argument %s: a run in mode=gaps is predicted alone\n",
			s[1].capture.name);
		return false;
	}
	stage = capture_select_stage(s, p->options->stage);
	if (p->options->kernel || p->options->phase) {
		fprintf(stderr, "%s: --kernel and --phase mean nothing in mode=gaps\n",
			s->capture.name);
		return false;
	}
	if (!stage || !read_noise(&n, p, stage))
		return false;
	p->schema = "predict/1";
	p->of = "nodes";
	p->column[p->columns++] = (struct predict_column){ "slowdown", "SLOWDOWN" };
	p->column[p->columns++] = (struct predict_column){ "bound", "BOUND" };
	describe_noise(p, &n, stage, threshold_ns);
	describe_job(p, &n);
	fill_table(p, &n);
	p->document = make_document(&n, stage, threshold_ns);
	return true;
}

const struct host_mode host_mode_gaps = {
	.mode = &mode_gaps,
	.cores = cores,
	.checks = put_checks,
	.predict = gaps_predict,
};
