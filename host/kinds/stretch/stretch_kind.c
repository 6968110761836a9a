/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stretch records of a stage, one per core, kernel and phase: a line of text for each, histograms,
 * checks, and a diff.
 */
#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/forms/checks.h"
#include "host/html/html.h"
#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"
#include "host/statistics/chance.h"

#include "core/kinds/stretch/stretch.h"
#include "core/lib/arith.h"
#include "core/lib/text.h"
#include "core/records/record_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* True if both are of one kernel and phase. */
static bool is_alike(const struct record_stretch *a, const struct record_stretch *b)
{
	return text_same(a->kernel, b->kernel) && text_same(a->phase, b->phase);
}

/* Ticks by which the best is above the quickest; 0 if unknown. */
static double above_min(const struct record_stretch *r)
{
	return r->min.known ? (double)arith_less(r->best, r->min.value) : 0;
}

/* True if the histogram has all quanta, in rising buckets. */
static bool is_counted(const struct record_stretch *r)
{
	uint64_t count = quantile_count(&r->hist);

	return quantile_is_rising(&r->hist) && count == r->quanta && count != UINT64_MAX;
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct stretch_records of = stretch_records_of(stage);

	(void)t;
	if (of.count)
		puts(record_kind_of(RECORD_STRETCH)->head);
	for (size_t i = 0; i < of.count; i++)
		result_record_text(run, RECORD_STRETCH, &of.at[i]);
}

/* ---- Histograms of each kernel and phase on a page ---- */

#define ONE        UINT64_C(1000000) /* a limit is a factor, in millionths */
#define GROUPS_MAX 64                /* kernels and phases; a run has at most 20 */

/* Returns the number of groups. Their lists are to be freed. */
static size_t read_groups(struct plot_group group[GROUPS_MAX], struct stretch_records of)
{
	const struct record_stretch *first[GROUPS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < of.count; i++) {
		const struct record_stretch *r = &of.at[i];
		size_t n = 0;

		while (n < count && !is_alike(first[n], r))
			n++;
		if (n == GROUPS_MAX)
			continue;
		if (n == count) {
			first[count++] = r;
			group[n] = (struct plot_group){ .of = memory_new(of.count,
									 sizeof(*group->of)) };
			snprintf(group[n].title, sizeof(group[n].title), "%.24s, %.24s",
				 r->kernel ?: "n/a", r->phase ?: "n/a");
		}
		group[n].of[group[n].count++] = &r->hist;
	}
	return count;
}

/* ppm above the best. */
static void put_percent(FILE *f, double ppm)
{
	fprintf(f, "%.6g %%", ppm / 1e4);
}

static void put_histograms(FILE *f, const struct result *run, struct result_stage *stage,
			   const struct config *limits)
{
	static struct plot_group group[GROUPS_MAX];
	static unsigned id;
	const struct config_limit *limit = &limits->limit[LIMIT_MAX_STRETCH];
	const struct plot_grid grid = { .name = "stretch",
					.id = id,
					.limit = limit->set ? limit->value - ONE : 0,
					.label = put_percent,
					.group = group,
					.groups = read_groups(group, stretch_records_of(stage)) };

	(void)run;
	if (!grid.groups)
		return;
	id++;
	fputs("<figure tabindex=\"0\">\n", f);
	plot_grid(f, &grid);
	fputs("<figcaption>How many quanta took how much longer than the best, of all cores. Both "
	      "axes are logarithmic; what took as long as the best is at the left end.",
	      f);
	fputs(limit->set ? " Dashed: the limit on p99.9.</figcaption>\n</figure>\n"
			 : "</figcaption>\n</figure>\n",
	      f);
	for (size_t i = 0; i < grid.groups; i++)
		free(group[i].of);
}

/* ---- Checks ---- */

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

static void check_stretch_core(struct checks *c, const struct result_verdict *v, const char *stage,
			       const struct record_stretch *r)
{
	struct verdict_core core = { .index = r->cpu };
	struct verdict_reasons reasons;
	struct text t;

	core.value[LIMIT_MAX_STRETCH] = (struct maybe){ arith_sum(r->p999, 1000000), true };
	verdict_judge_core(&reasons, &v->limits, &core);
	checks_add(c, checks_status(reasons.verdict), stage, &t, "cpu %u stretch", r->cpu);
	checks_reasons(&t, &reasons);
	text_add(&t, "%sworst p99.9 ", t.len ? ": " : "");
	text_fixed(&t, arith_sum(r->p999, 1000000), 6, 0);
	text_add(&t, " (%s, %s, %llu quanta)", r->kernel ? r->kernel : "n/a",
		 r->phase ? r->phase : "n/a", (unsigned long long)r->quanta);
}

/* max_stretch is the only limit on what the mode measures. */
static void check_stretch(struct checks *c, const struct result_verdict *v,
			  const struct result_stage *stage)
{
	const struct stretch_records of = stretch_records_of(stage);

	for (size_t n = 0; v->limits.limit[LIMIT_MAX_STRETCH].set && n < of.count; n++) {
		const struct record_stretch *r = worst_of(of, n);

		if (r)
			check_stretch_core(c, v, stage->name, r);
	}
}

/*
 * ---- Stretch of two runs ----
 *
 * A row is for a core, kernel and phase: has the time of a quantum changed? Quanta of one turn are
 * alike, so a turn counts as one observation. There are 20 on each side, in any order by chance.
 *
 * A time is longer if the k-th lowest of 20 after is above the k-th highest before (precedence
 * test, core/kinds/interfere/interfere.c), by those edges of the histograms that speak against it.
 * k is such that chance calls any row of the stage with a probability of at most 1 in 100. p99.9,
 * the mean and the best are of too few observations to be judged.
 */

#define QUANTA_MIN 80 /* four in a turn */
#define RANK_MAX   6
#define LEVEL      0.01

struct row {
	const struct record_stretch *side[2]; /* before, after */
	double best_ns[2];                    /* below 0: not known */
};

static const struct record_stretch *stretch_kind_find(struct stretch_records of,
						      const struct record_stretch *r)
{
	for (size_t i = 0; i < of.count; i++) {
		const struct record_stretch *s = &of.at[i];

		if (s->cpu == r->cpu && r->kernel && r->phase && is_alike(s, r))
			return s;
	}
	return NULL;
}

static bool is_usable(const struct record_stretch *r)
{
	return r->quanta >= QUANTA_MIN && is_counted(r);
}

/* The time, ns, that `share` of the quanta do not exceed: its bucket's lower or upper end. */
static double stretch_kind_quantile(const struct row *row, int side, double share, bool upper)
{
	const struct record_stretch *r = row->side[side];
	double above = above_min(r) / (double)r->best * 1e6;
	double seen = 0, edge = 0;
	size_t i = 0;

	while (i < r->hist.count) {
		edge = (double)r->hist.at[i][0];
		seen += (double)r->hist.at[i++][1];
		if (seen >= share * (double)r->quanta)
			break;
	}
	/* The first bucket also has quanta that were quicker than the best. */
	if (!upper && edge <= 0)
		edge = -above;
	/* Buckets, eight to an octave, are filled from others: up to two widths and a tick. */
	if (upper)
		edge += 2 * exp2(floor(log2(fmax(edge, 8))) - 3) + above / STRETCH_SUB +
			1e6 / (double)r->best;
	return row->best_ns[side] * (1 + edge / 1e6);
}

static bool is_above(const struct row *row, int side, unsigned rank)
{
	double share = (rank - 0.5) / STRETCH_TURNS;

	return stretch_kind_quantile(row, side, share, false) >
	       stretch_kind_quantile(row, !side, 1 - share, true);
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

static enum finding_change stretch_kind_judge(const struct row *row, unsigned rank)
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
	new->change = stretch_kind_judge(row, rank);
}

static void stretch_kind_describe(struct findings *f, unsigned rank)
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

static bool stretch_diff(struct findings *f, const struct diff_sides *of)
{
	const struct stretch_records before = stretch_records_of(of->stage[0]);
	const struct stretch_records after = stretch_records_of(of->stage[1]);
	const uint64_t hz[] = { of->selected[0]->run->begin.clock.hz,
				of->selected[1]->run->begin.clock.hz };
	size_t rows = 0;

	for (size_t i = 0; i < before.count; i++)
		rows += stretch_kind_find(after, &before.at[i]) != NULL;
	for (size_t i = 0; i < before.count; i++) {
		const struct record_stretch *b = &before.at[i], *a = stretch_kind_find(after, b);
		const struct row row = { { b, a },
					 { to_ns(b->best, hz[0]), a ? to_ns(a->best, hz[1]) : 0 } };

		if (a)
			add_row(f, &row, rank_for(rows));
	}
	stretch_kind_describe(f, rank_for(rows));
	return rows;
}

const struct host_kind host_kind_stretch = {
	.type = RECORD_STRETCH,
	.mode = &mode_stretch,
	.cpu = offsetof(struct record_stretch, cpu),
	.title = "Stretch: how much longer fixed work takes than at best",
	.text = put_text,
	.page = put_histograms,
	.checks = check_stretch,
	.diff = stretch_diff,
	.series = true,
};
