/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 2: down to level 1, and the handler of FIQs, which no mask of level 1 holds up.
 * Source: Arm ARM (DDI 0487), D1.3; GIC architecture (IHI 0069), 12.2 (ICC_IAR0_EL1, EOIR0).
 */
#include "level2.h"
#include "answer.inc"
#include "monitor/monitor.h"
#include "spend.inc"

#define ICC_IAR0_EL1  s3_0_c12_c8_0
#define ICC_EOIR0_EL1 s3_0_c12_c8_1

#define VSESR_EL2     s3_4_c5_c2_3

#define EC_SMC    0x17
#define CORRECTED 0x1811 /* AET and DFSC of an SError after which all goes on */
#define HCR_AMO   0x20
#define HCR_VSE   0x100

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
	mov	x1, x0
	ldr	w0, =MONITOR_ARM
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
	.balign	128			/* 400h: HVC, or an SMC that was trapped */
	b	call
	hang
	.balign	128			/* 500h: FIQ from level 1 */
	b	handler
	.rept	5
	hang
	.endr

	.macro	effects
	steal
	tbz	w4, #EFFECT_SERROR, .Lno_serror
	ldr	w2, =CORRECTED
	msr	VSESR_EL2, x2
	mrs	x2, hcr_el2
	orr	x2, x2, #HCR_AMO
	orr	x2, x2, #HCR_VSE
	msr	hcr_el2, x2
.Lno_serror:
	tbz	w4, #EFFECT_HIDES, .Lnot_hidden
	mrs	x2, cntvoff_el2
	sub	x7, x3, x0
	add	x2, x2, x7
	msr	cntvoff_el2, x2
.Lnot_hidden:
	.endm

	.macro	leaving
	.endm

call:
	mrs	x16, esr_el2
	ubfx	x16, x16, #26, #6
	cmp	x16, #EC_SMC
	b.ne	1f
	mrs	x16, elr_el2			/* the SMC itself */
	add	x16, x16, #4
	msr	elr_el2, x16
1:	answer	tpidr_el2
	ldr	w17, =MONITOR_ARM
	cmp	w0, w17
	b.ne	2f
	msr	cnthp_cval_el2, x1
	mov	x0, #1
	msr	cnthp_ctl_el2, x0
	eret
2:	smc	#0				/* the rest is PSCI's */
	eret

	.ltorg

handler:
	spend	tpidr_el2, cnthp_ctl_el2, cnthp_cval_el2

	.section .note.GNU-stack, "", @progbits
