/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of one core while the probe owns the machine: descriptor table, task state, stacks and the
 * counters its handlers write. GS points to it.
 */
#pragma once

/* Offsets the assembly uses; traps.c asserts them. */
#define PERCPU_SELF      0
#define PERCPU_NMI_COUNT 8
#define PERCPU_NMI_TSC   16

/* Vectors below this are the processor's; of those above, we have one. */
#define TRAP_EXCEPTIONS 32
#define TRAP_WAKE       0xf0

#define STACK_BYTES     16384
#define IST_STACK_BYTES 4096
#define IST_STACKS      2

#ifndef __ASSEMBLER__

#include "arch/trap_try.h"
#include "core/gaps/cpu.h"
#include "counters/counters.h"

#include <stdbool.h>
#include <stdint.h>

/* Registers as saved by the trap entry, lowest address first. */
struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, rflags, rsp, ss;
};

/* State in which arch_try() continues if an exception ends its function. */
struct trap_escape {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
	bool is_last; /* an exception is reported as last words */
};

struct tss {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7];
	uint64_t reserved2;
	uint16_t reserved3, io_map;
} __attribute__((packed));

#define GDT_CODE    0x08
#define GDT_DATA    0x10
#define GDT_TSS     0x18
#define GDT_ENTRIES 5

struct percpu {
	struct percpu *self;
	volatile uint64_t nmi_count;
	volatile uint64_t nmi_tsc; /* when the last NMI came */
	volatile uint64_t mce_count;
	struct cpu *cpu;
	bool reset;                 /* by the INIT of this round: it has to start again */
	struct trap_escape *escape; /* innermost arch_try() of another core than the boot core */
	struct record_fault fault;  /* the exception that cut arch_try() short */
	uint64_t gdt[GDT_ENTRIES];
	struct tss tss;
	struct arch_identity identity;
	struct counters counters;
	struct counter_steal_area steal;
	uint8_t ist_stack[IST_STACKS][IST_STACK_BYTES] __attribute__((aligned(16)));
	uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
};

static inline struct percpu *percpu_self(void)
{
	struct percpu *self;

	__asm__ volatile("movq %%gs:0, %0" : "=r"(self));
	return self;
}

#endif
