/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the counters that bear witness to a gap. On the slow path, hence inline. */
#ifndef ARCH_X86_64_EVIDENCE_H
#define ARCH_X86_64_EVIDENCE_H

#include "asm.h"
#include "core/cpu.h"
#include "core/gap.h"

#include <stdint.h>

/* MSR_SMI_COUNT is 32 bits wide and wraps (SDM vol. 4, table 2-2 ff.). */
static inline uint32_t evidence_smi_now(const struct cpu *cpu)
{
	return cpu->smi.readable ? (uint32_t)rdmsr(MSR_SMI_COUNT) : 0;
}

/* Counter steps since the last call; later calls count from here. */
static inline void evidence_step(struct cpu *cpu, struct gap_evidence *step)
{
	uint32_t smi = evidence_smi_now(cpu);
	uint64_t nmi = *cpu->nmi_count;

	step->smi = smi - (uint32_t)cpu->smi.last;
	step->nmi = (uint32_t)(nmi - cpu->nmi_last);
	cpu->smi.last = smi;
	cpu->nmi_last = nmi;
}

#endif
