/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of fixed work. Each chunk ends with a reading of the clock and the same nine
 * instructions, whether there was a gap or not. Registers in a kernel: x0 the work, x1 its own, x2
 * and x3 base and limit of a chunk, x4 the chunks to go, x5 ticks in gaps, x6 the last reading, x7
 * the first; x8 to x10 are free between readings, x11 to x15 a kernel's.
 */
#include "arch/kernels.h"

	.text

	/*
	 * Read the clock after x1 is known. The read may pass earlier instructions unless a branch
	 * depends on them, followed by ISB (Arm ARM, D11.1.2).
	 */
	.macro	READ_CLOCK into
	cbz	x1, 3f
3:	isb
	mrs	\into, cntvct_el0
	.endm

	/* hint 34 is BTI C. */
	.macro	KERNEL name
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.balign	64
\name:
	hint	#34
	ldr	x1, [x0, #KERNEL_AT]
	ldr	x2, [x0, #KERNEL_BASE]
	ldr	x3, [x0, #KERNEL_LIMIT]
	ldr	x4, [x0, #KERNEL_TO_GO]
	mov	x5, xzr
	.endm

	/* The chunk follows this. */
	.macro	START
	READ_CLOCK x7
	mov	x6, x7
	.balign	64
1:
	.endm

	/* End a chunk. Its gap is the time beyond `base`, if the chunk took at least `limit`. */
	.macro	NEXT
	READ_CLOCK x8
	sub	x9, x8, x6
	mov	x6, x8
	sub	x10, x9, x2
	cmp	x9, x3
	csel	x10, x10, xzr, hs
	add	x5, x5, x10
	subs	x4, x4, #1
	b.ne	1b
	.endm

	.macro	END
	str	x5, [x0, #KERNEL_GAPS]
	sub	x0, x6, x7
	ret
	.endm

	.macro	CONSTANT into, value
	movz	\into, #((\value) & 0xffff)
	movk	\into, #((\value) >> 16), lsl #16
	.endm

	/* Adds registers: a processor may execute adds of a constant at rename. */
	KERNEL	kernel_adds
	mov	x11, xzr
	START
	mov	x12, #(KERNEL_ADDS_CHUNK / 16)
2:
	.rept	16
	add	x1, x1, x11
	.endr
	subs	x12, x12, #1
	b.ne	2b
	NEXT
	END

	.macro	CHASE name, loads
	KERNEL	\name
	START
	.rept	\loads
	ldr	x1, [x1]
	.endr
	NEXT
	str	x1, [x0, #KERNEL_AT]
	END
	.endm

	CHASE	kernel_l2, KERNEL_L2_CHUNK
	CHASE	kernel_llc, KERNEL_LLC_CHUNK

	/* Loads return 0, and the next address depends on that: each load waits for the last. */
	KERNEL	kernel_dram
	ldr	x11, [x0, #KERNEL_RING]
	ldr	x12, [x0, #KERNEL_LAST]
	CONSTANT x13, KERNEL_DRAM_FACTOR
	CONSTANT x14, KERNEL_DRAM_MORE
	START
	.rept	KERNEL_DRAM_CHUNK
	lsl	x8, x1, #KERNEL_LINE_BITS
	ldr	x8, [x11, x8]
	madd	x1, x1, x13, x14
	add	x1, x1, x8
	and	x1, x1, x12
	.endr
	NEXT
	str	x1, [x0, #KERNEL_AT]
	END

	/*
	 * Twenty chains, so that four pipes of four cycles are busy; numbers stay finite. A caller
	 * expects v8 to v15 unchanged (AAPCS64, 6.1.2).
	 */
	KERNEL	kernel_fma
	mrs	x11, fpcr
	msr	fpcr, xzr
	fmov	v0.2d, #0.4375
	.irp	n, 1, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	mov	v\n\().16b, v0.16b
	.endr
	START
	mov	x12, #(KERNEL_FMA_CHUNK / 20)
2:
	.irp	n, 1, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	fmla	v\n\().2d, v0.2d, v0.2d
	.endr
	subs	x12, x12, #1
	b.ne	2b
	NEXT
	msr	fpcr, x11
	END

#ifdef __ARM_FEATURE_BTI_DEFAULT
	/* BTI and PAC: each function begins with BTI C, and none saves its return address. */
	.section .note.gnu.property, "a", %note
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 3, 0
#endif

	.section .note.GNU-stack, "", %progbits
