/* SPDX-License-Identifier: BSD-2-Clause */
/* Each change against each rate, and the level that all of these tests together keep. */
#pragma once

#include "hunt_fit.h"

/*
 * That any is found by chance, of all: 1 in 100, by Holm (Scand. J. Statist. 6, 1979), and by
 * hunt_shuffle.h.
 */
#define HUNT_LEVEL 0.01

/*
 * From so many degrees of freedom on all changes are in one model. Else each change is tested with
 * those that were found, and with any one of the others.
 */
#define HUNT_FREEDOM 4

struct hunt_test {
	size_t change; /* of h->changes */
	unsigned rate;
	struct hunt_fit fit;
	double adjusted; /* chance, for their number; 1 where the fit is not possible */
	bool found;
	bool too_few;  /* found, if hunt_shuffle.h did not need more runs */
	bool in_doubt; /* found, if other changes, or the runs' order, did not explain it as well */
	bool by_order; /* in doubt, and the order alone is enough for that */
};

struct hunt_tests {
	struct hunt_test *at; /* the least likely chance first */
	size_t count;
	bool compared[HUNT_RATES_MAX]; /* known in all runs, and not the same in all */
};

/* Free tests->at. */
void hunt_tests_run(struct hunt_tests *tests, const struct hunt *h);

/* What to measure next, where something is left open. */
enum hunt_next {
	HUNT_NEXT_NONE,
	/*
	 * As in the first run, but the first `settings` of the change as in run `on`: half of those
	 * that always changed together.
	 */
	HUNT_NEXT_PART,
	HUNT_NEXT_AGAIN, /* another run with the settings of `again` */
};

struct hunt_advice {
	enum hunt_next next;
	const struct hunt_test *test;
	size_t on, again; /* runs */
	size_t settings;
};

struct hunt_advice hunt_tests_next(const struct hunt_tests *tests, const struct hunt *h);

/* Of the runs where the change is on, or is not, as hunt_rate() of one. */
double hunt_tests_rate(const struct hunt *h, size_t change, unsigned rate, bool on);
