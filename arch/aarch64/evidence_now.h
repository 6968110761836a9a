/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters that the slow path reads after each gap, as they stand. */
#pragma once

#include "core/gaps/cpu.h"

#include <stdint.h>

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
