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

static inline uint32_t evidence_nmi_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->nmi_count;
}

static inline uint32_t evidence_mce_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->mce_count;
}
