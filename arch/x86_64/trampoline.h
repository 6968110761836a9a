/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's code from its reset vector to C. Copied to a page below 1 MiB. */
#pragma once

/* Offsets of the parameters from the start of the page; the code is shorter. */
#define TRAMPOLINE_CR3    0xf00
#define TRAMPOLINE_CR4    0xf08
#define TRAMPOLINE_EFER   0xf10
#define TRAMPOLINE_APIC   0xf18 /* xAPIC base, or 0 for x2APIC */
#define TRAMPOLINE_IDS    0xf20 /* uint32_t apic_id[count] */
#define TRAMPOLINE_COUNT  0xf28
#define TRAMPOLINE_STACKS 0xf30 /* uint64_t initial stack pointer[count] */
#define TRAMPOLINE_ENTRY  0xf38 /* void entry(uint32_t index) */

#ifndef __ASSEMBLER__
extern const char trampoline_begin[], trampoline_end[];
/* Places in the copy that hold addresses and must be moved to where the page is. */
extern const char trampoline_gdt_base[], trampoline_far_pointer[];
#endif
