/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantiles of quanta's times, set against each other. */
#include "diff_stretch.h"

#include "host/lib/memory.h"

#include "core/kinds/stretch/stretch.h"

#include <math.h>
#include <stdlib.h>

#define QUANTA_MIN 80 /* four in a turn */
#define RANK_MAX   6
#define LEVEL      0.01

static const struct record_stretch *find(const struct result_stage *stage,
					 const struct record_stretch *r)
{
	for (size_t i = 0; i < stage->stretches; i++) {
		const struct record_stretch *s = &stage->stretch[i];

		if (s->cpu == r->cpu && r->kernel && r->phase && result_stage_is_like(s, r))
			return s;
	}
	return NULL;
}

static bool is_usable(const struct record_stretch *r)
{
	return r->quanta >= QUANTA_MIN && result_stage_is_counted(r);
}

/* A time of which `share` of the quanta are no longer: the lower end of its bucket, or the upper.
 */
static double quantile(const struct diff_stretch_row *row, int side, double share, bool upper)
{
	const struct record_stretch *r = row->side[side];
	double seen = 0, edge = 0;
	size_t i = 0;

	while (i < r->hist.count) {
		edge = (double)r->hist.at[i][0];
		seen += (double)r->hist.at[i++][1];
		if (seen >= share * (double)r->quanta)
			break;
	}
	/* Eight to an octave, filled from buckets of their own: up to two wide, and a tick. */
	if (upper)
		edge += 2 * exp2(floor(log2(fmax(edge, 8))) - 3) + 1e6 / (double)r->best;
	return row->best_ns[side] * (1 + edge / 1e6);
}

static bool is_above(const struct diff_stretch_row *row, int side, unsigned rank)
{
	double share = (rank - 0.5) / STRETCH_TURNS;

	return quantile(row, side, share, false) > quantile(row, !side, 1 - share, true);
}

/* At most k - 1 of the lower half of 40 are of one side: hypergeometric. */
static double chance(unsigned rank)
{
	double ways = 1, sum = 0;

	for (unsigned j = 0; j < rank; j++) {
		sum += ways * ways;
		ways = ways * (STRETCH_TURNS - j) / (j + 1);
	}
	return sum / 137846528820.0; /* 40 choose 20 */
}

static unsigned rank_for(size_t rows)
{
	unsigned rank = RANK_MAX;

	while (rank > 1 && 2 * (double)rows * chance(rank) > LEVEL)
		rank--;
	return rank;
}

static double mean_ns(const struct diff_stretch_row *row, int side)
{
	return row->best_ns[side] * (1 + (double)row->side[side]->mean / 1e6);
}

static void judge(struct diff_stretch_row *row, unsigned rank)
{
	row->change = RATE_NOT_COMPARED;
	row->percent = NAN;
	if (row->best_ns[0] <= 0 || row->best_ns[1] <= 0 ||
	    row->side[0]->work != row->side[1]->work)
		return;
	row->percent = (mean_ns(row, 1) / mean_ns(row, 0) - 1) * 100;
	if (!is_usable(row->side[0]) || !is_usable(row->side[1]))
		return;
	row->change = is_above(row, 1, rank)   ? RATE_MORE
		      : is_above(row, 0, rank) ? RATE_LESS
					       : RATE_SAME;
}

static double to_ns(uint64_t ticks, uint64_t hz)
{
	return ticks && hz ? (double)ticks * 1e9 / (double)hz : -1;
}

void diff_stretch_read(struct diff_stretch *d, const struct result_stage *before, uint64_t hz,
		       const struct result_stage *after, uint64_t hz_after)
{
	*d = (struct diff_stretch){ 0 };
	for (size_t i = 0; i < before->stretches; i++) {
		const struct record_stretch *b = &before->stretch[i], *a = find(after, b);

		if (a)
			*MEMORY_ADD(d->row, d->rows) = (struct diff_stretch_row){
				{ b, a }, { to_ns(b->best, hz), to_ns(a->best, hz_after) }, 0, 0
			};
	}
	d->rank = rank_for(d->rows);
	for (size_t i = 0; i < d->rows; i++)
		judge(&d->row[i], d->rank);
}
