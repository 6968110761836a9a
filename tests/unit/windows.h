/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches for sources on made-up traces, as they are and as they look through windows: what falls
 * between is not seen.
 */
#pragma once

#include "rounds.h"
#include "trace.h"

#include "core/gaps/exposure.h"
#include "core/events/period.h"

#include "tests/unit/common/test.h"

#define WINDOWS_MAX        8192
#define WINDOWS_TRAINS_MAX 3

struct windows {
	struct exposure exposure;
	struct exposure_window window[WINDOWS_MAX];
};

/*
 * Lay windows of so many s, with pauses between them that vary by up to `jitter`, until `seconds`.
 */
static inline void windows_lay(struct windows *w, struct trace *tr, double length, double pause,
			       double jitter, double seconds)
{
	double at = 0.25;

	w->exposure = (struct exposure){ .window = w->window, .capacity = WINDOWS_MAX };
	while (at + length < seconds) {
		if (!exposure_add(&w->exposure, (uint64_t)(at * TRACE_S),
				  (uint64_t)((at + length) * TRACE_S)))
			abort();
		at += length + pause + jitter * trace_uniform(tr);
	}
}

/* Add an event in each window, `after` s from its start, give or take `spread`. */
static inline void windows_add_noise(const struct windows *w, struct trace *tr, double after,
				     double spread)
{
	for (size_t i = 0; i < w->exposure.count; i++)
		trace_add(tr, (double)w->window[i].start / TRACE_S + after +
				      spread * trace_uniform(tr));
}

/* Remove the events that no window sees, and sort the others. */
static inline void windows_look(const struct windows *w, struct trace *tr)
{
	size_t kept = 0;

	for (size_t i = 0; i < tr->count; i++) {
		if (exposure_meets(&w->exposure, tr->t[i], tr->t[i]))
			tr->t[kept++] = tr->t[i];
	}
	tr->count = kept;
	trace_sort(tr);
}

/* True if each train was found once, with its period within 1 %, and nothing else. */
static inline bool windows_right(const double period[WINDOWS_TRAINS_MAX], double lateness,
				 const struct period_list *found)
{
	size_t trains = 0;

	for (; trains < WINDOWS_TRAINS_MAX && period[trains] > 0; trains++) {
		unsigned times = 0;

		for (size_t i = 0; i < found->count; i++)
			times += trace_is_period(found->source[i].period_ns,
						 period[trains] * (1 + lateness), 0.01);
		if (times != 1)
			return false;
	}
	return found->count == trains;
}

struct windows_case {
	const char *name;
	double length, pause, jitter; /* length of windows, of pauses, and jitter, s */
	double background;            /* unrelated events per second */
	double after, spread;         /* offset and spread of each window's event, s; 0: none */
	double period[WINDOWS_TRAINS_MAX];
	double seconds;
	bool lures; /* a search that ignores the windows finds a false source */
};

#define WINDOWS_SEEDS 2

/* `watched` may be NULL. The trace is used up. */
typedef void windows_search(struct trace *tr, const struct exposure *watched,
			    struct period_list *found);

static inline void windows_trace(const struct windows_case *c, unsigned seed, struct windows *w,
				 struct trace *tr)
{
	trace_begin(tr, seed);
	windows_lay(w, tr, c->length, c->pause, c->jitter, c->seconds);
	trace_add_poisson(tr, c->background, c->seconds);
	for (size_t i = 0; i < WINDOWS_TRAINS_MAX && c->period[i] > 0; i++) {
		struct trace_train train = { .period = c->period[i], .jitter = 0.001 };

		trace_add_train(tr, &train, c->seconds);
	}
	if (c->after + c->spread > 0)
		windows_add_noise(w, tr, c->after, c->spread);
	windows_look(w, tr);
}

/*
 * The search is always right if it knows the windows. If they lure, it is not always right without
 * them, which shows in all rounds.
 */
static inline bool windows_enough(const struct windows_case *c, windows_search *search)
{
	static struct windows w;
	static struct trace tr, copy;
	struct period_list found;
	unsigned seeds = rounds(1, WINDOWS_SEEDS), right = 0, lured = 0;
	bool lures = c->lures && rounds_all();

	for (unsigned seed = 1; seed <= seeds; seed++) {
		windows_trace(c, seed, &w, &tr);
		copy = tr;
		search(&copy, &w.exposure, &found);
		right += windows_right(c->period, 0, &found);
		if (lures) {
			search(&tr, NULL, &found);
			lured += !windows_right(c->period, 0, &found);
		}
	}
	print_message("  %-52s %u of %u; without the windows wrong %u\n", c->name, right, seeds,
		      lured);
	return right == seeds && (lured || !lures);
}

/* clang-format off */
static const struct windows_case windows_cases[] = {
	/* name, windows, background, noise with each, trains, seconds, lures */
	{ "150/s through 0.8 s of each 1.005 s",
	  0.8, 0.205, 0, 150, 0, 0, { 0 }, 60, false },
	{ "30/s through 0.3 s of each second",
	  0.3, 0.7, 0, 30, 0, 0, { 0 }, 60, true },
	{ "10/s through 0.25 s of about each second",
	  0.25, 0.75, 0.01, 10, 0, 0, { 0 }, 120, true },
	{ "500/s through 4 ms of each 100 ms",
	  0.004, 0.096, 0, 500, 0, 0, { 0 }, 30, true },
	{ "500/s through 4 ms of about each 50 ms",
	  0.004, 0.045, 0.001, 500, 0, 0, { 0 }, 30, true },
	{ "noise as each window begins",
	  1, 0.005, 0.0003, 1, 0.0001, 0.0002, { 0 }, 120, true },
	{ "the same, windows to the tick",
	  1, 0.005, 0, 1, 0.0001, 0, { 0 }, 120, true },
	{ "noise as each window of 0.1 s begins",
	  0.1, 0.005, 0.0003, 1, 0.0001, 0.0002, { 0 }, 30, true },
	{ "noise before each window ends",
	  1, 0.005, 0.0003, 1, 0.98, 0.01, { 0 }, 120, true },
	{ "noise about the middle of each window",
	  1, 0.005, 0.0003, 1, 0.4, 0.2, { 0 }, 120, true },
	{ "3/s through 1 s of each 1.01 s",
	  1, 0.01, 0.001, 3, 0, 0, { 0 }, 120, false },
	{ "0.3, 1, 1.5 s in 1/s, 1 % not seen",
	  1, 0.01, 0.001, 1, 0, 0, { 0.3, 1, 1.5 }, 120, false },
	{ "1 s in 2/s, windows of 1.01 s to the tick",
	  1, 0.01, 0, 2, 0, 0, { 1 }, 120, false },
	{ "64 ms in 2/s, and noise as each window begins",
	  1, 0.01, 0.001, 2, 0.0001, 0.0002, { 0.064 }, 120, true },
	{ "64 ms in 2/s, half not seen",
	  0.5, 0.5, 0.001, 2, 0, 0, { 0.064 }, 120, true },
	{ "64 ms in 2/s, pauses of 4 s",
	  1, 4, 0.001, 2, 0, 0, { 0.064 }, 120, true },
	{ "16 ms in 2/s, a third not seen",
	  0.1, 0.05, 0.001, 2, 0, 0, { 0.016 }, 30, false },
	{ "64 ms in 300/s, 1 % not seen",
	  1, 0.01, 0.001, 300, 0, 0, { 0.064 }, 30, false },
};
/* clang-format on */

/* Try all cases, or every third; print a line for each. */
static inline bool windows_all_right(windows_search *search)
{
	bool enough = true;

	for (size_t i = 0; i < sizeof(windows_cases) / sizeof(windows_cases[0]); i += rounds(3, 1))
		enough = windows_enough(&windows_cases[i], search) && enough;
	return enough;
}

/* ---- Scores without windows: over how many seeded traces a search is right ---- */

#define SCORE_SECONDS 120.0
#define SCORE_FEW     40 /* few rounds: one seed in this many is tried */
#define SCORE_ALL     2  /* all rounds: one seed in this many */

struct score_case {
	const char *name;
	double background; /* unrelated events per second */
	double period[WINDOWS_TRAINS_MAX];
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
	for (size_t i = 0; i < WINDOWS_TRAINS_MAX && c->period[i] > 0; i++) {
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

static inline void score_show_wrong(unsigned seed, const struct period_list *found)
{
	print_message("    seed %u:", seed);
	for (size_t i = 0; i < found->count; i++) {
		const struct record_source *s = &found->source[i];

		print_message(" %.6f s (%llu events, fill %.2f, chance 10^%.1f)",
			      (double)s->period_ns / TRACE_S, (unsigned long long)s->events,
			      (double)s->fill_ppm / 1e6, (double)s->chance_milli / 1e3);
	}
	print_message("\n");
}

/* Over the last half of the seeds, or few; prints the score. False below what is wanted. */
static inline bool score_enough(const struct score_case *c, score_search *search)
{
	static struct trace tr;
	struct period_list found;
	unsigned share = rounds(SCORE_FEW, SCORE_ALL);
	unsigned seeds = (c->seeds + share - 1) / share;
	/* With fewer seeds, no larger share may be wrong. */
	unsigned wanted = seeds - (c->seeds - c->wanted) * seeds / c->seeds;
	unsigned right = 0;

	for (unsigned seed = c->seeds - seeds + 1; seed <= c->seeds; seed++) {
		score_trace(c, seed, &tr);
		search(&tr, &found);
		if (windows_right(c->period, c->lateness, &found))
			right++;
		else
			score_show_wrong(seed, &found);
	}
	print_message("  %-52s %2u of %u (at least %u)\n", c->name, right, seeds, wanted);
	return right >= wanted;
}
