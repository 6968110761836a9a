/* SPDX-License-Identifier: BSD-2-Clause */
/* One read of the clock. Needs no privilege, so the host's loop shares it. */
#ifndef ARCH_X86_64_CLOCK_NOW_H
#define ARCH_X86_64_CLOCK_NOW_H

#include <stdint.h>

/* The TSC. Not ordered against neighbouring instructions, as in the loop itself. */
static inline uint64_t clock_now(void)
{
	uint64_t low, high; /* RDTSC clears the upper halves */

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
}

/* Give way to the sibling thread, or, under a hypervisor, to another core. */
static inline void clock_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
