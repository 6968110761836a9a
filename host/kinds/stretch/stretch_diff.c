/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stretch of two runs: by core, kernel and phase, has a quantum's time changed?
 *
 * Quanta of one turn are alike, so they count as one observation: of 20 on each side, in any order
 * by chance. More: the k-th lowest after, of 20, is above the k-th highest before (precedence test,
 * core/kinds/interfere/interfere.c), by the edges of the histograms that speak against it; k such
 * that chance has 1 in 100 of calling any row of the stage. p99.9, the mean and the best are of too
 * few observations to be judged.
 */
#include "stretch_records.h"

#include "host/statistics/hypergeometric.h"

#include "core/kinds/stretch/stretch.h"

#include <math.h>
#include <stdio.h>

#define QUANTA_MIN 80 /* four in a turn */
#define RANK_MAX   6
#define LEVEL      0.01

struct row {
	const struct record_stretch *side[2]; /* before, after */
	double best_ns[2];                    /* below 0: not known */
};

static const struct record_stretch *find(struct stretch_records of, const struct record_stretch *r)
{
	for (size_t i = 0; i < of.count; i++) {
		const struct record_stretch *s = &of.at[i];

		if (s->cpu == r->cpu && r->kernel && r->phase && stretch_records_alike(s, r))
			return s;
	}
	return NULL;
}

static bool is_usable(const struct record_stretch *r)
{
	return r->quanta >= QUANTA_MIN && stretch_records_counted(r);
}

/* A time of which `share` of the quanta are no longer: the lower end of its bucket, or the upper.
 */
static double quantile(const struct row *row, int side, double share, bool upper)
{
	const struct record_stretch *r = row->side[side];
	double above_min = stretch_records_above_min(r) / (double)r->best * 1e6;
	double seen = 0, edge = 0;
	size_t i = 0;

	while (i < r->hist.count) {
		edge = (double)r->hist.at[i][0];
		seen += (double)r->hist.at[i++][1];
		if (seen >= share * (double)r->quanta)
			break;
	}
	/* The first has what was quicker than the best, too. */
	if (!upper && edge <= 0)
		edge = -above_min;
	/* Eight to an octave, filled from buckets of their own: up to two wide, and a tick. */
	if (upper)
		edge += 2 * exp2(floor(log2(fmax(edge, 8))) - 3) + above_min / STRETCH_SUB +
			1e6 / (double)r->best;
	return row->best_ns[side] * (1 + edge / 1e6);
}

static bool is_above(const struct row *row, int side, unsigned rank)
{
	double share = (rank - 0.5) / STRETCH_TURNS;

	return quantile(row, side, share, false) > quantile(row, !side, 1 - share, true);
}

/* The chance that at most rank - 1 turns of one side are in the lower half of all turns. */
static double chance(unsigned rank)
{
	return hypergeometric_tail(STRETCH_TURNS - rank + 1, STRETCH_TURNS, STRETCH_TURNS,
				   STRETCH_TURNS);
}

static unsigned rank_for(size_t rows)
{
	unsigned rank = RANK_MAX;

	while (rank > 1 && 2 * (double)rows * chance(rank) > LEVEL)
		rank--;
	return rank;
}

static double times_best(const struct row *row, int side, uint64_t above_ppm)
{
	return row->best_ns[side] * (1 + (double)above_ppm / 1e6);
}

static enum finding_change judge(const struct row *row, unsigned rank)
{
	if (row->best_ns[0] <= 0 || row->best_ns[1] <= 0 ||
	    row->side[0]->work != row->side[1]->work || !is_usable(row->side[0]) ||
	    !is_usable(row->side[1]))
		return FINDING_NOT_COMPARED;
	return is_above(row, 1, rank)   ? FINDING_MORE
	       : is_above(row, 0, rank) ? FINDING_LESS
					: FINDING_SAME;
}

static double to_ns(uint64_t ticks, uint64_t hz)
{
	return ticks && hz ? (double)ticks * 1e9 / (double)hz : -1;
}

static struct finding_side side_of(const struct row *row, int side)
{
	const struct record_stretch *r = row->side[side];

	return (struct finding_side){ .known = row->best_ns[side] > 0,
				      .bounded = true,
				      .value = times_best(row, side, r->mean),
				      .low = row->best_ns[side],
				      .high = times_best(row, side, r->p999) };
}

static void add_row(struct findings *f, const struct row *row, unsigned rank)
{
	const struct record_stretch *r = row->side[0];
	struct finding *new = findings_add(f, FINDING_NS, "%s %s cpu %u", r->kernel, r->phase,
					   r->cpu);

	new->side[0] = side_of(row, 0);
	new->side[1] = side_of(row, 1);
	new->change = judge(row, rank);
}

static void describe(struct findings *f, unsigned rank)
{
	double share = 100 - (rank - 0.5) * 5;

	f->what = "MEAN OF A QUANTUM";
	f->bounds = " (BEST-P99.9)";
	snprintf(f->about, sizeof(f->about), "stretch");
	snprintf(f->note, sizeof(f->note),
		 "  The change is that of the mean time of a quantum. It is significant where %.1f "
		 "%% of one side's\n  quanta are longer than %.1f %% of the other's: a turn counts "
		 "as one observation, of 20. P99.9\n  alone proves nothing, nor does a best; two "
		 "runs also differ by what no turn shows: repeat both.\n",
		 share, share);
}

bool stretch_diff(struct findings *f, const struct diff_sides *of)
{
	const struct stretch_records before = stretch_records_of(of->stage[0]);
	const struct stretch_records after = stretch_records_of(of->stage[1]);
	const uint64_t hz[] = { of->selected[0]->run->begin.clock.hz,
				of->selected[1]->run->begin.clock.hz };
	size_t rows = 0;

	for (size_t i = 0; i < before.count; i++)
		rows += find(after, &before.at[i]) != NULL;
	for (size_t i = 0; i < before.count; i++) {
		const struct record_stretch *b = &before.at[i], *a = find(after, b);
		const struct row row = { { b, a },
					 { to_ns(b->best, hz[0]), a ? to_ns(a->best, hz[1]) : 0 } };

		if (a)
			add_row(f, &row, rank_for(rows));
	}
	describe(f, rank_for(rows));
	return rows;
}
