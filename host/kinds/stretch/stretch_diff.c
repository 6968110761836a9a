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
#include "stretch_parts.h"
#include "stretch_records.h"

#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/kinds/stretch/stretch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define QUANTA_MIN 80 /* four in a turn */
#define RANK_MAX   6
#define LEVEL      0.01

struct row {
	const struct record_stretch *side[2]; /* before, after */
	double best_ns[2];                    /* below 0: not known */
	double percent;                       /* change of the mean time of a quantum */
	enum ratetest_change change;
};

struct stretches {
	struct diff_part part;
	struct row *row; /* of what both have */
	size_t rows;
	unsigned rank; /* k */
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

static double mean_ns(const struct row *row, int side)
{
	return row->best_ns[side] * (1 + (double)row->side[side]->mean / 1e6);
}

static void judge(struct row *row, unsigned rank)
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

static void add_rows(struct stretches *d, const struct diff_sides *of)
{
	const struct stretch_records before = stretch_records_of(of->stage[0]);
	const struct stretch_records after = stretch_records_of(of->stage[1]);
	const uint64_t hz[] = { of->selected[0]->run->begin.clock.hz,
				of->selected[1]->run->begin.clock.hz };

	for (size_t i = 0; i < before.count; i++) {
		const struct record_stretch *b = &before.at[i], *a = find(after, b);

		if (a)
			*MEMORY_ADD(d->row, d->rows) = (struct row){
				{ b, a }, { to_ns(b->best, hz[0]), to_ns(a->best, hz[1]) }, 0, 0
			};
	}
}

static void free_part(struct diff_part *part)
{
	struct stretches *d = (struct stretches *)part;

	free(d->row);
	free(d);
}

static struct diff_part *read_part(const struct diff_sides *of)
{
	struct stretches *d = memory_new(1, sizeof(*d));

	add_rows(d, of);
	d->rank = rank_for(d->rows);
	for (size_t i = 0; i < d->rows; i++) {
		judge(&d->row[i], d->rank);
		diff_part_count(&d->part, d->row[i].change);
	}
	if (d->rows)
		return &d->part;
	free_part(&d->part);
	return NULL;
}

static const struct stretches *of_part(const struct diff_part *part)
{
	return (const struct stretches *)part;
}

/* ---- Text ---- */

/* Negative: not known. */
static void print_value(double value, int places, char buf[32])
{
	if (value < 0)
		snprintf(buf, 32, "n/a");
	else
		snprintf(buf, 32, "%.*f", places, value);
}

/* "47.493 -> 47.214", or as a factor. */
static void print_pair(struct text *t, double before, double after, int places, int width)
{
	char number[2][32], pair[72];

	print_value(before, places, number[0]);
	print_value(after, places, number[1]);
	snprintf(pair, sizeof(pair), "%s -> %s", number[0], number[1]);
	text_add(t, "%*s", width, pair);
}

static void print_row(const struct row *r, struct text *t)
{
	const struct record_stretch *b = r->side[0], *a = r->side[1];

	text_add(t, "  %-6s %-8s %3u", b->kernel, b->phase, (unsigned)b->cpu);
	print_pair(t, r->best_ns[0] / 1000, r->best_ns[1] / 1000, 3, 21);
	print_pair(t, 1 + (double)b->p999 / 1e6, 1 + (double)a->p999 / 1e6, 4, 20);
	print_pair(t, 1 + (double)b->mean / 1e6, 1 + (double)a->mean / 1e6, 4, 20);
	if (isfinite(r->percent)) {
		char percent[32];

		snprintf(percent, sizeof(percent), "  %+.1f %%", r->percent);
		text_add(t, "%s", percent);
	}
	text_add(t, ": %s",
		 r->change == RATE_NOT_COMPARED ? "not compared"
		 : r->change == RATE_SAME       ? "not significant"
						: ratetest_change_name(r->change));
	text_sanitize_print(t);
}

static void put_text(const struct diff_part *part, struct text *t)
{
	const struct stretches *d = of_part(part);

	diff_part_head(t, "stretch");
	text_add(t, "  KERNEL PHASE    CPU             BEST(us)               P99.9"
		    "                MEAN  CHANGE");
	text_sanitize_print(t);
	for (size_t i = 0; i < d->rows; i++)
		print_row(&d->row[i], t);
	printf("  The change is that of the mean time of a quantum. It is significant where %.1f "
	       "%% "
	       "of one side's\n  quanta are longer than %.1f %% of the other's: a turn counts as "
	       "one "
	       "observation, of 20. P99.9\n  alone proves nothing, nor does a best; two runs also "
	       "differ by what no turn shows: repeat both.\n",
	       100 - (d->rank - 0.5) * 5, 100 - (d->rank - 0.5) * 5);
}

/* ---- For CI servers and programs ---- */

static void add_check(struct checks *checks, const char *stage, const struct row *r)
{
	const struct record_stretch *b = r->side[0], *a = r->side[1];
	struct text t;
	struct checks_row *c = checks_add(checks, diff_part_status(r->change), stage, &t,
					  "stretch %s %s cpu %u", b->kernel, b->phase, b->cpu);

	snprintf(c->text, sizeof(c->text),
		 "best %.6g ns before, %.6g after; p99.9 %.6g, %.6g; mean %.6g, %.6g: %s",
		 r->best_ns[0], r->best_ns[1], 1 + (double)b->p999 / 1e6, 1 + (double)a->p999 / 1e6,
		 1 + (double)b->mean / 1e6, 1 + (double)a->mean / 1e6,
		 ratetest_change_name(r->change) ?: "not compared");
}

static void put_checks(const struct diff_part *part, struct checks *checks, const char *stage)
{
	const struct stretches *d = of_part(part);

	for (size_t i = 0; i < d->rows; i++)
		add_check(checks, stage, &d->row[i]);
}

static json_t *side_object(const struct row *r, int side)
{
	return json_pack(
		"{s:o,s:o,s:o,s:o}", "quanta", json_number(r->side[side]->quanta), "best_ns",
		r->best_ns[side] < 0 ? json_null() : json_real(r->best_ns[side]), "p999",
		json_number(r->side[side]->p999), "mean", json_number(r->side[side]->mean));
}

static json_t *row_object(const struct row *r)
{
	const struct record_stretch *b = r->side[0];

	return json_pack("{s:o,s:o,s:I,s:o,s:o,s:s?}", "kernel", json_name(b->kernel), "phase",
			 json_name(b->phase), "cpu", (json_int_t)b->cpu, "before",
			 side_object(r, 0), "after", side_object(r, 1), "change",
			 ratetest_change_name(r->change));
}

static void put_json(const struct diff_part *part, json_t *stage)
{
	const struct stretches *d = of_part(part);

	json_object_set_new(stage, "stretch", JSON_ARRAY(i, i < d->rows, row_object(&d->row[i])));
}

const struct diff_kind stretch_diff = {
	.read = read_part,
	.free = free_part,
	.text = put_text,
	.checks = put_checks,
	.json = put_json,
};
