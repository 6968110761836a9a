/* SPDX-License-Identifier: BSD-2-Clause */
/* ns of a clock that is never set. */
#pragma once

#include "core/lib/ticks.h"

#include <time.h>

static inline uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Convert a time of that clock for a timed wait. */
static inline struct timespec monotonic_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}
