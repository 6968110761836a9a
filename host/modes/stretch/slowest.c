/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributions of points in the buckets of core/gaps/hist.h: added up, and their maximum. */
#include "slowest.h"

#include "host/kinds/stretch/stretch_records.h"
#include "host/lib/memory.h"
#include "host/statistics/chance.h"

#include "core/gaps/hist.h"
#include "core/lib/arith.h"
#include "core/kinds/stretch/stretch.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PPM        1e6
#define TAIL       0.05
#define NEGLIGIBLE 1e-18
#define SPREAD     8 /* points of a bucket */

static size_t bucket_of(double at)
{
	return at < 0x1p48 ? hist_bucket((uint64_t)at) : HIST_BUCKETS - 1;
}

/* Points by bucket: what is within one becomes a point at its mean. */
struct sums {
	double mass[HIST_BUCKETS], moment[HIST_BUCKETS];
};

static void gather(struct sums *s, double at, double mass)
{
	size_t bucket = bucket_of(at);

	s->mass[bucket] += mass;
	s->moment[bucket] += mass * at;
}

/* Instead of the core's points; empties the sums. */
static void put(struct slowest_core *core, struct sums *s)
{
	free(core->point);
	core->point = NULL;
	core->points = 0;
	for (size_t i = 0; i < HIST_BUCKETS; i++)
		if (s->mass[i] > 0)
			*MEMORY_ADD(core->point, core->points) =
				(struct slowest_point){ s->moment[i] / s->mass[i], s->mass[i] };
	memset(s, 0, sizeof(*s));
}

/* ---- From a record ---- */

/* A bucket's upper edge: eight to an octave. */
static uint64_t next_edge(uint64_t low)
{
	return arith_sum(low, UINT64_C(1) << (60 - __builtin_clzll(low | 8)));
}

/*
 * The probe counts ticks above the minimum in narrower buckets (core/kinds/stretch/stretch.h), each
 * of which is in the record's by its lower edge: that of the first from `ppm` on.
 */
static double probe_edge(const struct record_stretch *r, uint64_t ppm)
{
	double more = stretch_records_above_min(r);
	double ticks = (double)arith_less(ppm, 1) * (double)r->best / PPM + (ppm ? more : 0);
	double step = fmax(exp2(floor(log2(fmax(ticks, 1)))) / STRETCH_SUB, 1);

	return fmin(fmax(ceil(ticks / step) * step - more, 0) / (double)r->best * PPM,
		    (double)r->max);
}

/* So far from the lower to the upper edge, and as evenly around there as there is room. */
static double within(const struct record_stretch *r, size_t i, double part, double even)
{
	double low = probe_edge(r, r->hist.at[i][0]);
	double high = probe_edge(r, next_edge(r->hist.at[i][0]));

	return low + (high - low) * (part + fmin(part, 1 - part) * even);
}

/* The part for which the quanta have their mean: 0 to 1. */
static double part_of(const struct record_stretch *r)
{
	double above = (double)r->mean, room = 0;

	for (size_t i = 0; i < r->hist.count; i++) {
		double share = (double)r->hist.at[i][1] / (double)r->quanta;

		above -= within(r, i, 0, 0) * share;
		room += (within(r, i, 1, 0) - within(r, i, 0, 0)) * share;
	}
	return room > 0 ? fmin(fmax(above / room, 0), 1) : 0;
}

static void gather_within(struct sums *s, const struct record_stretch *r, double part)
{
	for (size_t i = 0; i < r->hist.count; i++)
		for (unsigned k = 0; k < SPREAD; k++)
			gather(s, within(r, i, part, (2 * k + 1.0) / SPREAD - 1),
			       (double)r->hist.at[i][1] / (double)r->quanta / SPREAD);
}

/* As predict_profile_bound() does: the limit of what is no shorter, less that of what is longer. */
static void gather_bound(struct sums *s, const struct record_stretch *r, double unseen)
{
	double of = (double)r->quanta, seen = 0, limit = 0;
	double more = stretch_records_above_min(r) / (double)r->best * PPM / STRETCH_SUB;
	double left = 1 - fmin(poisson_upper(0, TAIL) / of, 1);

	gather(s, unseen, 1 - left);
	for (size_t i = r->hist.count; i-- > 0;) {
		double upper, mass;

		seen += (double)r->hist.at[i][1];
		upper = poisson_upper(seen, TAIL) / of;
		mass = i ? fmin(upper - limit, left) : left;
		/* What the probe's bucket holds may be 1/32 longer, of all above the minimum. */
		gather(s,
		       fmin((double)next_edge(r->hist.at[i][0]) * 33 / 32 + 1 + more,
			    (double)r->max),
		       mass);
		left -= mass;
		limit = upper;
	}
}

void slowest_read(struct slowest_core *core, const struct record_stretch *r, enum slowest_edge edge,
		  double unseen)
{
	static struct sums sums;

	if (edge == SLOWEST_BOUND)
		gather_bound(&sums, r, unseen);
	else
		gather_within(&sums, r, edge == SLOWEST_SEEN ? part_of(r) : 0);
	put(core, &sums);
}

/* ---- Work in a row ---- */

/* a becomes a + b, which may be the same: then each pair is looked at once. */
static void add(struct slowest_core *a, const struct slowest_core *b)
{
	static struct sums sums;
	bool same = a == b;

	for (size_t i = 0; i < a->points; i++) {
		for (size_t j = same ? i : 0; j < b->points; j++) {
			double mass = a->point[i].mass * b->point[j].mass;

			if (mass > NEGLIGIBLE)
				gather(&sums, a->point[i].at + b->point[j].at,
				       same && j > i ? 2 * mass : mass);
		}
	}
	put(a, &sums);
}

void slowest_repeat(struct slowest_core *core, uint64_t times)
{
	struct slowest_core twice = *core;
	double parts = (double)times;

	core->point = NULL;
	core->points = 0;
	*MEMORY_ADD(core->point, core->points) = (struct slowest_point){ 0, 1 };
	for (;; add(&twice, &twice)) {
		if (times & 1)
			add(core, &twice);
		times >>= 1;
		if (!times)
			break;
	}
	free(twice.point);
	for (size_t i = 0; i < core->points; i++)
		core->point[i].at /= parts;
}

/* ---- The slowest ---- */

/* A length that rises, and what share of each core's work is done by then. */
struct sweep {
	const struct slowest_core *core;
	size_t cores, most; /* ranks beyond a multiple of the cores: at most so many */
	size_t *next;       /* point of each core */
	double *done, *any; /* any[n]: all of n cores have done, any of them */
};

static double length_of(const struct slowest_core *core, size_t point)
{
	return fmax((core->best * (1 + core->point[point].at / PPM) - 1) * PPM, 0);
}

/* Up to the end of the bucket: how far that is, by the points in it; negative: there is none. */
static double advance(struct sweep *w, size_t bucket)
{
	double mass = 0, moment = 0;

	for (size_t i = 0; i < w->cores; i++) {
		const struct slowest_core *c = &w->core[i];

		for (; w->next[i] < c->points; w->next[i]++) {
			double at = length_of(c, w->next[i]), m = c->point[w->next[i]].mass;

			if (bucket_of(at) != bucket)
				break;
			mass += m;
			moment += m * at;
			w->done[i] += m;
		}
		if (w->next[i] == c->points)
			w->done[i] = 1;
	}
	return mass > 0 ? moment / mass : -1;
}

/* The mean of the products over all subsets of n cores, by taking in a core at a time. */
static void combine(struct sweep *w)
{
	memset(w->any, 0, (w->most + 1) * sizeof(*w->any));
	w->any[0] = 1;
	for (size_t i = 0; i < w->cores; i++)
		for (size_t n = arith_min(i + 1, w->most); n > 0; n--)
			w->any[n] += (w->done[i] * w->any[n - 1] - w->any[n]) * (double)n /
				     (double)(i + 1);
}

static double all_done(const struct sweep *w, uint64_t ranks)
{
	double each = (double)(ranks / w->cores), logs = 0;

	for (size_t i = 0; each > 0 && i < w->cores; i++)
		logs += log(w->done[i]);
	return exp(each > 0 ? each * logs : 0) * w->any[ranks % w->cores];
}

void slowest_expect(const struct slowest_core *core, size_t cores, const uint64_t *ranks,
		    size_t counts, double *slower)
{
	struct sweep w = { .core = core, .cores = cores };
	double *last = memory_new(counts, sizeof(*last));

	for (size_t n = 0; n < counts; n++) {
		slower[n] = 1;
		w.most = arith_max(w.most, ranks[n] % cores);
	}
	w.next = memory_new(cores, sizeof(*w.next));
	w.done = memory_new(cores, sizeof(*w.done));
	w.any = memory_new(w.most + 1, sizeof(*w.any));
	for (size_t bucket = 0; bucket < HIST_BUCKETS; bucket++) {
		double at = advance(&w, bucket);

		if (at < 0)
			continue;
		combine(&w);
		for (size_t n = 0; n < counts; n++) {
			double by = all_done(&w, ranks[n]);

			slower[n] += (by - last[n]) * at / PPM;
			last[n] = by;
		}
	}
	free(w.next);
	free(w.done);
	free(w.any);
	free(last);
}
