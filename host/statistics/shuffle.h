/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A permutation test: which of several x does each y of n runs go with?
 *
 * A linear model is taken out of x and y. What is left of y is then dealt to the runs at random,
 * again and again (Freedman and Lane, J. Bus. Econ. Stat. 1, 1983), and its correlation with what
 * is left of x is computed anew. That assumes nothing about how y is distributed: bursts, two
 * states of the firmware, single events. Among three runs of each kind it has no answer below 1 in
 * 10.
 *
 * All tests together keep one level: a chance is how often *any* test shows as much in a round
 * (minP of Westfall and Young, Resampling-Based Multiple Testing, 1993). The model has the order of
 * the runs, if that is known, and the x that were found for this y.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHUFFLE_MOST 256 /* runs */

/* Minimum number of runs for a finding: with eight, no split in two is rarer than 1 in 35. */
#define SHUFFLE_LEAST 9

enum shuffle_outcome {
	SHUFFLE_NOTHING,
	SHUFFLE_FOUND,
	SHUFFLE_IN_DOUBT, /* another x explains it as well */
	SHUFFLE_BY_ORDER, /* the order of the runs explains it as well */
	SHUFFLE_TOO_FEW   /* runs: below SHUFFLE_LEAST */
};

struct shuffle_test {
	size_t x, y;
	enum shuffle_outcome outcome;
	double rank;   /* number of rounds in which the test shows as much */
	double chance; /* probability of that rank in any test; NAN: too few runs */
	double slope;  /* slope of y by x, beside the model; NAN: the model explains x */
};

struct shuffle {
	size_t n;            /* runs, at most SHUFFLE_MOST */
	const double *order; /* one per run; NULL: not known */
	const double *x, *y; /* values of all runs, for each x or y in turn */
	size_t xs;
	double level; /* a chance below it is a finding */
	/* True if both x may be in one model; two values of one setting may not. */
	bool (*joins)(const void *ctx, size_t x, size_t other);
	const void *ctx;
	struct shuffle_test *test; /* x and y are the caller's; the rest is the answer */
	size_t tests;
};

/* Judge the tests, and sort them by chance. The same numbers always have the same result. */
void shuffle_judge(struct shuffle *s);

/*
 * The standard deviation of a y in runs whose x are all equal, and its degrees of freedom: 0 if
 * there are no runs to spare.
 */
double shuffle_spread(const struct shuffle *s, size_t y, size_t *freedom);

/* Bring the items into a random order, which the seed determines. */
void shuffle_deal(size_t *item, size_t count, uint64_t *seed);
