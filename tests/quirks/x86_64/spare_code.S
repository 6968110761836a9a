/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of the spare core, copied to SPARE_PAGE, and of the boot core's SMI handler, copied to the
 * default SMBASE + 0x8000. Both are entered in 16-bit mode.
 */
#include "spare.h"

#define APIC_ICR_LOW  0xfee00300
#define APIC_ICR_HIGH 0xfee00310
#define ICR_SMI       0x4200 /* level assert, delivery mode SMI, vector 0 */
#define SELECTOR_CODE 8
#define SELECTOR_DATA 16
#define CR0_PE        1

#define AT(label) (label - spare_code)

	.section .rodata.spare, "a", @progbits
	.code16
	.balign 16
	.globl spare_code, spare_code_end, spare_smi, spare_smi_end
	.hidden spare_code, spare_code_end, spare_smi, spare_smi_end
spare_code:
	cli
	movw	%cs, %ax
	movw	%ax, %ds
	lgdtl	AT(gdt_pointer)
	movl	%cr0, %eax
	orl	$CR0_PE, %eax
	movl	%eax, %cr0
	ljmpl	$SELECTOR_CODE, $(SPARE_PAGE + AT(flat))

	.code32
flat:
	movl	$SELECTOR_DATA, %eax
	movl	%eax, %ds
again:
	rdtsc
	movl	%eax, %ebx
wait:
	rdtsc
	subl	%ebx, %eax
	cmpl	$SPARE_PERIOD, %eax
	jb	wait
	movl	$0, APIC_ICR_HIGH
	movl	$ICR_SMI, APIC_ICR_LOW
	jmp	again

	.balign 8
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff /* flat code */
	.quad	0x00cf93000000ffff /* flat data */
gdt_pointer:
	.word	gdt_pointer - gdt - 1
	.long	SPARE_PAGE + AT(gdt)
spare_code_end:

	.code16
	.balign 16
spare_smi:
	movl	$SMI_COUNTS, %ecx
1:	decl	%ecx
	jnz	1b
	incl	%cs:SMI_COUNT - SMI_DEFAULT_ENTRY + 0x8000
	rsm
spare_smi_end:

	.section .note.GNU-stack, "", @progbits
