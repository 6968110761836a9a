/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exception vectors, and the way out of a function that took an exception.
 * Source: Arm ARM (DDI 0487), D1.3.1 (vector tables): 16 entries of 128 bytes, of which those
 * from 200h on are for the level we run at, with its own stack pointer.
 */
#include "percpu.h"

	.macro	entry level, kind
	.balign	128
	sub	sp, sp, #FRAME_BYTES
	stp	x0, x1, [sp]
	mov	x1, #\kind
	b	save_\level
	.endm

	.macro	vectors level
	.balign	2048
	.rept	4			/* with SP_EL0, which we never use */
	entry	\level, 4
	.endr
	entry	\level, 0		/* synchronous */
	entry	\level, 1		/* IRQ */
	entry	\level, 2		/* FIQ */
	entry	\level, 3		/* SError */
	.rept	8			/* from below: nothing runs there */
	entry	\level, 4
	.endr
	.endm

	.macro	interrupted move
	\move	x2, x3, [sp, #16]
	\move	x4, x5, [sp, #32]
	\move	x6, x7, [sp, #48]
	\move	x8, x9, [sp, #64]
	\move	x10, x11, [sp, #80]
	\move	x12, x13, [sp, #96]
	\move	x14, x15, [sp, #112]
	\move	x16, x17, [sp, #128]
	\move	x18, x19, [sp, #144]
	\move	x20, x21, [sp, #160]
	\move	x22, x23, [sp, #176]
	\move	x24, x25, [sp, #192]
	\move	x26, x27, [sp, #208]
	\move	x28, x29, [sp, #224]
	.endm

	.macro	save level
save_\level:
	interrupted	stp
	mrs	x2, elr_el\level
	mrs	x3, spsr_el\level
	mrs	x4, esr_el\level
	mrs	x5, far_el\level
	stp	x30, x2, [sp, #240]
	stp	x3, x4, [sp, #FRAME_SPSR]
	str	x5, [sp, #FRAME_SPSR + 16]
	mov	x0, sp
	bl	trap_handler
	ldr	x2, [sp, #FRAME_ELR]
	ldr	x3, [sp, #FRAME_SPSR]
	msr	elr_el\level, x2
	msr	spsr_el\level, x3
	interrupted	ldp
	ldr	x30, [sp, #240]
	ldp	x0, x1, [sp]
	add	sp, sp, #FRAME_BYTES
	eret
	.endm

	.text
	.global	vectors_level1
	.hidden	vectors_level1
	.balign	2048
vectors_level1:
	vectors	1
	.global	vectors_level2
	.hidden	vectors_level2
	.balign	2048
vectors_level2:
	vectors	2

	save	1
	save	2

	.macro	kept move, at
	\move	x19, x20, [\at]
	\move	x21, x22, [\at, #16]
	\move	x23, x24, [\at, #32]
	\move	x25, x26, [\at, #48]
	\move	x27, x28, [\at, #64]
	\move	x29, x30, [\at, #80]
	.endm

/* bool trap_try(void (*fn)(void *), void *arg, struct trap_escape *e) */
	.global	trap_try
	.hidden	trap_try
trap_try:
	kept	stp, x2
	mov	x3, sp
	adr	x4, 1f
	stp	x3, x4, [x2, #96]
	stp	x29, x30, [sp, #-16]!
	mov	x3, x0
	mov	x0, x1
	blr	x3
	ldp	x29, x30, [sp], #16
	mov	w0, #1
	ret
1:	mov	w0, #0
	ret

/* void trap_leave(const struct trap_escape *e, uint64_t daif) */
	.global	trap_leave
	.hidden	trap_leave
trap_leave:
	kept	ldp, x0
	ldp	x3, x4, [x0, #96]
	mov	sp, x3
	msr	daif, x1
	br	x4

	.section .note.GNU-stack, "", @progbits
