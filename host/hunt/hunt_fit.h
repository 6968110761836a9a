/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a rate follow a change of settings? Two answers, of which the less certain one counts:
 *
 * Against chance within runs: the exact conditional test of two Poisson counts, all runs with the
 * change against all without it, each run's time weighted by what other changes explain.
 *
 * Against the spread between equal runs: Student's t of the change in a linear model of the rates'
 * logarithms. It needs more runs than changes that are in the model, and takes for granted that the
 * logarithms spread normally: what does not is for hunt_shuffle.h.
 *
 * Where the order of the runs is known, it can be in the model, too: a drift is no effect.
 */
#pragma once

#include "hunt.h"

struct hunt_fit {
	bool possible;   /* else the other changes leave nothing to compare */
	double factor;   /* of the rate, where the change is on */
	double chance;   /* of a difference as large as this, or larger; at least 1e-15 */
	size_t freedom;  /* degrees, of the spread; 0: it is not known */
	double spread;   /* standard deviation of the logarithms of equal runs' rates */
	double expected; /* the same, if counts were Poisson; 0: not known */
};

/*
 * Does `rate` follow `change`, in a model with the changes of `with` (of h->changes), and with the
 * order of the runs?
 */
struct hunt_fit_question {
	const struct hunt *h;
	unsigned rate;
	size_t change;
	const bool *with;
	bool order;
};

struct hunt_fit hunt_fit_change(const struct hunt_fit_question *q);

/*
 * What the model leaves of the change, and of the logarithms of the rate of each run: h->runs
 * numbers each, of length 1. False: nothing of one of them.
 */
bool hunt_fit_left(const struct hunt_fit_question *q, double *x, double *y);
