/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has a rate changed, or is it chance? Two counts, each with the time in which it
 * was made.
 */
#pragma once

#include <stdint.h>

/* What the change of a rate comes to. */
enum ratetest_change {
	RATE_SAME, /* not significant, at RATE_CHANCE_MAX */
	RATE_LESS,
	RATE_MORE,
	RATE_NOT_COMPARED, /* no time in one of them, or a count that is not known */
	RATE_CHANGES
};

/* "same" "less" "more"; NULL for RATE_NOT_COMPARED. */
const char *ratetest_change_name(enum ratetest_change change);

/* Chance explains a difference that is at least this likely: log10 in thousandths, 1 in 100. */
#define RATE_CHANCE_MAX (-2000)

/* The smallest probability that is not taken as 0: log10 in thousandths. */
#define RATE_CHANCE_MIN (-15000)

/*
 * The probability, log10 in thousandths, that two counts of the same rate differ
 * as much as `before` in time_before and `after` in time_after, or more: the
 * exact conditional test of two Poisson counts (Przyborowski and Wilenski,
 * Biometrika 31, 1940), two-sided by doubling the smaller tail. Within 2 of the
 * exact value, 0 (certain) to RATE_CHANCE_MIN, below which all are
 * equal. Both times are above 0. Counts over 2^24 in all are halved together
 * until they are not, which makes a difference look more like chance.
 */
int64_t ratetest_chance(uint64_t before, uint64_t time_before, uint64_t after, uint64_t time_after);

/* The direction of a change that chance does not explain; RATE_SAME for one that it may. */
enum ratetest_change ratetest_change(uint64_t before, uint64_t time_before, uint64_t after,
				     uint64_t time_after);
