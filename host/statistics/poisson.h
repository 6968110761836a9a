/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mean behind a count: exact limits for a Poisson mean (Garwood, Biometrika 28, 1936), from
 * quantiles of the gamma distribution.
 */
#pragma once

#include <stddef.h>

/*
 * The least and the greatest mean for which `count` or more, or `count` or fewer, occur with
 * probability `tail` (above 0, below 0.5). A count of 0 gives 0 and -ln(tail): 3.0 for 0.05. Counts
 * need not be whole. Within 10^-6 of the exact value.
 */
double poisson_lower(double count, double tail);
double poisson_upper(double count, double tail);

/* The probability of a chi-square of `x` or more, with degrees of freedom above 0. */
double poisson_chi_square(double x, size_t freedom);
