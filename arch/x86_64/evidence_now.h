/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters that the slow path reads after each gap, as they stand. */
#pragma once

#include "asm.h"
#include "core/gaps/cpu.h"

#include <stdint.h>

/* MSR_SMI_COUNT is 32 bits wide and wraps (SDM vol. 4, table 2-2 ff.). 0 where there is none. */
static inline uint32_t evidence_smi_now(const struct cpu *cpu)
{
	return cpu->smi.readable ? rdmsr_low(cpu->smi.msr) : 0;
}

/* The cause of a gap by these counters alone. */
static inline enum cause evidence_counted_cause(const struct gap_evidence *e)
{
	return gap_counted_cause(e);
}

/* Gaps are attributed as soon as their counters are read. */
#define EVIDENCE_WAITS false

static inline void evidence_measure(struct cpu *cpu, const struct gap *gap, struct attribution *why)
{
	cpu->measure(cpu, gap, why);
}

static inline void evidence_decide(struct cpu *cpu, const struct gap *gap, struct attribution *why)
{
	(void)cpu, (void)gap, (void)why;
}

static inline void evidence_settle(struct cpu *cpu, size_t from)
{
	(void)cpu, (void)from;
}

static inline uint32_t evidence_nmi_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->nmi_count;
}

static inline uint32_t evidence_mce_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->mce_count;
}
