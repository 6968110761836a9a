/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services of two runs: does a call take longer, or stop others that it did not?
 *
 * Of a run's calls the record has the shortest, the median, the 99th percentile and the longest. If
 * at least m calls of one side take longer than all but j of the other's, at least m of the m + j
 * longest of both are of that side: a hypergeometric tail, if calls were alike (precedence test:
 * Nelson, 1963). Three of these are looked at; and calls beside which others were stopped, where
 * that is significant in one run only, in the same way. Chance has 1 in 100 of calling any row of
 * the stage. Calls of two equal runs also differ by what no call shows, such as where code lies: a
 * median that differs by less than a tenth is no change.
 */
#include "service_parts.h"

#include "host/capture/service_records.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/statistics/hypergeometric.h"
#include "host/statistics/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVEL       0.01
#define LOOKS       4 /* at a row, in two directions */
#define LEAST_RATIO 1.1
#define RANKS       4      /* shortest, median, 99th, longest */
#define CALLS_MAX   100000 /* captures may hold anything */

struct row {
	const struct record_service *side[2]; /* before, after */
	double percent;                       /* change of the median; NAN: not known */
	enum ratetest_change length, stops;
};

struct services {
	struct diff_part part;
	struct row *row; /* of what both have */
	size_t rows;
	double level, least_ratio, resolution_ns;
};

static const struct services *of_part(const struct diff_part *part)
{
	return (const struct services *)part;
}

/* ---- Length ---- */

struct rank {
	struct maybe ns;
	uint64_t shorter; /* calls that may be shorter: all before it */
};

static void rank(const struct record_service *r, struct rank of[RANKS])
{
	const struct maybe ns[RANKS] = { r->min_ns, r->p50_ns, r->p99_ns, r->max_ns };
	const unsigned percent[RANKS] = { 0, 50, 99, 100 };

	for (unsigned i = 0; i < RANKS; i++) {
		uint64_t at = (r->calls * percent[i] + 99) / 100; /* as the probe has it */

		of[i] = (struct rank){ ns[i], at ? at - 1 : 0 };
	}
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
		/* Longer than the n-th of b's, and so than all but those behind it. */
		if (n > 1 && of_a[i].ns.known && of_b[n - 1].ns.known) {
			uint64_t but = b->calls - of_b[n - 1].shorter - 1;

			chance = fmin(chance, hypergeometric_tail(longer, a->calls, b->calls,
								  longer + but));
		}
	}
	return chance;
}

/* A call that returns an error does something else. */
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

static enum ratetest_change judge_length(const struct services *d, struct row *row)
{
	const struct record_service *b = row->side[0], *a = row->side[1];
	double ratio;

	row->percent = NAN;
	if (!is_comparable(b, a))
		return RATE_NOT_COMPARED;
	ratio = (double)a->p50_ns.value / (double)b->p50_ns.value;
	row->percent = (ratio - 1) * 100;
	if (ratio >= d->least_ratio && chance_longer(d, a, b) < d->level)
		return RATE_MORE;
	if (ratio <= 1 / d->least_ratio && chance_longer(d, b, a) < d->level)
		return RATE_LESS;
	return RATE_SAME;
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

static enum ratetest_change judge_stops(const struct services *d, const struct row *row)
{
	const struct record_service *b = row->side[0], *a = row->side[1];

	if (!seen(b) || !seen(a) || !b->others || a->others != b->others || a->overlaps > seen(a) ||
	    b->overlaps > seen(b))
		return RATE_NOT_COMPARED;
	return stops_more(d, a, b) ? RATE_MORE : stops_more(d, b, a) ? RATE_LESS : RATE_SAME;
}

/* ---- Both ---- */

static void add_rows(struct services *d, const struct diff_sides *of)
{
	const struct service_records before = service_records_of(of->stage[0]);
	const struct service_records after = service_records_of(of->stage[1]);

	for (size_t i = 0; i < before.count; i++) {
		const struct record_service *b = &before.at[i];
		const struct record_service *a = service_records_find(after, b->service);

		if (a && b->service && (a->calls || b->calls))
			*MEMORY_ADD(d->row, d->rows) = (struct row){ { b, a }, NAN, 0, 0 };
	}
}

static double tick_ns(const struct diff_sides *of, int side)
{
	uint64_t hz = of->selected[side]->run->begin.clock.hz;

	return hz ? 1e9 / (double)hz : 0;
}

static void free_part(struct diff_part *part)
{
	struct services *d = (struct services *)part;

	free(d->row);
	free(d);
}

static struct diff_part *read_part(const struct diff_sides *of)
{
	struct services *d = memory_new(1, sizeof(*d));

	add_rows(d, of);
	d->level = LEVEL / (2 * LOOKS * (double)(d->rows ? d->rows : 1));
	d->least_ratio = fmax(LEAST_RATIO, exp(student_limit(LEVEL / 2, 0) * M_SQRT2 * of->spread));
	/* Lengths are of whole ticks, and whole ns. */
	d->resolution_ns = 2 * fmax(1, fmax(tick_ns(of, 0), tick_ns(of, 1)));
	for (size_t i = 0; i < d->rows; i++) {
		struct row *r = &d->row[i];

		r->length = judge_length(d, r);
		r->stops = judge_stops(d, r);
		diff_part_count(&d->part, r->length);
		diff_part_count(&d->part, r->stops);
	}
	if (d->rows)
		return &d->part;
	free_part(&d->part);
	return NULL;
}

/* ---- Text ---- */

/* "1.30 ms -> 2.60 ms" */
static void put_pair(struct text *t, struct maybe before, struct maybe after)
{
	text_maybe_duration(t, before);
	text_add(t, " -> ");
	text_maybe_duration(t, after);
}

/* Cores of how many: "0/15 -> 15/15". */
static void put_stopped(struct text *t, const struct record_service *b,
			const struct record_service *a)
{
	if (b->others && a->others)
		text_add(t, "%u/%u -> %u/%u", (unsigned)b->stopped, (unsigned)b->others,
			 (unsigned)a->stopped, (unsigned)a->others);
	else
		text_add(t, "n/a");
}

static const char *length_words(enum ratetest_change change)
{
	return change == RATE_NOT_COMPARED ? "not compared"
	       : change == RATE_SAME       ? "not significant"
					   : ratetest_change_name(change);
}

static const char *stops_words(enum ratetest_change change)
{
	return change == RATE_MORE   ? "; stops others now"
	       : change == RATE_LESS ? "; stops others no longer"
				     : "";
}

static void put_row(const struct row *r, struct text *t)
{
	const struct record_service *b = r->side[0], *a = r->side[1];
	char percent[32] = "";
	TEXT_DEFINE(median, 48);
	TEXT_DEFINE(max, 48);
	TEXT_DEFINE(stopped, 48);

	put_pair(&median, b->p50_ns, a->p50_ns);
	put_pair(&max, b->max_ns, a->max_ns);
	put_stopped(&stopped, b, a);
	text_add(t, "  %-21s %20s %20s %16s", b->service, median.buf, max.buf, stopped.buf);
	if (isfinite(r->percent))
		snprintf(percent, sizeof(percent), "%+.1f %%: ", r->percent);
	text_add(t, "  %s%s%s", percent, length_words(r->length), stops_words(r->stops));
	text_sanitize_print(t);
}

static void put_text(const struct diff_part *part, struct text *t)
{
	const struct services *d = of_part(part);

	diff_part_head(t, "services");
	text_add(t, "  %-21s %20s %20s %16s  CHANGE", "SERVICE", "MEDIAN", "MAX", "STOPPED");
	text_sanitize_print(t);
	for (size_t i = 0; i < d->rows; i++)
		put_row(&d->row[i], t);
	printf("  The change is that of the median. It is significant where it is %.3g %% or more, "
	       "and so many\n  calls of one side are longer than all of the other's, or nearly "
	       "all, that chance does not\n  explain it; two runs also differ by what no call "
	       "shows: repeat both.\n",
	       (d->least_ratio - 1) * 100);
}

/* ---- For CI servers and programs ---- */

static void add_checks(struct checks *checks, const char *stage, const struct row *r)
{
	const struct record_service *b = r->side[0], *a = r->side[1];
	struct text t;

	checks_add(checks, diff_part_status(r->length), stage, &t, "service %s", b->service);
	text_add(&t, "median ");
	put_pair(&t, b->p50_ns, a->p50_ns);
	text_add(&t, ": %s", length_words(r->length));
	checks_add(checks, diff_part_status(r->stops), stage, &t, "service %s stops others",
		   b->service);
	text_add(&t, "cores ");
	put_stopped(&t, b, a);
	text_add(&t, ": %s", length_words(r->stops));
}

static void put_checks(const struct diff_part *part, struct checks *checks, const char *stage)
{
	const struct services *d = of_part(part);

	for (size_t i = 0; i < d->rows; i++)
		add_checks(checks, stage, &d->row[i]);
}

static json_t *side_object(const struct record_service *r)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:I}", "calls", json_number(r->calls),
			 "failed", json_number(r->failed), "min_ns", json_maybe(r->min_ns),
			 "p50_ns", json_maybe(r->p50_ns), "p99_ns", json_maybe(r->p99_ns), "max_ns",
			 json_maybe(r->max_ns), "stops", r->stops, "stopped",
			 (json_int_t)r->stopped);
}

static json_t *row_object(const struct row *r)
{
	return json_pack("{s:o,s:o,s:o,s:s?,s:s?}", "service", json_name(r->side[0]->service),
			 "before", side_object(r->side[0]), "after", side_object(r->side[1]),
			 "change", ratetest_change_name(r->length), "stops",
			 ratetest_change_name(r->stops));
}

static void put_json(const struct diff_part *part, json_t *stage)
{
	const struct services *d = of_part(part);

	json_object_set_new(stage, "services", JSON_ARRAY(i, i < d->rows, row_object(&d->row[i])));
}

const struct diff_kind service_diff = {
	.read = read_part,
	.free = free_part,
	.text = put_text,
	.checks = put_checks,
	.json = put_json,
};
