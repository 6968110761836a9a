/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core's path from PSCI's CPU_ON to C: x0 is the address of its struct start, the MMU is off. It
 * gets the translation of the core that started it, and its own stack.
 */
#include "percpu.h"

	.macro	translate level
	ldr	x1, [x0, #START_MAIR]
	msr	mair_el\level, x1
	ldr	x1, [x0, #START_TCR]
	msr	tcr_el\level, x1
	ldr	x1, [x0, #START_TTBR]
	msr	ttbr0_el\level, x1
	.endm

	.macro	switch_on level
	ldr	x1, [x0, #START_SCTLR]
	dsb	nsh
	isb
	msr	sctlr_el\level, x1
	isb
	.endm

	.text
	.global	start_core
	.hidden	start_core
	.balign	256
start_core:
	msr	daifset, #15
	msr	spsel, #1
	ic	iallu
	mrs	x1, CurrentEL
	tbnz	x1, #3, 1f
	translate 1
	tlbi	vmalle1
	switch_on 1
	b	2f
1:	ldr	x1, [x0, #START_HCR]
	msr	hcr_el2, x1
	isb
	ldr	x1, [x0, #START_VOFF]
	msr	cntvoff_el2, x1
	translate 2
	tlbi	alle2
	switch_on 2
2:	ldr	x1, [x0, #START_STACK]
	mov	sp, x1
	mov	x29, xzr
	mov	x30, xzr
	ldr	x1, [x0, #START_ENTRY]
	ldr	x0, [x0, #START_INDEX]
	br	x1
	.global	start_core_end
	.hidden	start_core_end
start_core_end:

	.section .note.GNU-stack, "", @progbits
