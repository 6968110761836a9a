/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probabilities of counts by chance: three distributions, events that come in bursts, and the test
 * of two rates.
 */
#pragma once

#include "core/lib/text.h"

#include <stddef.h>
#include <stdint.h>

/*
 * ---- The mean behind a count ----
 *
 * Exact limits for a Poisson mean (Garwood, Biometrika 28, 1936), from quantiles of the gamma
 * distribution.
 */

/*
 * The least and the greatest mean for which `count` or more, or `count` or fewer, occur with
 * probability `tail` (above 0, below 0.5). A count of 0 gives 0 and -ln(tail): 3.0 for 0.05. Counts
 * need not be whole. Within 10^-6 of the exact value, relatively, for a tail of 10^-4 or more.
 */
double poisson_lower(double count, double tail);
double poisson_upper(double count, double tail);

/* The probability of a chi-square of `x` or more, with degrees of freedom above 0. */
double poisson_chi_square(double x, size_t freedom);

/* ---- Student's t; with 0 degrees of freedom, the normal distribution: the spread is known ---- */

/* Two-sided: the probability that |t| or more occurs; at least 1e-15. */
double student_chance(double t, size_t freedom);

/* One-sided quantile: exceeded with probability `tail` (at least 1e-15, at most 0.5). */
double student_limit(double tail, size_t freedom);

/* ---- The hypergeometric distribution: do two equal samples share the largest like this? ---- */

/*
 * Probability that at least `least` of `drawn` items are marked, if they are drawn by chance from
 * `marked` and `others`. Within 1e-9 of the exact value, relatively, up to 10^6 items.
 */
double hypergeometric_tail(uint64_t least, uint64_t marked, uint64_t others, uint64_t drawn);

/*
 * ---- Bursts ----
 *
 * How much the counts of a run's windows differ beyond what independent events would: events that
 * come in bursts or storms are fewer than they seem.
 *
 * The windows are also taken together to 3, 6, 12 ... blocks. At each of these scales the index of
 * dispersion is Pearson's chi-square of equal rates over its degrees of freedom, as in
 * quasi-Poisson models: the number of events that come as one. It grows with the blocks until they
 * are longer than a storm. So the largest index is used, with its degrees of freedom. If
 * independent events would reach the chi-square of each scale more often than 1 time in 100, events
 * count as independent.
 *
 * What lasts longer than a third of the run does not show in it.
 */

struct dispersion_window {
	double count, length; /* length above 0, in any unit */
};

struct dispersion {
	double size;    /* number of events that count as one: at least 1 */
	size_t freedom; /* degrees, of that estimate; 0: it is known, or events are independent */
};

/* Fewer windows are no evidence of how events come. */
#define DISPERSION_WINDOWS_MIN 5

/*
 * Dispersion of windows in time order. Fewer than DISPERSION_WINDOWS_MIN count as independent
 * events.
 */
struct dispersion dispersion_of(const struct dispersion_window *w, size_t windows);

/*
 * The probability of something that independent events show with probability `chance` (0 to 1), for
 * events in bursts, whose number has been divided by d->size. That is itself an estimate, so this
 * is Student's t of as many standard deviations; of 16 if `chance` is below 1e-15.
 */
double dispersion_chance(const struct dispersion *d, double chance);

/*
 * The least and the greatest mean for which `count` or more, or `count` or fewer, occur with
 * probability `tail` (above 0, below 0.5): poisson_lower and _upper, in bursts.
 */
double dispersion_lower(const struct dispersion *d, double count, double tail);
double dispersion_upper(const struct dispersion *d, double count, double tail);

/* ---- Has a rate changed, or is it chance? Two counts, each with the time it was made in ---- */

/* Chance explains a difference that is at least this likely: log10, 1 in 100. */
#define RATE_LOG10_MAX (-2.0)

/* The smallest probability that is not taken as 0: log10. */
#define RATE_LOG10_MIN (-15)

struct ratetest_side {
	uint64_t count, time;     /* before, after: both times in one unit */
	struct dispersion bursts; /* bursts of the events; { 1, 0 }: independent */
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

/* "p 0.32", "p 1.2e-06", "p under 1e-15" */
void ratetest_add_p(struct text *t, double log10_p);
