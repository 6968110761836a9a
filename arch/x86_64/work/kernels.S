/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of fixed work. Each chunk ends with LFENCE, RDTSC and the same ten instructions,
 * whether there was a gap or not. Registers in a kernel: rdi the work, rsi and rbp its own, ecx the
 * chunks to go, r8 and r9 base and limit of a chunk, r10 ticks in gaps, r11 the last reading, rbx
 * 0; rax and rdx are free between readings. Source: Intel SDM vol. 2, LFENCE, RDTSC.
 */
#include "arch/kernels.h"

#include <cet.h>

	.text

	.macro	READ_CLOCK
	lfence
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	.endm

	.macro	KERNEL name
	.globl	\name
	.type	\name, @function
	.balign	16
\name:
	_CET_ENDBR
	pushq	%rbx
	pushq	%rbp
	xorl	%ebx, %ebx
	xorl	%r10d, %r10d
	movq	KERNEL_BASE(%rdi), %r8
	movq	KERNEL_LIMIT(%rdi), %r9
	movq	KERNEL_AT(%rdi), %rsi
	movl	KERNEL_TO_GO(%rdi), %ecx
	.endm

	/* The chunk follows this. */
	.macro	START
	READ_CLOCK
	movq	%rax, %r11
	pushq	%rax
	.balign	32
1:
	.endm

	/* End a chunk. Its gap is the time beyond `base`, if the chunk took at least `limit`. */
	.macro	NEXT
	READ_CLOCK
	movq	%rax, %rdx
	subq	%r11, %rdx
	movq	%rax, %r11
	movq	%rdx, %rax
	subq	%r8, %rax
	cmpq	%r9, %rdx
	cmovbq	%rbx, %rax
	addq	%rax, %r10
	decl	%ecx
	jnz	1b
	.endm

	.macro	END
	popq	%rax
	subq	%rax, %r11
	movq	%r11, %rax
	movq	%r10, KERNEL_GAPS(%rdi)
	popq	%rbp
	popq	%rbx
	ret
	.endm

	/* Adds registers: a processor may execute adds of a constant at rename. */
	KERNEL	kernel_adds
	START
	movl	$(KERNEL_ADDS_CHUNK / 16), %eax
2:
	.rept	16
	addq	%rbx, %rsi
	.endr
	decl	%eax
	jnz	2b
	NEXT
	END

	.macro	CHASE name, loads
	KERNEL	\name
	START
	.rept	\loads
	movq	(%rsi), %rsi
	.endr
	NEXT
	movq	%rsi, KERNEL_AT(%rdi)
	END
	.endm

	CHASE	kernel_l2, KERNEL_L2_CHUNK
	CHASE	kernel_llc, KERNEL_LLC_CHUNK

	/* Loads return 0, and the next address depends on that: each load waits for the last. */
	KERNEL	kernel_dram
	movq	KERNEL_RING(%rdi), %rbp
	START
	.rept	KERNEL_DRAM_CHUNK
	movq	%rsi, %rax
	shlq	$KERNEL_LINE_BITS, %rax
	movq	(%rbp, %rax), %rax
	imulq	$KERNEL_DRAM_FACTOR, %rsi, %rsi
	leaq	KERNEL_DRAM_MORE(%rsi, %rax), %rsi
	andq	KERNEL_LAST(%rdi), %rsi
	.endr
	NEXT
	movq	%rsi, KERNEL_AT(%rdi)
	END

	/*
	 * Ten chains, so that two pipes of five cycles are busy; numbers stay finite. The firmware
	 * that called us expects xmm6 and higher registers unchanged (UEFI 2.10, 2.3.4.2).
	 */
	KERNEL	kernel_fma
	stmxcsr	KERNEL_GAPS(%rdi)
	.irp	n, 6, 7, 8, 9, 10
	movups	%xmm\n, KERNEL_KEPT + (\n - 6) * 16(%rdi)
	.endr
	ldmxcsr	masked(%rip)
	vbroadcastsd	factor(%rip), %ymm0
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	vmovapd	%ymm0, %ymm\n
	.endr
	START
	movl	$(KERNEL_FMA_CHUNK / 20), %eax
2:
	.rept	2
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	vfmadd213pd	%ymm0, %ymm0, %ymm\n
	.endr
	.endr
	decl	%eax
	jnz	2b
	NEXT
	vzeroupper
	.irp	n, 6, 7, 8, 9, 10
	movups	KERNEL_KEPT + (\n - 6) * 16(%rdi), %xmm\n
	.endr
	ldmxcsr	KERNEL_GAPS(%rdi)
	END

	.section	.rodata
	.balign	8
factor:
	.double	0.4375
masked: /* no exception of vectors traps */
	.long	0x1f80

	.section .note.GNU-stack, "", @progbits
