/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a mocked core. */
#pragma once

#include "core/gaps/cpu.h"

#include <stdint.h>

/* 0 if the core has no SMI counter. */
uint32_t evidence_smi_now(const struct cpu *cpu);

static inline uint32_t evidence_nmi_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->nmi_count;
}

static inline uint32_t evidence_mce_now(const struct cpu *cpu)
{
	return (uint32_t)*cpu->mce_count;
}
