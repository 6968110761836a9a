/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * First instructions of a started core: 16-bit real mode, then straight to
 * 64-bit mode (SDM vol. 3, 9.8.5), then find who we are by APIC id and call C on
 * our own stack. CD and NW, which INIT sets, are cleared; MTRRs and PAT are as
 * the firmware left them on this core. Nothing here is shared, so that all cores
 * may run it at once.
 */
#include "trampoline.h"

#define CR0_PE 0x00000001
#define CR0_MP 0x00000002
#define CR0_ET 0x00000010
#define CR0_NE 0x00000020
#define CR0_WP 0x00010000
#define CR0_PG 0x80000000
#define MSR_EFER 0xc0000080
#define MSR_APIC_BASE 0x1b
#define APIC_BASE_X2APIC 0x400
#define APIC_BASE_ENABLE 0x800
#define MSR_X2APIC_ID 0x802
#define XAPIC_ID 0x20
#define SELECTOR_CODE64 0x08
#define SELECTOR_DATA 0x10

	.text
	.globl	trampoline_begin, trampoline_end, trampoline_gdt_base, trampoline_far_pointer

	.code16
	.balign	16
trampoline_begin:
	cli
	cld
	movw	%cs, %ax
	movw	%ax, %ds
	lgdtl	gdt_pointer - trampoline_begin
	movl	TRAMPOLINE_CR4, %eax
	movl	%eax, %cr4
	movl	TRAMPOLINE_CR3, %eax
	movl	%eax, %cr3
	movl	$MSR_EFER, %ecx
	movl	TRAMPOLINE_EFER, %eax
	movl	TRAMPOLINE_EFER + 4, %edx
	wrmsr
	movl	$(CR0_PG | CR0_WP | CR0_NE | CR0_ET | CR0_MP | CR0_PE), %eax
	movl	%eax, %cr0
	ljmpl	*(trampoline_far_pointer - trampoline_begin)

	.balign	8
trampoline_far_pointer:
	.long	trampoline_long - trampoline_begin /* moved */
	.word	SELECTOR_CODE64

	.balign	8
gdt_pointer:
	.word	trampoline_gdt_end - trampoline_gdt - 1
trampoline_gdt_base:
	.long	trampoline_gdt - trampoline_begin /* moved */

	.balign	8
trampoline_gdt:
	.quad	0
	.quad	0x00af9b000000ffff
	.quad	0x00cf93000000ffff
trampoline_gdt_end:

	.code64
trampoline_long:
	movl	$SELECTOR_DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %fs
	movl	%eax, %gs
	leaq	trampoline_begin(%rip), %rbx
	/* Firmware may have left this core in the other mode than the boot core: INIT keeps it. */
	movl	$MSR_APIC_BASE, %ecx
	rdmsr
	testl	$APIC_BASE_X2APIC, %eax
	jnz	1f
	movq	TRAMPOLINE_APIC(%rbx), %rsi
	testq	%rsi, %rsi
	jnz	6f
	orl	$(APIC_BASE_X2APIC | APIC_BASE_ENABLE), %eax
	wrmsr
1:	movl	$MSR_X2APIC_ID, %ecx
	rdmsr
	jmp	2f
6:	movl	XAPIC_ID(%rsi), %eax
	shrl	$24, %eax
2:	movq	TRAMPOLINE_IDS(%rbx), %rsi
	movq	TRAMPOLINE_COUNT(%rbx), %rcx
	xorl	%edi, %edi
3:	cmpq	%rcx, %rdi
	jae	4f
	cmpl	%eax, (%rsi,%rdi,4)
	je	5f
	incl	%edi
	jmp	3b
	/* This core was not requested. */
4:	hlt
	jmp	4b
5:	movq	TRAMPOLINE_STACKS(%rbx), %rsi
	movq	(%rsi,%rdi,8), %rsp
	xorl	%ebp, %ebp
	pushq	$0
	jmp	*TRAMPOLINE_ENTRY(%rbx)
trampoline_end:

	.section .note.GNU-stack, "", @progbits
