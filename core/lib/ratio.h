/* SPDX-License-Identifier: BSD-2-Clause */
/* One number in parts of another, as decimal fractions. */
#pragma once

#include "arith.h"

#include <stdbool.h>

/*
 * part/whole in units of 10^-digits, rounded down, or up if `up`; whole is not 0. By long division:
 * the product with a million overflows after hours. Where whole is above UINT64_MAX / 10 (3 years
 * of ticks at 16 GHz), the lowest bits of both do not count, in the rounding either.
 */
uint64_t ratio_share(uint64_t part, uint64_t whole, unsigned digits, bool up);
/* Digits: in parts per million; in numbers per second of ns. */
#define RATIO_PPM   6
#define RATIO_PER_S 9

/* a/b of nine digits, rounded down; 0 where that is not known: b is 0, or a/b not below 2^33. */
uint64_t ratio_of(uint64_t a, uint64_t b);
#define RATIO_ONE UINT64_C(1000000000)

/* In parts per million, rounded to the nearest. */
static inline uint64_t ratio_ppm(uint64_t ratio)
{
	return arith_rounded(ratio, RATIO_ONE / 1000000);
}
