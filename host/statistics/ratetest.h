/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has a rate changed, or is it chance? Two counts, each with the time in which it
 * was made.
 */
#pragma once

#include "dispersion.h"

#include "core/lib/text.h"

#include <stdint.h>

/* What the change of a rate comes to. */
enum ratetest_change {
	RATE_SAME, /* not significant, at RATE_LOG10_MAX */
	RATE_LESS,
	RATE_MORE,
	RATE_NOT_COMPARED, /* no time in one of them, or a count that is not known */
	RATE_CHANGES
};

/* "same" "less" "more"; NULL for RATE_NOT_COMPARED. */
const char *ratetest_change_name(enum ratetest_change change);

/* Chance explains a difference that is at least this likely: log10, 1 in 100. */
#define RATE_LOG10_MAX (-2.0)

/* The smallest probability that is not taken as 0: log10. */
#define RATE_LOG10_MIN (-15)

struct ratetest_side {
	uint64_t count, time;     /* before, after: both times in one unit */
	struct dispersion bursts; /* in which its events come; { 1, 0 }: independent */
};

struct ratetest {
	enum ratetest_change change;
	double log10_p; /* of how likely chance does this or more; 0 is certain */
	double size;    /* so many events come as one, at least 1, of the side with more */
};

/*
 * log10 of the probability that two counts of the same rate differ as much as these, or more: the
 * exact conditional test of two Poisson counts (Przyborowski and Wilenski, Biometrika 31, 1940),
 * two-sided by doubling the smaller tail; 0 (certain) to RATE_LOG10_MIN, below which all are equal.
 * Both times are above 0. Counts over 2^24 in all are halved together until they are not, which
 * makes a difference look more like chance.
 *
 * Counts are first divided by the bursts of the side with which chance is more likely. `spread`
 * between equal runs, the standard deviation of their rates' logarithms, adds to these; 0: none.
 */
double ratetest_log10_p(const struct ratetest_side side[2], double spread);

/* The same, judged; without a spread. */
struct ratetest ratetest_judge(const struct ratetest_side side[2]);

/* "p 0.32", "p 1.2e-06", "p under 1e-15" */
void ratetest_add_p(struct text *t, double log10_p);
