/* SPDX-License-Identifier: BSD-2-Clause */
/* One reading of all that a core counts, on the slow path of each gap. */
#pragma once

#include "counters.h"
#include "pmu_now.h"

/*
 * What the hypervisor wrote is in its caches, and the firmware's tables may have the structure as a
 * device, whose reads go past them: hence out to memory first (Arm ARM, B2.8).
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

/* Steps since the last call. */
static inline void counters_read(struct counters *c, struct attribution_steps *s)
{
	pmu_read(&c->pmu, s);
	if (c->stolen.at) {
		s->stolen_ns = stolen_step(&c->stolen, counters_stolen_now(c->stolen.at));
		pmu_read_more(&c->pmu, s);
	}
}
