/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of the TSC and nanoseconds. hz is 1 MHz to 16 GHz. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_S  UINT64_C(1000000000)

/* Rounded down; exact, no overflow below 580 years. */
static inline uint64_t ticks_to_ns(uint64_t ticks, uint64_t hz)
{
	return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

/* Rounded up, so that a threshold in ticks is never below the one in ns. */
static inline uint64_t ticks_from_ns(uint64_t ns, uint64_t hz)
{
	return ns / NS_PER_S * hz + (ns % NS_PER_S * hz + NS_PER_S - 1) / NS_PER_S;
}

/*
 * part/whole in parts per million, rounded down; *exact: without a remainder. whole is 1 to
 * UINT64_MAX / 10 (3 years of ticks at 16 GHz). By long division: the product with a million
 * overflows after hours.
 */
static inline uint64_t ticks_ppm(uint64_t part, uint64_t whole, bool *exact)
{
	uint64_t ppm = part / whole;
	uint64_t rest = part % whole;

	for (unsigned digit = 0; digit < 6; digit++) {
		rest *= 10;
		ppm = ppm * 10 + rest / whole;
		rest %= whole;
	}
	*exact = rest == 0;
	return ppm;
}

/* By how much a is off b, in parts per million; the largest number where that is out of range. */
static inline uint64_t ticks_ppm_apart(uint64_t a, uint64_t b)
{
	uint64_t apart = a > b ? a - b : b - a;

	return apart > UINT64_MAX / 1000000 ? UINT64_MAX : apart * 1000000 / (b ? b : 1);
}
