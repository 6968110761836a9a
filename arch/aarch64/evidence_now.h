/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters that the slow path reads after each gap, as they stand. */
#pragma once

#include "core/gaps/cpu.h"
#include "counters/counters_now.h"

#include <stdint.h>

/*
 * What the monitors count is read on the slow path, as quickly as can be, and judged when the
 * window is over: by evidence_settle(), from the ring. What the ring has no room for is judged at
 * once, by evidence_decide().
 */
#define EVIDENCE_WAITS true

/* The steps since the last reading, into *why where they are a gap's. */
static inline void evidence_measure(struct cpu *cpu, const struct gap *gap, struct attribution *why)
{
	struct attribution_steps nobodys;

	counters_read(cpu->counters, gap ? &why->steps : &nobodys);
	if (gap)
		why->rules = &attribution_levels;
}

/* From the steps in *why to the gap's causes. */
void evidence_decide(struct cpu *cpu, const struct gap *gap, struct attribution *why);

/* The window is over: judge the gaps of the ring, from that one on. */
void evidence_settle(struct cpu *cpu, size_t from);

/* Nothing counts entries into exception level 3. */
static inline uint32_t evidence_smi_now(const struct cpu *cpu)
{
	(void)cpu;
	return 0;
}

/* Interrupts that cannot be masked, there are none. */
static inline uint32_t evidence_nmi_now(const struct cpu *cpu)
{
	(void)cpu;
	return 0;
}

/* The cause of a gap by these counters alone. */
static inline enum cause evidence_counted_cause(const struct gap_evidence *e)
{
	return e->mce ? CAUSE_SERROR : CAUSE_UNKNOWN;
}

/* SErrors. */
static inline uint32_t evidence_mce_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->mce_count;
}
