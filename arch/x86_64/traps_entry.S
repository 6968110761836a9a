/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry points of vectors, and the way in and out of arch_try(). */
#include "percpu.h"

	.text

/*
 * NMI: count and stamp, nothing else. It must be short (IRET opens the door to
 * the next one) and must not fault; it may interrupt itself.
 */
	.globl	trap_entry_nmi
trap_entry_nmi:
	pushq	%rax
	pushq	%rdx
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, %gs:PERCPU_NMI_TSC
	incq	%gs:PERCPU_NMI_COUNT
	popq	%rdx
	popq	%rax
	iretq

	.balign	16
	.globl	trap_entries
trap_entries:
	vector = 0
	.rept	TRAP_EXCEPTIONS
	.balign	16
	/* The vectors with an error code: SDM vol. 3, table 6-1. */
	.if	!(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21)
	pushq	$0
	.endif
	pushq	$vector
	jmp	trap_common
	vector = vector + 1
	.endr
	/* Our own interrupt, and then any other: which one makes no difference. */
	.balign	16
	pushq	$0
	pushq	$TRAP_WAKE
	jmp	trap_common
	.balign	16
	pushq	$0
	pushq	$TRAP_EXCEPTIONS
	jmp	trap_common

trap_common:
	cld
	pushq	%rax
	pushq	%rbx
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%rbp
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, %rdi
	movq	%rsp, %rbp
	andq	$-16, %rsp
	call	trap_handler
	movq	%rbp, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rbp
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rbx
	popq	%rax
	addq	$16, %rsp
	iretq

/*
 * bool trap_try(void (*fn)(void *), void *arg, struct trap_escape *e): saves what a C caller
 * expects to be kept, then calls fn(arg). The handler of a fault restores this from *e and
 * continues at e->rip, which returns false.
 */
	.globl	trap_try
trap_try:
	movq	%rbx, 0(%rdx)
	movq	%rbp, 8(%rdx)
	movq	%r12, 16(%rdx)
	movq	%r13, 24(%rdx)
	movq	%r14, 32(%rdx)
	movq	%r15, 40(%rdx)
	movq	%rsp, 48(%rdx)
	leaq	1f(%rip), %rax
	movq	%rax, 56(%rdx)
	movq	%rdi, %rax
	movq	%rsi, %rdi
	subq	$8, %rsp
	call	*%rax
	addq	$8, %rsp
	movl	$1, %eax
	ret
1:	xorl	%eax, %eax
	ret

/* void trap_leave(const struct trap_escape *e): continues there, from anywhere. */
	.globl	trap_leave
trap_leave:
	cld
	movq	0(%rdi), %rbx
	movq	8(%rdi), %rbp
	movq	16(%rdi), %r12
	movq	24(%rdi), %r13
	movq	32(%rdi), %r14
	movq	40(%rdi), %r15
	movq	48(%rdi), %rsp
	jmp	*56(%rdi)

	.section .note.GNU-stack, "", @progbits
