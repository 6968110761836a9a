/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the counters that bear witness to a gap. On the slow path, hence inline. */
#ifndef ARCH_X86_64_EVIDENCE_H
#define ARCH_X86_64_EVIDENCE_H

#include "asm.h"
#include "core/cpu.h"
#include "core/gap.h"

#include <stdint.h>

/*
 * Counter steps since the last call; later calls count from here. MSR_SMI_COUNT
 * is 32 bits wide and wraps (SDM vol. 4, table 2-2 ff.).
 */
static inline void evidence_step(struct cpu *cpu, struct gap_evidence *step)
{
	uint32_t smi = 0, nmi = (uint32_t)*cpu->nmi_count;

	if (cpu->smi.readable)
		smi = rdmsr_low(MSR_SMI_COUNT);
	step->smi = smi - cpu->smi.last;
	step->nmi = nmi - cpu->nmi_last;
	cpu->smi.last = smi;
	cpu->nmi_last = nmi;
}

#endif
