/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of the TSC and nanoseconds. hz is 1 MHz to 16 GHz. */
#ifndef CORE_TICKS_H
#define CORE_TICKS_H

#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)

/* Rounded down; exact, no overflow below 580 years. */
static inline uint64_t ticks_to_ns(uint64_t ticks, uint64_t hz)
{
	return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

/* Rounded up, so that a threshold in ticks is never below the one in ns. */
static inline uint64_t ns_to_ticks(uint64_t ns, uint64_t hz)
{
	return ns / NS_PER_S * hz + (ns % NS_PER_S * hz + NS_PER_S - 1) / NS_PER_S;
}

#endif
