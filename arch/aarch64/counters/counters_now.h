/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the counters, on the slow path of each gap: hence without indirection. */
#pragma once

#include "asm.h"
#include "clock_now.h"
#include "pmu.h"

#include <stdint.h>

/*
 * The hypervisor's writes are in its caches. The firmware's tables may map the structure as a
 * device, whose reads bypass caches: clean it to memory first (Arm ARM, B2.8).
 */
static inline uint64_t counters_stolen_now(const volatile struct stolen_time *at)
{
	__asm__ volatile("dc civac, %0\n"
			 "dsb sy"
			 :
			 : "r"(at)
			 : "memory");
	return at->ns;
}

#define PMU_READ_EVENT(n)                                            \
	now->event[n] = (uint32_t)sysreg_read("pmevcntr" #n "_el0"); \
	__attribute__((fallthrough));

/*
 * Read all event counters up to our highest one, if we have any, and stolen time, between two reads
 * of the clock.
 */
static inline void counters_now(const struct pmu *p, struct pmu_now *now)
{
	now->clock = clock_now();
	now->cycles = p->slots ? sysreg_read("pmccntr_el0") : 0;
	switch (p->events) {
	case 6:
		PMU_READ_EVENT(5)
	case 5:
		PMU_READ_EVENT(4)
	case 4:
		PMU_READ_EVENT(3)
	case 3:
		PMU_READ_EVENT(2)
	case 2:
		PMU_READ_EVENT(1)
	case 1:
		PMU_READ_EVENT(0)
	default:
		break;
	}
	if (p->stolen)
		now->stolen = counters_stolen_now(p->stolen);
	now->took = clock_now() - now->clock;
}

#undef PMU_READ_EVENT
