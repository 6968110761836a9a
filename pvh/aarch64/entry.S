/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The head of noisefloor.image, which loaders of Linux start at any multiple of 2 MiB, with the MMU
 * off and the device tree's address in x0. Source: Linux, Documentation/arch/arm64/booting.rst.
 */
#define FLAGS 0xa    /* little-endian, pages of 4 KiB, anywhere in memory */
#define STACK 131072 /* bytes: what UEFI guarantees (UEFI 2.10, 2.3.4) */

	.globl	linux_entry
	.section .text.head, "ax"
	b	linux_entry
	.long	0
	.quad	0 /* offset from a multiple of 2 MiB */
	.long	main_image_bytes, 0
	.quad	FLAGS
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	0

linux_entry:
	msr	daifset, #15
	msr	spsel, #1
	adrp	x1, main_data_end
	adrp	x2, main_image_end
1:	stp	xzr, xzr, [x1], #16
	cmp	x1, x2
	b.lo	1b
	mov	sp, x2
	mov	x29, xzr
	mov	x30, xzr
	mov	x19, x0
	bl	main_relocate
	mov	x0, x19
	bl	main_start

	.section .stack, "aw", @nobits
	.skip	STACK

	.section .note.GNU-stack, "", @progbits
