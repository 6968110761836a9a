/* SPDX-License-Identifier: BSD-2-Clause */
/* State of one core while the probe owns the machine. TPIDR of our exception level points to it. */
#pragma once

/* Offsets the assembly uses; traps.c and smp.c assert them. */
#define FRAME_ELR   248
#define FRAME_SPSR  256
#define FRAME_BYTES 288

#define START_MAIR  0 /* struct start */
#define START_TCR   8
#define START_TTBR  16
#define START_SCTLR 24
#define START_HCR   32
#define START_VOFF  40
#define START_STACK 48
#define START_INDEX 56
#define START_ENTRY 64

#define STACK_BYTES 16384

#ifndef __ASSEMBLER__

#include "arch/arch.h"
#include "arch/trap_try.h"
#include "asm.h"
#include "counters/pmu.h"

#include <stdint.h>

/* Registers as saved by the trap entry, lowest address first. */
struct trap_frame {
	uint64_t x[31];
	uint64_t elr, spsr, esr, far;
	uint64_t reserved; /* the stack is aligned to 16 bytes */
};

/*
 * State in which arch_try() continues if an exception ends its function: x19 to x30, SP, address.
 */
struct trap_escape {
	uint64_t x[12];
	uint64_t sp, address;
	bool is_last; /* an exception is reported as last words */
};

/*
 * Parameters for a core's code between its first instruction and C, read with MMU and caches off:
 * hence in cache lines of its own.
 */
struct start {
	uint64_t mair, tcr, ttbr, sctlr;
	uint64_t hcr, voff; /* at exception level 2 */
	uint64_t stack, index;
	uint64_t entry; /* void entry(uint64_t index) */
} __attribute__((aligned(256)));

struct percpu {
	struct start start;
	volatile uint64_t nmi_count; /* always 0: this processor has no NMI */
	volatile uint64_t mce_count; /* SErrors survived */
	struct cpu *cpu;
	struct pmu pmu;
	struct trap_escape *escape; /* innermost arch_try() of another core than the boot core */
	struct record_fault fault;  /* the exception that ended arch_try() */
	uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
};

static inline struct percpu *percpu_self(void)
{
	return (struct percpu *)own_read("tpidr");
}

#endif
