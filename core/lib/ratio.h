/* SPDX-License-Identifier: BSD-2-Clause */
/* Ratios of two integers, as decimal fractions. */
#pragma once

#include "arith.h"

#include <stdbool.h>

/*
 * part/whole in units of 10^-digits, rounded down, or up if `up`; whole is not 0. Computed by long
 * division, because the product with a million overflows after hours. If whole is above UINT64_MAX
 * / 10 (3 years of ticks at 16 GHz), the lowest bits of both are ignored, in the
 * rounding, too.
 */
uint64_t ratio_share(uint64_t part, uint64_t whole, unsigned digits, bool up);
/* Values of `digits`: for ppm, and for counts per second if `whole` is in ns. */
#define RATIO_PPM   6
#define RATIO_PER_S 9

/*
 * a/b in units of 1 / RATIO_ONE, rounded down. 0 if it is not known: b is 0, or a/b is at least
 * 2^33.
 */
uint64_t ratio_of(uint64_t a, uint64_t b);
#define RATIO_ONE UINT64_C(1000000000)

/* The ratio in parts per million, rounded to the nearest. */
static inline uint64_t ratio_ppm(uint64_t ratio)
{
	return arith_rounded(ratio, RATIO_ONE / 1000000);
}
