/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the calling core by a table of functions, so that tests can play the processor. */
#pragma once

#include "asm.h"

#include <stdbool.h>
#include <stdint.h>

struct regs {
	struct cpuid (*cpuid)(uint32_t leaf, uint32_t subleaf);
	/* Guarded: false when the processor refuses, see msr.h. */
	bool (*rdmsr)(uint32_t msr, uint64_t *value);
	bool (*wrmsr)(uint32_t msr, uint64_t value);
	uint64_t (*clock)(void); /* ticks of the TSC */
};

/* The processor itself. Only once our own IDT is loaded. */
extern const struct regs regs_real;

/* Whether the leaf exists; those above the highest return another one's data. */
static inline bool regs_has_leaf(const struct regs *regs, uint32_t leaf)
{
	return regs->cpuid(leaf & 0xffff0000u, 0).eax >= leaf;
}
