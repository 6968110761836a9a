/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 3 of a machine whose flash begins with this: it starts U-Boot at level 2, and from then on
 * takes nothing but calls of the injector's, and FIQs: those of the secure timer, the one interrupt
 * of group 0. Below, each is time that is gone. No MMU, one core, no PSCI.
 * Sources: Arm ARM (DDI 0487), D1.3, D17; GIC architecture 2 (IHI 0048), 4.3, 4.4; QEMU,
 * hw/arch/arm/virt.c for the addresses.
 */
#include "monitor.h"
#include "tests/inject/aarch64/answer.inc"
#include "tests/inject/aarch64/spend.inc"

#define GICD_CTLR       0x000
#define GICD_TYPER      0x004 /* bits 4:0: words of 32 interrupts, less one */
#define GICD_IGROUPR    0x080
#define GICD_ISENABLER  0x100
#define GICD_IPRIORITYR 0x400
#define GICC_CTLR       0x000
#define GICC_PMR        0x004
#define GICC_IAR        0x00c
#define GICC_EOIR       0x010
#define ENABLE_GROUP0   0x1
#define GROUP0_IS_FIQ   0x8 /* GICC_CTLR.FIQEn */

#define SECURE_TIMER 29 /* its interrupt: BSA's PPI 29 */

#define SCR        0x535 /* NS, FIQ, bits that are 1, HCE, RW */
#define SPSR       0x3c9 /* level 2 with its own stack pointer, all masked */
#define EC(esr)    esr, #26, #6
#define EC_SMC     0x17
#define NO_SUCH    -1
#define PMCR_DP    (1 << 5)

	.macro	gicd register
	mov	\register, #0x08000000
	.endm

	.macro	gicc register
	mov	\register, #0x08010000
	.endm

	.macro	acknowledge
	gicc	x2
	ldr	w7, [x2, #GICC_IAR]
	str	w7, [x2, #GICC_EOIR]
	.endm

	.text
	.global	_start
_start:
	adr	x0, vectors
	msr	vbar_el3, x0
	mov	x0, #0x0e000000			/* memory of level 3's own */
	add	sp, x0, #0x1000
	msr	cptr_el3, xzr
	msr	mdcr_el3, xzr			/* counters stand still up here */
	msr	cntps_ctl_el1, xzr
	msr	tpidr_el3, xzr
	mov	x0, #SCR
	msr	scr_el3, x0
	isb
	msr	cntvoff_el2, xzr

	gicd	x0
	ldr	w1, [x0, #GICD_TYPER]
	and	w1, w1, #0x1f
	add	x2, x0, #GICD_IGROUPR
	mov	w3, #~(1 << SECURE_TIMER)
1:	str	w3, [x2], #4			/* all others are level 2's */
	mov	w3, #~0
	subs	w1, w1, #1
	b.pl	1b
	strb	wzr, [x0, #GICD_IPRIORITYR + SECURE_TIMER]
	mov	w1, #1 << SECURE_TIMER
	str	w1, [x0, #GICD_ISENABLER]
	mov	w1, #ENABLE_GROUP0
	str	w1, [x0, #GICD_CTLR]
	gicc	x0
	mov	w1, #0xff
	str	w1, [x0, #GICC_PMR]
	mov	w1, #ENABLE_GROUP0 | GROUP0_IS_FIQ
	str	w1, [x0, #GICC_CTLR]

	mov	x0, #SPSR
	msr	spsr_el3, x0
	mov	x0, #0x60000000			/* where QEMU has put U-Boot */
	msr	elr_el3, x0
	mov	x0, #0x40000000			/* the device tree's address */
	eret

	.balign	2048
vectors:
	.rept	8
	hang
	.endr
	.balign	128				/* 400h: SMC */
	b	call
	.balign	128				/* 480h: IRQ */
	b	.
	.balign	128				/* 500h: FIQ */
	b	handler
	.rept	5
	hang
	.endr

/*
 * On each entry and exit, as in TF-A: no cycles are counted at this level, whatever the level below
 * wants.
 */
	.macro	effects
	steal
	tbz	w4, #EFFECT_PROHIBITS, .Lcounts
	mrs	x2, pmcr_el0
	orr	x2, x2, #PMCR_DP
	msr	pmcr_el0, x2
.Lcounts:
	.endm

	.macro	leaving
	ldr	w4, [x1, #CORE_EFFECTS]
	tbz	w4, #EFFECT_PROHIBITS, .Lcounted
	mrs	x2, pmcr_el0
	bic	x2, x2, #PMCR_DP
	msr	pmcr_el0, x2
.Lcounted:
	.endm

handler:
	spend	tpidr_el3, cntps_ctl_el1, cntps_cval_el1

call:
	mrs	x16, esr_el3
	ubfx	x16, EC(x16)
	cmp	x16, #EC_SMC
	b.ne	.
	answer	tpidr_el3
	mov	w17, w0
	mov	x0, #NO_SUCH
	ldr	w16, =MONITOR_TAKE
	cmp	w17, w16
	b.eq	1f
	ldr	w16, =MONITOR_ARM
	cmp	w17, w16
	b.ne	2f
	msr	cntps_cval_el1, x1
	mov	x0, #1
	msr	cntps_ctl_el1, x0
	b	3f
1:	msr	tpidr_el3, x1
3:	mov	x0, #0
2:	eret

	.section .note.GNU-stack, "", @progbits
