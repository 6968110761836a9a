/* SPDX-License-Identifier: BSD-2-Clause */
/* One reading of all that a core counts, on the slow path of each gap: hence inline and direct. */
#pragma once

#include "asm.h"
#include "clock_now.h"
#include "counters.h"

#include <stdint.h>

static inline uint32_t counters_step32(uint32_t *last, uint64_t now)
{
	uint32_t step = (uint32_t)now - *last;

	*last = (uint32_t)now;
	return step;
}

/* The reading goes on up to here. */
static inline void counters_read_more(struct pmu *p, struct attribution_steps *s)
{
	uint64_t took = clock_now() - p->clock_last;

	s->took = p->took_last = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
}

#define PMU_READ_EVENT(n)                                                                    \
	s->event[n] = counters_step32(&p->event_last[n], sysreg_read("pmevcntr" #n "_el0")); \
	__attribute__((fallthrough));

/* Steps since the last call, of all event counters below the highest that is ours, if any is. */
static inline void counters_read_pmu(struct pmu *p, struct attribution_steps *s)
{
	uint64_t start = clock_now(), cycles = p->slots ? sysreg_read("pmccntr_el0") : 0;

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
	s->span = start - p->clock_last;
	s->cycles = cycles - p->cycles_last;
	s->took_before = p->took_last;
	p->clock_last = start;
	p->cycles_last = cycles;
	counters_read_more(p, s);
}

#undef PMU_READ_EVENT

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
	counters_read_pmu(&c->pmu, s);
	if (c->stolen.at) {
		s->stolen_ns = stolen_step(&c->stolen, counters_stolen_now(c->stolen.at));
		counters_read_more(&c->pmu, s);
	}
}
