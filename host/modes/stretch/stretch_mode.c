/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mode=stretch: each core has records `stretch`; predict computes the slowest of many ranks from
 * the distributions of all cores of all runs.
 */
#include "slowest.h"
#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/forms/checks.h"
#include "host/kinds/stretch/stretch_records.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/progress.h"
#include "host/lib/text_sanitize.h"
#include "host/modes/host_mode.h"
#include "host/predict/predict.h"

#include "core/lib/arith.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES_MAX      4096
#define QUANTA_MAX     1e9
#define LINE_MAX_BYTES 256

static bool cores(const struct result_stage *stage, struct cpulist *list)
{
	const struct stretch_records of = stretch_records_of(stage);

	for (size_t i = 0; list && i < of.count; i++)
		cpulist_add(list, of.at[i].cpu);
	return of.count;
}

/*
 * The record that judges the core of record n: the worst of its kernels and phases. NULL unless n
 * is the core's first record.
 */
static const struct record_stretch *worst_of(struct stretch_records of, size_t n)
{
	const struct record_stretch *r = of.at, *worst = &r[n];

	for (size_t i = 0; i < n; i++) {
		if (r[i].cpu == r[n].cpu)
			return NULL;
	}
	for (size_t i = n; i < of.count; i++) {
		if (r[i].cpu == r[n].cpu && r[i].p999 > worst->p999)
			worst = &r[i];
	}
	return worst;
}

static bool core_alone(const void *ctx, uint32_t n, struct verdict_core *core)
{
	const struct record_stretch *r = ctx;

	*core = (struct verdict_core){ .index = r->cpu };
	core->value[LIMIT_MAX_STRETCH] = (struct maybe){ arith_sum(r->p999, 1000000), true };
	return !n;
}

static void check_core(struct checks *c, const struct result_verdict *v, const char *stage,
		       const struct record_stretch *r)
{
	struct verdict_reasons reasons = { .verdict = VERDICT_NONE };
	struct text t;

	verdict_judge_cores(&reasons, &v->limits, core_alone, r);
	checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u stretch", r->cpu);
	checks_reasons(&t, &reasons);
	text_add(&t, "%sworst p99.9 ", t.len ? ": " : "");
	text_fixed(&t, arith_sum(r->p999, 1000000), 6, 0);
	text_add(&t, " (%s, %s, %llu quanta)", r->kernel ? r->kernel : "n/a",
		 r->phase ? r->phase : "n/a", (unsigned long long)r->quanta);
}

/* max_stretch is the only limit on what the mode measures. */
static void put_checks(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage)
{
	const struct stretch_records of = stretch_records_of(stage);

	for (size_t n = 0; v->limits.limit[LIMIT_MAX_STRETCH].set && n < of.count; n++) {
		const struct record_stretch *r = worst_of(of, n);

		if (r)
			check_core(c, v, stage->name, r);
	}
}

/* ---- Prediction ---- */

/* A core's quanta of the chosen stage, kernel and phase. */
struct core {
	const struct record_stretch *record;
	double best_ns;
};

struct fleet {
	struct predict_result *p;
	const char *stage, *kernel, *phase;
	struct core *core;
	size_t cores;
	double best_ns;   /* of the quickest core */
	double unseen_ns; /* the longest delay of a quantum, or as asked for */
	uint64_t quanta;  /* in a step */
};

/* ---- Which records ---- */

static bool refuse(const struct capture_select *s, const char *why)
{
	fprintf(stderr, "%s: no prediction: %s\n", s->capture.name, why);
	return false;
}

static const struct result_stage *stage_of(const struct capture_select *s, const char *name)
{
	for (size_t i = s->run->stages; i-- > 0;) {
		const struct result_stage *stage = &s->run->stage[i];

		if (stretch_records_of(stage).count && (!name || strcmp(stage->name, name) == 0))
			return stage;
	}
	return NULL;
}

static bool is(const char *name, const char *wanted)
{
	return !wanted || (name && strcmp(name, wanted) == 0);
}

/* Refuse the choice, and list what the stage has. */
static bool refuse_choice(const struct capture_select *s, const struct result_stage *stage,
			  const char *what)
{
	const struct stretch_records of = stretch_records_of(stage);
	const struct record_stretch *last = NULL;
	TEXT_DEFINE(has, LINE_MAX_BYTES);

	text_add(&has, "%s; stage %s has (kernel/phase)", what, stage->name);
	for (size_t i = 0; i < of.count; i++) {
		const struct record_stretch *r = &of.at[i];

		if (!last || !is(r->kernel, last->kernel) || !is(r->phase, last->phase))
			text_add(&has, " %s/%s", r->kernel, r->phase);
		last = r;
	}
	text_sanitize(has.buf);
	return refuse(s, has.buf);
}

/* Choose stage, kernel and phase by the first run; all others must have the same. */
static bool choose(struct fleet *f)
{
	const struct result_stage *stage = stage_of(f->p->selected, f->p->options->stage);
	struct stretch_records of;

	if (!stage)
		return refuse(f->p->selected, "the stage has no stretch record");
	of = stretch_records_of(stage);
	f->stage = stage->name;
	f->kernel = f->p->options->kernel ? f->p->options->kernel : of.at[0].kernel;
	f->phase = f->p->options->phase ? f->p->options->phase : "alone";
	for (size_t i = 0; i < of.count && !f->p->options->phase; i++)
		if (is(of.at[i].kernel, f->kernel) && is(of.at[i].phase, "all"))
			f->phase = "all";
	for (size_t i = 0; i < of.count && !f->p->options->kernel; i++)
		if (!f->kernel || !is(of.at[i].kernel, f->kernel))
			return refuse_choice(f->p->selected, stage, "a --kernel must be given");
	return true;
}

static bool add_core(struct fleet *f, const struct capture_select *s,
		     const struct record_stretch *r)
{
	double ns = (double)r->best / (double)s->run->begin.clock.hz * (double)NS_PER_S;
	TEXT_DEFINE(why, LINE_MAX_BYTES);

	if (!r->quanta || !r->best || !stretch_records_counted(r))
		text_add(&why, "the histogram of cpu %u does not hold its %llu quanta", r->cpu,
			 (unsigned long long)r->quanta);
	else if (f->cores == CORES_MAX)
		text_add(&why, "there are more than %u cores", CORES_MAX);
	else if (f->cores && r->work != f->core->record->work)
		text_add(&why, "a quantum of cpu %u is not the same work as that of the first core",
			 r->cpu);
	if (why.buf[0])
		return refuse(s, why.buf);
	*MEMORY_ADD(f->core, f->cores) = (struct core){ r, ns };
	f->best_ns = f->cores == 1 ? ns : fmin(f->best_ns, ns);
	f->unseen_ns = fmax(f->unseen_ns, ns * (double)r->max / 1e6);
	return true;
}

static bool add_run(struct fleet *f, const struct capture_select *s)
{
	const struct result_stage *stage = stage_of(s, f->stage);
	struct stretch_records of;
	size_t before = f->cores;

	if (!stage)
		return refuse(s, "the stage has no stretch record");
	if (!s->run->begin.clock.hz)
		return refuse(s, "the rate of its clock is not known");
	of = stretch_records_of(stage);
	for (size_t i = 0; i < of.count; i++) {
		const struct record_stretch *r = &of.at[i];

		if (is(r->kernel, f->kernel) && is(r->phase, f->phase) && !add_core(f, s, r))
			return false;
	}
	return f->cores > before ||
	       refuse_choice(s, stage, "there are no quanta of this kernel and phase");
}

/* ---- The prediction ---- */

/* Fill a column of the table: for a step of all quanta, or for one quantum. */
static void predict(struct fleet *f, size_t column, bool whole_step, enum slowest_edge edge)
{
	struct slowest_core *core = memory_new(f->cores, sizeof(*core));

	for (size_t i = 0; i < f->cores; i++) {
		core[i].best = f->core[i].best_ns / f->best_ns;
		slowest_read(&core[i], f->core[i].record, edge,
			     f->unseen_ns / f->core[i].best_ns * 1e6);
		if (whole_step)
			slowest_repeat(&core[i], f->quanta);
	}
	slowest_expect(core, f->cores, f->p->nodes, f->p->rows, f->p->factor[column]);
	for (size_t i = 0; i < f->cores; i++)
		free(core[i].point);
	free(core);
}

static bool read_all(struct fleet *f)
{
	if (f->p->options->cores != PROFILE_AUTO)
		return refuse(f->p->selected, "--cores is for runs with gaps");
	if (!choose(f))
		return false;
	for (size_t i = 0; i < f->p->runs; i++)
		if (!add_run(f, &f->p->selected[i]))
			return false;
	if (f->p->options->unseen_ns)
		f->unseen_ns = (double)f->p->options->unseen_ns;
	if ((double)f->p->options->grain_ns / f->best_ns > QUANTA_MAX)
		return refuse(f->p->selected, "a step of --grain has more than 10^9 quanta");
	f->quanta = (uint64_t)fmax(round((double)f->p->options->grain_ns / f->best_ns), 1);
	return true;
}

static void describe_job(const struct fleet *f)
{
	struct predict_result *p = f->p;
	TEXT_DEFINE(t, LINE_MAX_BYTES);

	text_add(&t, "work:    stage %s, kernel %s, phase %s on %llu cores, a quantum of ",
		 f->stage, f->kernel, f->phase, (unsigned long long)f->cores);
	text_duration(&t, (uint64_t)fmin(f->best_ns, 0x1p63));
	text_add(&t, " at best");
	predict_line(p, &t);
	text_add(&t,
		 "job:     ranks, evenly on these cores, wait for the slowest: STEP after %llu "
		 "quanta,",
		 (unsigned long long)f->quanta);
	predict_line(p, &t);
	text_add(&t, "         independent of each other; ALLREDUCE after each, which is also "
		     "STEP's limit");
	predict_line(p, &t);
	text_add(&t, "         where slow quanta come in a row");
	predict_line(p, &t);
	text_add(&t,
		 "BOUND:   with every count at its 95 %% upper limit, and a quantum longer by ");
	text_duration(&t, (uint64_t)fmin(f->unseen_ns, 0x1p63));
	text_add(&t, " that all may have missed");
	predict_line(p, &t);
}

static const struct {
	struct predict_column column;
	bool whole_step;
	enum slowest_edge edge;
} columns[] = {
	{ { "slowdown", "STEP" }, true, SLOWEST_SEEN },
	{ { "slowdown_bound", "BOUND" }, true, SLOWEST_BOUND },
	{ { "slowdown_low", NULL }, true, SLOWEST_LOW },
	{ { "allreduce", "ALLREDUCE" }, false, SLOWEST_SEEN },
	{ { "allreduce_bound", "BOUND" }, false, SLOWEST_BOUND },
	{ { "allreduce_low", NULL }, false, SLOWEST_LOW },
};

static bool stretch_predict(struct predict_result *p)
{
	static struct fleet f;
	bool good;

	f = (struct fleet){ .p = p };
	good = read_all(&f);
	if (good) {
		progress_start("predicting from", p->selected->capture.name, 0);
		for (; p->columns < sizeof(columns) / sizeof(columns[0]); p->columns++) {
			p->column[p->columns] = columns[p->columns].column;
			predict(&f, p->columns, columns[p->columns].whole_step,
				columns[p->columns].edge);
		}
		progress_stop();
		p->schema = "predict-stretch/1";
		p->of = "ranks";
		describe_job(&f);
		p->document = json_pack("{s:o,s:o,s:o,s:I,s:I,s:f,s:f}", "stage",
					json_name(f.stage), "kernel", json_name(f.kernel), "phase",
					json_name(f.phase), "cores", (json_int_t)f.cores, "quanta",
					(json_int_t)f.quanta, "best_ns", f.best_ns, "unseen_ns",
					f.unseen_ns);
	}
	free(f.core);
	return good;
}

const struct host_mode host_mode_stretch = {
	.mode = &mode_stretch,
	.cores = cores,
	.checks = put_checks,
	.predict = stretch_predict,
};
