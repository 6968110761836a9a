/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 2: down to level 1, and the handler of FIQs, which no mask of level 1 holds up.
 * Source: Arm ARM (DDI 0487), D1.3; GIC architecture (IHI 0069), 12.2 (ICC_IAR0_EL1, EOIR0).
 */
#include "level2.h"
#include "tests/inject/layout.h"

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

/*
 * The handler: stamp, set the timer for the next, burn until entry + length, stamp, leave. The
 * timer is set before the time is burnt, so that a next one due right after this one is pending
 * when ERET runs.
 *
 * x1: struct core; x5: struct span of this one; x3: tick to leave at.
 */
	.macro	hang
	.balign	128
	b	.
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
	stp	x0, x1, [sp, #-64]!
	isb
	mrs	x0, cntvct_el0
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	mrs	x7, ICC_IAR0_EL1
	mrs	x1, tpidr_el2
	ldr	w3, [x1, #CORE_COUNT]
	ldr	w4, [x1, #CORE_CAPACITY]
	cmp	w3, w4
	b.hs	lost
	ldr	w5, [x1, #CORE_LOG]
	add	x5, x5, x3, lsl #SPAN_SHIFT
	str	x0, [x5, #SPAN_ENTRY]
	mov	x3, x0
	ldr	w2, [x1, #CORE_NEXT]
	ldr	w4, [x1, #CORE_PLANNED]
	cmp	w2, w4
	b.hs	unplanned
	ldr	w6, [x1, #CORE_SCHEDULE]
	add	x6, x6, x2, lsl #STEP_SHIFT
	add	w2, w2, #1
	str	w2, [x1, #CORE_NEXT]
	ldp	w3, w6, [x6]		/* length, rearm */
	add	x3, x0, x3
	add	x6, x0, x6
	cmp	w2, w4
	b.hs	off
	msr	cnthp_cval_el2, x6
	b	burn
unplanned:
	ldr	w2, [x1, #CORE_UNPLANNED]
	add	w2, w2, #1
	str	w2, [x1, #CORE_UNPLANNED]
off:
	msr	cnthp_ctl_el2, xzr

/* Quick to emulate: a quarter of what is left is counted down, in instructions, between looks. */
burn:
	isb
	mrs	x6, cntvct_el0
	subs	x4, x3, x6
	b.ls	leave
	lsr	x4, x4, #2
	cbz	x4, burn
1:	subs	x4, x4, #1
	b.ne	1b
	b	burn
leave:
	ldr	w2, [x1, #CORE_COUNT]
	add	w2, w2, #1
	str	x6, [x5, #SPAN_EXIT]
	str	w2, [x1, #CORE_COUNT]
	b	out
lost:
	msr	cnthp_ctl_el2, xzr
	ldr	w2, [x1, #CORE_LOST]
	add	w2, w2, #1
	str	w2, [x1, #CORE_LOST]
out:
	msr	ICC_EOIR0_EL1, x7
	ldp	x6, x7, [sp, #48]
	ldp	x4, x5, [sp, #32]
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp], #64
	eret

	.section .note.GNU-stack, "", @progbits
