/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the calling core by a table of functions, so that tests can play the processor. */
#pragma once

#include "asm.h"

#include <stdbool.h>
#include <stdint.h>

struct regs {
	struct cpuid (*cpuid)(uint32_t leaf, uint32_t subleaf);
	/* Guarded: false when the processor refuses, see regs_msr_read(). */
	bool (*rdmsr)(uint32_t msr, uint64_t *value);
	bool (*wrmsr)(uint32_t msr, uint64_t value);
	uint64_t (*clock)(void); /* ticks of the TSC */
};

/* The processor itself. Only once our own IDT is loaded. */
extern const struct regs regs_real;

/* True if the leaf exists; leaves above the highest return another leaf's data. */
static inline bool regs_has_leaf(const struct regs *regs, uint32_t leaf)
{
	return regs->cpuid(leaf & 0xffff0000u, 0).eax >= leaf;
}

/* Read a leaf, which is zeros if it does not exist. */
static inline struct cpuid regs_leaf(const struct regs *regs, uint32_t leaf, uint32_t subleaf)
{
	return regs_has_leaf(regs, leaf) ? regs->cpuid(leaf, subleaf) : (struct cpuid){ 0 };
}

/* True if these are the registers of a virtual machine: CPUID leaf 1, ECX[31]. */
static inline bool regs_is_guest(const struct regs *regs)
{
	return regs->cpuid(1, 0).ecx >> 31;
}

/*
 * Read or write a model-specific register, which may not exist; false when the processor refuses
 * it by a #GP, which the fix-up table of regs.c catches. Only once our own
 * IDT is loaded (arch_borrow(), arch_take_over()). Note that QEMU's TCG refuses nothing: unknown
 * registers read as 0 there.
 */
bool regs_msr_read(uint32_t msr, uint64_t *value);
bool regs_msr_write(uint32_t msr, uint64_t value);
