/* SPDX-License-Identifier: BSD-2-Clause */
/* One read of the clock. Needs no privilege, so the host's loop shares it. */
#pragma once

#include <stdint.h>

/* The TSC. Not ordered against neighbouring instructions, as in the loop itself. */
static inline uint64_t clock_now(void)
{
	uint64_t low, high; /* RDTSC clears the upper halves */

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (high << 32) + low; /* a LEA, which leaves both as they are */
}

/* Give way to the sibling thread, or, under a hypervisor, to another core. */
static inline void clock_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}
