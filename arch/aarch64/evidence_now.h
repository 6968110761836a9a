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

/* There are no interrupts that cannot be masked. */
static inline uint32_t evidence_nmi_now(const struct cpu *cpu)
{
	(void)cpu;
	return 0;
}

/* SErrors. */
static inline uint32_t evidence_mce_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->mce_count;
}
