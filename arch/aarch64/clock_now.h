/* SPDX-License-Identifier: BSD-2-Clause */
/* One read of the clock. Needs no privilege, so the host's loop shares it. */
#pragma once

#include <stdint.h>

/*
 * The virtual counter. Its reads may be speculated and go past each other (Arm ARM, D11.1.2):
 * ISB keeps them in order, as in the loop itself.
 */
static inline uint64_t clock_now(void)
{
	uint64_t now;

	__asm__ volatile("isb\n"
			 "mrs %0, cntvct_el0"
			 : "=r"(now)
			 :
			 : "memory");
	return now;
}

/* Give way to the sibling thread, or, under a hypervisor, to another core. */
static inline void clock_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}
