/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The prediction of mode=stretch, from the distributions of all cores of all runs: how long a step
 * takes in which every rank does the same work and all wait for the slowest. Each rank is on any of
 * the cores, all equally likely. Ranks are independent, and so are the pieces of work of a rank:
 * the distribution function of the slowest is a power of theirs. Ranks that are slow at the same
 * time wait less. If slow pieces come in a row, steps are longer, but by the mean never longer than
 * those of a single piece.
 */
#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/kinds/stretch/stretch_records.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/progress.h"
#include "host/lib/text_sanitize.h"
#include "host/predict/predict.h"
#include "host/statistics/chance.h"

#include "core/gaps/hist.h"
#include "core/kinds/stretch/stretch.h"
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
#define PPM            1e6
#define TAIL           0.05
#define NEGLIGIBLE     1e-18
#define SPREAD         8 /* points of a bucket */

/*
 * Delays of a piece of work, in millionths of its shortest time; all masses sum up to 1. Points
 * within 1/64 of each other are taken together.
 */
struct delays {
	struct predict_point point[HIST_BUCKETS];
	size_t points;
};

/* One kind of rank: a core, by its quanta of the chosen stage, kernel and phase. */
struct rank {
	const struct record_stretch *record;
	double best_ns; /* best time of a quantum */
};

/* ---- From a record ---- */

/* A bucket's upper edge: eight to an octave. */
static uint64_t next_edge(uint64_t low)
{
	return arith_sum(low, UINT64_C(1) << (60 - __builtin_clzll(low | 8)));
}

/* The quanta of a bucket, evenly from its lower edge to its upper one, or to the longest. */
static void gather_seen(struct predict_sums *s, const struct record_stretch *r)
{
	for (size_t i = 0; i < r->hist.count; i++) {
		double low = (double)r->hist.at[i][0];
		double high = fmax(low, fmin((double)next_edge(r->hist.at[i][0]), (double)r->max));

		for (unsigned k = 0; k < SPREAD; k++)
			predict_gather(s, low + (high - low) * (k + 0.5) / SPREAD,
				       (double)r->hist.at[i][1] / (double)r->quanta / SPREAD);
	}
}

/*
 * The bound, as for mode=gaps: quanta at the upper edges of their buckets, every count of longer
 * quanta at its 95 % upper limit, and one more, longer by `unseen`, that all may have missed.
 */
static void gather_bound(struct predict_sums *s, const struct record_stretch *r, double unseen)
{
	double of = (double)r->quanta, seen = 0, limit = 0;
	double more = stretch_records_above_min(r) / (double)r->best * PPM / STRETCH_SUB;
	double left = 1 - fmin(poisson_upper(0, TAIL) / of, 1);

	predict_gather(s, unseen, 1 - left);
	for (size_t i = r->hist.count; i-- > 0;) {
		double upper, mass;

		seen += (double)r->hist.at[i][1];
		upper = poisson_upper(seen, TAIL) / of;
		mass = i ? fmin(upper - limit, left) : left;
		/*
		 * The bucket's upper edge; the probe's buckets are up to 1/32 wide, relative to the
		 * minimum.
		 */
		predict_gather(s,
			       fmin((double)next_edge(r->hist.at[i][0]) * 33 / 32 + 1 + more,
				    (double)r->max),
			       mass);
		left -= mass;
		limit = upper;
	}
}

/* ---- Work in a row ---- */

/* Add b to a; they may be the same, and then each pair is visited once. */
static void add_delays(struct delays *a, const struct delays *b)
{
	static struct predict_sums sums;
	bool same = a == b;

	for (size_t i = 0; i < a->points; i++) {
		for (size_t j = same ? i : 0; j < b->points; j++) {
			double mass = a->point[i].mass * b->point[j].mass;

			if (mass > NEGLIGIBLE)
				predict_gather(&sums, a->point[i].at + b->point[j].at,
					       same && j > i ? 2 * mass : mass);
		}
	}
	a->points = predict_points(&sums, a->point);
}

/* One piece of work becomes `times` (not 0) in a row. */
static void repeat(struct delays *d, uint64_t times)
{
	static struct delays twice;
	double parts = (double)times;

	twice = *d;
	d->point[0] = (struct predict_point){ 0, 1 };
	d->points = 1;
	for (;; add_delays(&twice, &twice)) {
		if (times & 1)
			add_delays(d, &twice);
		times >>= 1;
		if (!times)
			break;
	}
	for (size_t i = 0; i < d->points; i++)
		d->point[i].at /= parts;
}

/* ---- The slowest ---- */

/*
 * Fill in the mean length of a step for each number of ranks: the longest of the lengths that they
 * draw from `all`, which are longer than the quickest core's best by millionths of it.
 */
static void expect(const struct predict_sums *all, struct predict_result *p, double *slower)
{
	for (size_t n = 0; n < p->rows; n++) {
		double below = 0, last = 0, at = 0;

		slower[n] = 1;
		for (size_t bucket = 0; bucket < HIST_BUCKETS; bucket++) {
			if (!(all->mass[bucket] > 0))
				continue;
			at = all->moment[bucket] / all->mass[bucket] / PPM;
			below = fmin(below + all->mass[bucket], 1);
			slower[n] += (pow(below, (double)p->nodes[n]) - last) * at;
			last = pow(below, (double)p->nodes[n]);
		}
		/* The rest, from rounding, counts as the longest. */
		slower[n] += (1 - last) * at;
	}
}

struct fleet {
	struct predict_result *p;
	const char *stage, *kernel, *phase;
	struct rank *core;
	size_t cores;
	double best_ns;   /* the quickest core's quantum */
	double unseen_ns; /* the longest delay of a quantum, or as asked for */
	uint64_t quanta;  /* in a step */
};

/* ---- Which records ---- */

static bool predict_stretch_refuse(const struct capture_select *s, const char *why)
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
	return predict_stretch_refuse(s, has.buf);
}

/* Choose stage, kernel and phase by the first run; all others must have the same. */
static bool predict_stretch_choose(struct fleet *f)
{
	const struct result_stage *stage = stage_of(f->p->selected, f->p->options->stage);
	struct stretch_records of;

	if (!stage)
		return predict_stretch_refuse(f->p->selected, "the stage has no stretch record");
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
		return predict_stretch_refuse(s, why.buf);
	*MEMORY_ADD(f->core, f->cores) = (struct rank){ .record = r, .best_ns = ns };
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
		return predict_stretch_refuse(s, "the stage has no stretch record");
	if (!s->run->begin.clock.hz)
		return predict_stretch_refuse(s, "the rate of its clock is not known");
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
static void predict(struct fleet *f, size_t column, bool whole_step, bool bound)
{
	static struct predict_sums sums, all;
	static struct delays d;

	memset(&all, 0, sizeof(all));
	for (size_t i = 0; i < f->cores; i++) {
		const struct rank *core = &f->core[i];
		double best = core->best_ns / f->best_ns;

		if (bound)
			gather_bound(&sums, core->record, f->unseen_ns / core->best_ns * 1e6);
		else
			gather_seen(&sums, core->record);
		d.points = predict_points(&sums, d.point);
		if (whole_step)
			repeat(&d, f->quanta);
		for (size_t k = 0; k < d.points; k++)
			predict_gather(&all, fmax((best * (1 + d.point[k].at / PPM) - 1) * PPM, 0),
				       d.point[k].mass / (double)f->cores);
	}
	expect(&all, f->p, f->p->factor[column]);
}

static bool read_all(struct fleet *f)
{
	if (!predict_stretch_choose(f))
		return false;
	for (size_t i = 0; i < f->p->runs; i++)
		if (!add_run(f, &f->p->selected[i]))
			return false;
	if (f->p->options->unseen_ns)
		f->unseen_ns = (double)f->p->options->unseen_ns;
	if ((double)f->p->options->grain_ns / f->best_ns > QUANTA_MAX)
		return predict_stretch_refuse(f->p->selected,
					      "a step of --grain has more than 10^9 quanta");
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
		 "job:     ranks, each on any of these cores, wait for the slowest: STEP after "
		 "%llu quanta,",
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

static const struct predict_column columns[] = {
	{ "slowdown", "STEP" },
	{ "slowdown_bound", "BOUND" },
	{ "allreduce", "ALLREDUCE" },
	{ "allreduce_bound", "BOUND" },
};

bool predict_stretch(struct predict_result *p)
{
	static struct fleet f;
	bool good;

	f = (struct fleet){ .p = p };
	good = read_all(&f);
	if (good) {
		progress_start("predicting from", p->selected->capture.name, 0);
		p->column = columns;
		p->columns = sizeof(columns) / sizeof(columns[0]);
		for (size_t n = 0; n < p->columns; n++)
			predict(&f, n, n < 2, n & 1);
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
