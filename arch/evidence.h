/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the counters that are evidence of a gap. On the slow path, hence inline. */
#pragma once

#include "evidence_now.h"
#include "core/gaps/cpu.h"

#include <stdint.h>

/* Steps of a counter since the last call; later calls count from here. */
static inline uint32_t evidence_smi(struct cpu *cpu)
{
	uint32_t last = cpu->smi.last;

	cpu->smi.last = evidence_smi_now(cpu);
	return cpu->smi.last - last;
}

static inline uint32_t evidence_nmi(struct cpu *cpu)
{
	uint32_t last = cpu->nmi_last;

	cpu->nmi_last = evidence_nmi_now(cpu);
	return cpu->nmi_last - last;
}

static inline uint32_t evidence_mce(struct cpu *cpu)
{
	uint32_t last = cpu->mce_last;

	cpu->mce_last = evidence_mce_now(cpu);
	return cpu->mce_last - last;
}

/* Take the steps of the counters that measure, so that they are no gap's. */
static inline void evidence_forget_steps(struct cpu *cpu)
{
	struct gap_steps nobodys;

	if (!cpu->read_counters)
		return;
	cpu->read_counters(cpu);
	cpu->make_steps(cpu, &nobodys);
}
