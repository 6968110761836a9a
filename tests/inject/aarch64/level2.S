/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 2: down to level 1, and the handler of FIQs, which no mask of level 1 holds up.
 * Source: Arm ARM (DDI 0487), D1.3; GIC architecture (IHI 0069), 12.2 (ICC_IAR0_EL1, EOIR0).
 */
#include "level2.h"
#include "spend.inc"

#define ICC_IAR0_EL1  s3_0_c12_c8_0
#define ICC_EOIR0_EL1 s3_0_c12_c8_1

#define SPSR_MASKS  0x3c0
#define SPSR_LEVEL1 0x5 /* with its own stack pointer */

	.text
	.global	level2_drop
	.hidden	level2_drop
level2_drop:
	mov	x1, sp
	msr	sp_el1, x1
	mrs	x2, daif
	mov	x3, #SPSR_LEVEL1
	orr	x2, x2, x3
	msr	spsr_el2, x2
	adr	x2, 1f
	msr	elr_el2, x2
	ldr	x2, [x0, #LEVEL1_VECTORS]
	msr	vbar_el2, x2
	ldr	x2, [x0, #LEVEL1_STACK]
	mov	sp, x2
	isb
	eret
1:	ret

	.global	level2_arm
	.hidden	level2_arm
level2_arm:
	hvc	#0
	ret

	.macro	acknowledge
	mrs	x7, ICC_IAR0_EL1
	msr	ICC_EOIR0_EL1, x7
	.endm

	.balign	2048
	.global	level2_vectors
	.hidden	level2_vectors
level2_vectors:
	.rept	8
	hang
	.endr
	.balign	128			/* 400h: HVC, from level2_arm() */
	msr	cnthp_cval_el2, x0
	mov	x0, #1
	msr	cnthp_ctl_el2, x0
	eret
	hang
	.balign	128			/* 500h: FIQ from level 1 */
	b	handler
	.rept	5
	hang
	.endr

handler:
	spend	tpidr_el2, cnthp_ctl_el2, cnthp_cval_el2

	.section .note.GNU-stack, "", @progbits
