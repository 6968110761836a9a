/* SPDX-License-Identifier: BSD-2-Clause */
/* Long division, bit by bit: there is no 128-bit one without a library. */
#include "ratio.h"

#define PPM UINT64_C(1000000)

uint64_t ratio_of(uint64_t a, uint64_t b)
{
	uint64_t quotient, rest;

	/* Room for the remainder twice over. */
	for (; b >> 62; b >>= 1)
		a >>= 1;
	if (!b || a / b >> 33)
		return 0;
	quotient = a / b;
	rest = a % b;
	for (unsigned i = 0; i < RATIO_ONE_BITS; i++) {
		rest <<= 1;
		quotient = quotient << 1 | (rest >= b);
		rest -= rest >= b ? b : 0;
	}
	return quotient;
}

uint64_t ratio_ppm(uint64_t ratio)
{
	uint64_t whole = ratio >> RATIO_ONE_BITS, part = ratio & (RATIO_ONE - 1);

	return whole * PPM + (part * PPM + RATIO_ONE / 2) / RATIO_ONE;
}
