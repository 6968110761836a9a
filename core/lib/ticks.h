/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of the TSC and nanoseconds. hz is 1 MHz to 16 GHz. */
#pragma once

#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_S  UINT64_C(1000000000)

/* Convert, rounded down. Exact, no overflow below 580 years. */
uint64_t ticks_to_ns(uint64_t ticks, uint64_t hz);

/* Convert, rounded up, so that a threshold in ticks is never below the one in ns. */
uint64_t ticks_from_ns(uint64_t ns, uint64_t hz);

/* Difference of a from b in parts per million of b; the largest number if it is out of range. */
uint64_t ticks_ppm_apart(uint64_t a, uint64_t b);
