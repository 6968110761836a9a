/* SPDX-License-Identifier: BSD-2-Clause */
/* Service records of a stage: a row each, what each means, and a check of each. */
#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/forms/checks.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"
#include "host/statistics/chance.h"

#include "core/config/limit.h"
#include "core/gaps/hist.h"
#include "core/kinds/service/service_record.h"
#include "core/records/record_kind.h"

#include <math.h>
#include <stdio.h>

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct service_records of = service_records_of(stage);

	if (!of.count)
		return;
	text_add(t, "%s", record_kind_of(RECORD_SERVICE)->head);
	text_sanitize_print(t);
	for (size_t i = 0; i < of.count; i++)
		result_record_text(run, RECORD_SERVICE, &of.at[i]);
	for (size_t i = 0; i < of.count; i++) {
		if (!of.at[i].calls)
			continue;
		service_record_sentence(t, &of.at[i]);
		text_sanitize_print(t);
	}
}

/* ---- Checks ---- */

/* A service is judged by its own core's time, and by the longest gap it put into others. */
static void check_service(struct checks *c, const struct result_verdict *v, const char *stage,
			  const struct record_service *r)
{
	struct maybe others = { r->longest_ns.value, r->stops };
	bool fails = limit_exceeded(&v->limits, LIMIT_SERVICE_MAX, r->max_ns) ||
		     limit_exceeded(&v->limits, LIMIT_MAX, others);
	bool unknown = !r->calls || (v->limits.limit[LIMIT_MAX].set && !r->others);
	struct text t;

	checks_add(c,
		   checks_status(fails     ? VERDICT_FAIL
				 : unknown ? VERDICT_INCOMPLETE
					   : VERDICT_PASS),
		   stage, &t, "service %s", r->service ? r->service : "n/a");
	service_record_sentence(&t, r);
}

static void check_services(struct checks *c, const struct result_verdict *v,
			   const struct result_stage *stage)
{
	const struct service_records of = service_records_of(stage);

	for (size_t i = 0; i < of.count; i++)
		if (limit_any(&v->limits, LIMIT_OF_CALLS) || v->limits.limit[LIMIT_MAX].set)
			check_service(c, v, stage->name, &of.at[i]);
}

/*
 * Compares the services of two runs: whether calls take longer, and whether they stop other cores.
 *
 * Of a run's calls the record has the shortest, the median, the 99th percentile and the longest. If
 * at least m calls of one side take longer than all but j of the other's, at least m of the m + j
 * longest of both are of that side: a hypergeometric tail, if calls were alike (precedence test:
 * Nelson, 1963). Three of these are looked at; and calls beside which others were stopped, where
 * that is significant in one run only, in the same way. Chance has 1 in 100 of calling any row of
 * the stage. Calls of two equal runs also differ by what no call shows, such as where code lies: a
 * median that differs by less than a tenth is no change.
 */
#define LEVEL       0.01
#define LOOKS       4 /* figures of a row that are tested, in two directions each */
#define LEAST_RATIO 1.1
#define RANKS       4      /* shortest, median, 99th, longest */
#define CALLS_MAX   100000 /* captures may hold anything */

struct services {
	double level, least_ratio, resolution_ns;
};

/* ---- Length ---- */

struct rank {
	struct maybe ns;
	uint64_t shorter; /* calls that may be shorter: all before it */
};

static void rank(const struct record_service *r, struct rank of[RANKS])
{
	const struct maybe ns[RANKS] = { r->min_ns, r->p50_ns, r->p99_ns, r->max_ns };
	const unsigned percent[RANKS] = { 0, 50, 99, 100 };

	for (unsigned i = 0; i < RANKS; i++)
		of[i] = (struct rank){ ns[i], hist_rank(r->calls, 100 * percent[i]) - 1 };
}

/* The chance that so many calls of `a` are longer than all of `b`, or nearly all; 1: they are not.
 */
static double chance_longer(const struct services *d, const struct record_service *a,
			    const struct record_service *b)
{
	struct rank of_a[RANKS], of_b[RANKS];
	double chance = 1;

	rank(a, of_a);
	rank(b, of_b);
	for (unsigned i = 0; i < RANKS - 1; i++) {
		uint64_t longer = a->calls - of_a[i].shorter;
		unsigned n = RANKS;

		while (n > 1 && of_b[n - 1].ns.known && of_a[i].ns.known &&
		       (double)of_a[i].ns.value <= (double)of_b[n - 1].ns.value + d->resolution_ns)
			n--;
		/*
		 * These calls are longer than the n-th of b's calls, and so than all but those
		 * after it.
		 */
		if (n > 1 && of_a[i].ns.known && of_b[n - 1].ns.known) {
			uint64_t but = b->calls - of_b[n - 1].shorter - 1;

			chance = fmin(chance, hypergeometric_tail(longer, a->calls, b->calls,
								  longer + but));
		}
	}
	return chance;
}

/* A failed call does other work, so that its length cannot be compared. */
static bool is_comparable(const struct record_service *b, const struct record_service *a)
{
	if (!b->calls || !a->calls || b->calls > CALLS_MAX || a->calls > CALLS_MAX ||
	    !b->p50_ns.value || !a->p50_ns.value)
		return false;
	if (!b->failed && !a->failed)
		return true;
	return b->failed == b->calls && a->failed == a->calls && b->status.known &&
	       a->status.known && b->status.value == a->status.value;
}

static enum finding_change judge_length(const struct services *d, const struct record_service *b,
					const struct record_service *a)
{
	double ratio;

	if (!is_comparable(b, a))
		return FINDING_NOT_COMPARED;
	ratio = (double)a->p50_ns.value / (double)b->p50_ns.value;
	if (ratio >= d->least_ratio && chance_longer(d, a, b) < d->level)
		return FINDING_MORE;
	if (ratio <= 1 / d->least_ratio && chance_longer(d, b, a) < d->level)
		return FINDING_LESS;
	return FINDING_SAME;
}

/* ---- Whom it stops ---- */

static uint64_t seen(const struct record_service *r)
{
	return r->calls > r->unseen && r->calls <= CALLS_MAX ? r->calls - r->unseen : 0;
}

static bool stops_more(const struct services *d, const struct record_service *a,
		       const struct record_service *b)
{
	return a->stops && !b->stops &&
	       hypergeometric_tail(a->overlaps, seen(a), seen(b), a->overlaps + b->overlaps) <
		       d->level;
}

static enum finding_change judge_stops(const struct services *d, const struct record_service *b,
				       const struct record_service *a)
{
	if (!seen(b) || !seen(a) || !b->others || a->others != b->others || a->overlaps > seen(a) ||
	    b->overlaps > seen(b))
		return FINDING_NOT_COMPARED;
	return stops_more(d, a, b)   ? FINDING_MORE
	       : stops_more(d, b, a) ? FINDING_LESS
				     : FINDING_SAME;
}

/* ---- Both ---- */

static struct finding_side length_of(const struct record_service *r)
{
	return (struct finding_side){ .known = r->p50_ns.known,
				      .bounded = r->min_ns.known && r->max_ns.known,
				      .value = (double)r->p50_ns.value,
				      .low = (double)r->min_ns.value,
				      .high = (double)r->max_ns.value };
}

static struct finding_side stopped_of(const struct record_service *r)
{
	return (struct finding_side){ .known = r->others, .value = (double)r->stopped };
}

static void add_service(struct findings *f, const struct services *d,
			const struct record_service *b, const struct record_service *a)
{
	struct finding *new = findings_add(f, FINDING_NS, "%s", b->service);

	new->side[0] = length_of(b);
	new->side[1] = length_of(a);
	new->change = judge_length(d, b, a);
	new = findings_add(f, FINDING_CORES, "%s stops", b->service);
	new->side[0] = stopped_of(b);
	new->side[1] = stopped_of(a);
	new->change = judge_stops(d, b, a);
}

/* The service of the n-th record before, as it is after; NULL: one run has no call of it. */
static const struct record_service *pair_of(struct service_records before, size_t n,
					    struct service_records after)
{
	const struct record_service *b = &before.at[n];
	const struct record_service *a = result_stage_service(after, b->service);

	return a && b->service && (a->calls || b->calls) ? a : NULL;
}

static double tick_ns(const struct diff_sides *of, int side)
{
	uint64_t hz = of->selected[side]->run->begin.clock.hz;

	return hz ? 1e9 / (double)hz : 0;
}

static void service_kind_describe(struct findings *f, double least_ratio)
{
	f->what = "MEDIAN OF A CALL";
	f->bounds = " (MIN-MAX)";
	snprintf(f->about, sizeof(f->about), "services");
	snprintf(f->note, sizeof(f->note),
		 "  The change is that of the median. It is significant where it is %.3g %% or "
		 "more, "
		 "and so many\n  calls of one side are longer than all of the other's, or nearly "
		 "all, that chance does not\n  explain it; two runs also differ by what no call "
		 "shows: repeat both.\n",
		 (least_ratio - 1) * 100);
}

static bool diff(struct findings *f, const struct diff_sides *of)
{
	const struct service_records before = service_records_of(of->stage[0]);
	const struct service_records after = service_records_of(of->stage[1]);
	struct services d;
	size_t rows = 0;

	for (size_t i = 0; i < before.count; i++)
		rows += pair_of(before, i, after) != NULL;
	d.level = LEVEL / (2 * LOOKS * (double)(rows ? rows : 1));
	d.least_ratio = fmax(LEAST_RATIO, exp(student_limit(LEVEL / 2, 0) * M_SQRT2 * of->spread));
	/* Lengths are of whole ticks, and whole ns. */
	d.resolution_ns = 2 * fmax(1, fmax(tick_ns(of, 0), tick_ns(of, 1)));
	for (size_t i = 0; i < before.count; i++)
		if (pair_of(before, i, after))
			add_service(f, &d, &before.at[i], pair_of(before, i, after));
	service_kind_describe(f, d.least_ratio);
	return rows;
}

const struct host_kind host_kind_service = {
	.type = RECORD_SERVICE,
	.mode = &mode_services,
	.cpu = offsetof(struct record_service, cpu),
	.title = "What calls of firmware take, and whom they stop",
	.text = put_text,
	.checks = check_services,
	.diff = diff,
	.series = true,
};
