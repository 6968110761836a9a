/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SMM side: two pieces of 16-bit code that are copied to SMBASE + 0x8000.
 *
 * A core enters SMM in a mode like real mode with CS based at SMBASE, all other
 * segments at 0 and limits of 4 GiB (SDM vol. 3, 32.5.1), so 32-bit addresses
 * reach all that is below 4 GiB. RSM restores every register used here. There is
 * no stack.
 */
#include "tests/inject/layout.h"

#define AT(label, base) %cs : (label - base + SMM_ENTRY)

	.section .rodata.inject, "a", @progbits
	.code16

/* Used once per core: move SMBASE, so that each core has a save state of its own. */
	.balign 16
	.globl inject_relocate, inject_relocate_base, inject_relocate_done, inject_relocate_end
	.hidden inject_relocate, inject_relocate_base, inject_relocate_done, inject_relocate_end
inject_relocate:
	movl	AT(inject_relocate_base, inject_relocate), %eax
	movl	%eax, %cs:SMM_SAVED_BASE
	movl	$1, AT(inject_relocate_done, inject_relocate)
	rsm
	.balign 4
inject_relocate_base:
	.long	0
inject_relocate_done:
	.long	0
inject_relocate_end:

/*
 * The calibrated handler: stamp, re-arm the comparator for the next SMI, burn
 * until entry + length, stamp, leave. The comparator is set before the time is
 * burnt, so that a next SMI due right after this one is pending when RSM runs.
 *
 * esi: struct core; edi: struct span of this SMI; ebx: struct step; ebp: low
 * half of the tick to leave at.
 */
	.balign 16
	.globl inject_handler, inject_handler_core, inject_handler_end
	.hidden inject_handler, inject_handler_core, inject_handler_end
inject_handler:
	rdtsc
	movl	AT(inject_handler_core, inject_handler), %esi
	movl	CORE_COUNT(%esi), %edi
	cmpl	CORE_CAPACITY(%esi), %edi
	jae	lost
	shll	$SPAN_SHIFT, %edi
	addl	CORE_LOG(%esi), %edi
	movl	%eax, SPAN_ENTRY(%edi)
	movl	%edx, SPAN_ENTRY+4(%edi)
	movl	%eax, %ebp
	movl	CORE_NEXT(%esi), %ebx
	cmpl	CORE_PLANNED(%esi), %ebx
	jae	unplanned
	incl	CORE_NEXT(%esi)
	shll	$STEP_SHIFT, %ebx
	addl	CORE_SCHEDULE(%esi), %ebx
	addl	STEP_LENGTH(%ebx), %ebp
	movl	CORE_HPET(%esi), %ecx
	testl	%ecx, %ecx
	jnz	arm

/*
 * Polling alone would be exact but slow to emulate: an eighth of what is left
 * is counted down between polls, two instructions a count. What is left has a
 * sign also where the low half of the clock passes 2^31 meanwhile.
 */
burn:
	rdtsc
	movl	%eax, %ecx
	subl	%ebp, %ecx
	jns	leave
	cmpl	$0, CORE_POLL(%esi)
	jne	2f
	negl	%ecx
	shrl	$3, %ecx
	jz	burn
1:	decl	%ecx
	jnz	1b
	jmp	burn
2:	pause
	jmp	burn

/* Eight instructions from the last RDTSC to the end of RSM: truth.py, TAIL. */
leave:
	movl	%eax, SPAN_EXIT(%edi)
	movl	%edx, SPAN_EXIT+4(%edi)
	incl	CORE_COUNT(%esi)
	rsm

/* ecx: HPET. */
arm:
	cmpl	$0, CORE_NMI(%esi)
	jne	nmi
armed_nmi:
	movl	CORE_NEXT(%esi), %eax
	cmpl	CORE_PLANNED(%esi), %eax
	jae	burn
1:	movl	HPET_COUNTER+4(%ecx), %edx
	movl	HPET_COUNTER(%ecx), %eax
	cmpl	HPET_COUNTER+4(%ecx), %edx
	jne	1b
	addl	STEP_REARM(%ebx), %eax
	adcl	$0, %edx
	cmpl	CORE_COMPARE_HIGH(%esi), %edx
	jne	2f
	movl	%eax, HPET_TIMER(HPET_SMI)+HPET_TIMER_COMPARE(%ecx)
	jmp	burn

/* The halves of the comparator cannot be written at once: no interrupt in between. */
2:	movl	%edx, CORE_COMPARE_HIGH(%esi)
	andl	$~HPET_TIMER_ENABLE, HPET_TIMER(HPET_SMI)+HPET_TIMER_CONFIG(%ecx)
	movl	%edx, HPET_TIMER(HPET_SMI)+HPET_TIMER_COMPARE+4(%ecx)
	movl	%eax, HPET_TIMER(HPET_SMI)+HPET_TIMER_COMPARE(%ecx)
	orl	$HPET_TIMER_ENABLE, HPET_TIMER(HPET_SMI)+HPET_TIMER_CONFIG(%ecx)
	jmp	burn

/* NMIs start with the first SMI and end with the last: the firmware has no use for them. */
nmi:
	movl	CORE_NEXT(%esi), %eax
	cmpl	CORE_PLANNED(%esi), %eax
	jae	1f
	cmpl	$1, %eax
	jne	armed_nmi
	orl	$HPET_TIMER_ENABLE, HPET_TIMER(HPET_NMI)+HPET_TIMER_CONFIG(%ecx)
	jmp	armed_nmi
1:	andl	$~HPET_TIMER_ENABLE, HPET_TIMER(HPET_NMI)+HPET_TIMER_CONFIG(%ecx)
	jmp	burn

unplanned:
	incl	CORE_UNPLANNED(%esi)
	jmp	burn

lost:
	incl	CORE_LOST(%esi)
	rsm

	.balign 4
inject_handler_core:
	.long	0
inject_handler_end:
	.code64

	.section .note.GNU-stack, "", @progbits
