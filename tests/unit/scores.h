/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores of a search for sources: over how many seeded traces it is right. */
#pragma once

#include "rounds.h"
#include "trace.h"

#include "core/events/period.h"

#include "tests/unit/common/test.h"

#define SCORE_SECONDS    120.0
#define SCORE_TRAINS_MAX 3
#define SCORE_FEW        40 /* of so many seeds one is tried where few are */

struct score_case {
	const char *name;
	double background; /* unrelated events per second */
	double period[SCORE_TRAINS_MAX];
	double missing[2]; /* share, from and to */
	double jitter;     /* share of the period */
	double lateness;
	unsigned seeds, wanted; /* traces, and how many must be right */
};

typedef void score_search(struct trace *tr, struct period_list *found);

static inline void score_trace(const struct score_case *c, unsigned seed, struct trace *tr)
{
	trace_begin(tr, seed);
	trace_add_poisson(tr, c->background, SCORE_SECONDS);
	for (size_t i = 0; i < SCORE_TRAINS_MAX && c->period[i] > 0; i++) {
		double spread = c->missing[1] - c->missing[0];
		struct trace_train train = {
			.period = c->period[i],
			.missing = c->missing[0] + trace_uniform(tr) * spread,
			.jitter = c->jitter,
			.lateness = c->lateness,
		};

		trace_add_train(tr, &train, SCORE_SECONDS);
	}
	trace_sort(tr);
}

/* Each train once, its period within 1 %, and nothing else. */
static inline bool score_right(const struct score_case *c, const struct period_list *found)
{
	size_t trains = 0;

	for (; trains < SCORE_TRAINS_MAX && c->period[trains] > 0; trains++) {
		double period = c->period[trains] * (1 + c->lateness);
		unsigned times = 0;

		for (size_t i = 0; i < found->count; i++)
			times += trace_is_period(found->source[i].period_ns, period, 0.01);
		if (times != 1)
			return false;
	}
	return found->count == trains;
}

static inline void score_show_wrong(unsigned seed, const struct period_list *found)
{
	print_message("    seed %u:", seed);
	for (size_t i = 0; i < found->count; i++) {
		const struct period_source *s = &found->source[i];

		print_message(" %.6f s (%llu events, fill %.2f, chance 10^%.1f)",
			      (double)s->period_ns / TRACE_S, (unsigned long long)s->events,
			      (double)s->fill_ppm / 1e6, (double)s->chance_milli / 1e3);
	}
	print_message("\n");
}

/* Over all seeds, or the last few; prints the score. False below what is wanted. */
static inline bool score_enough(const struct score_case *c, score_search *search)
{
	static struct trace tr;
	struct period_list found;
	unsigned seeds = rounds((c->seeds + SCORE_FEW - 1) / SCORE_FEW, c->seeds);
	/* Of few seeds no larger share may be wrong than of all. */
	unsigned wanted = seeds - (c->seeds - c->wanted) * seeds / c->seeds;
	unsigned right = 0;

	for (unsigned seed = c->seeds - seeds + 1; seed <= c->seeds; seed++) {
		score_trace(c, seed, &tr);
		search(&tr, &found);
		if (score_right(c, &found))
			right++;
		else
			score_show_wrong(seed, &found);
	}
	print_message("  %-52s %2u of %u (at least %u)\n", c->name, right, seeds, wanted);
	return right >= wanted;
}
