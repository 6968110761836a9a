/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers that the slow path reads after each gap. */
#pragma once

#include "asm.h"
#include "core/gaps/cpu.h"

#include <stdint.h>

/* MSR_SMI_COUNT is 32 bits wide and wraps (SDM vol. 4, table 2-2 ff.). 0 where there is none. */
static inline uint32_t evidence_register(const struct cpu_counter *c)
{
	return c->readable ? rdmsr_low(c->msr) : 0;
}
