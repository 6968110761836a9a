/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PVH loader jumps to pvh_entry in 32-bit protected mode, with flat segments, paging off and the
 * start info's address in EBX. This file identity-maps the first 4 GiB and calls C in 64-bit mode.
 * Loaders of Linux jump to `head` in the same state, or to linux_entry in 64-bit mode, with page
 * tables that map at least the image, boot_params and the command line.
 * Sources: Xen, docs/misc/pvh.pandoc; Linux, Documentation/arch/x86/boot.rst, "64-bit Boot
 * Protocol"; Intel SDM vol. 3, 9.8.5.
 */
#define NOTE_PHYS32_ENTRY 18 /* XEN_ELFNOTE_PHYS32_ENTRY: Xen, public/elfnote.h */

#define CR0_PE 0x00000001
#define CR0_MP 0x00000002
#define CR0_ET 0x00000010
#define CR0_NE 0x00000020
#define CR0_WP 0x00010000
#define CR0_PG 0x80000000
#define CR4_PAE 0x20
#define MSR_EFER 0xc0000080
#define EFER_LME 0x100
#define CPUID_EXTENDED 0x80000001
#define CPUID_LONG_MODE 29 /* bit of EDX */

#define PTE_TABLE 0x03 /* present, writable */
#define PTE_LARGE 0x83 /* present, writable, a page of 2 MiB */
#define PAGE 4096
#define LARGE_PAGE 0x200000
#define DIRECTORIES 4
#define EARLY_TABLES 32 /* pages; see main.c */
#define PARAMS_SCRATCH_END 0x1e8
#define STACK 131072 /* bytes: what UEFI guarantees (UEFI 2.10, 2.3.4) */

/* State that Linux's 64-bit boot protocol requires of whatever starts it. */
#define SELECTOR_CODE64 0x10
#define SELECTOR_DATA 0x18

#define COM1 0x3f8
#define COM1_STATUS (COM1 + 5)
#define STATUS_FREE 0x20 /* the transmitter accepts a byte */
#define LOOKS 50000      /* reads of a port, about 1 us each, before giving up */

/*
 * The descriptor has 8 bytes: QEMU reads 8 from a 64-bit ELF, other loaders use the lower 4.
 * Source: QEMU, hw/i386/pvh.c, pvh_load_elfhdr and read_pvh_start_addr.
 */
	.section .note.pvh, "a", @note
	.balign	4
	.long	4 /* bytes of the name */
	.long	8 /* bytes of the descriptor */
	.long	NOTE_PHYS32_ENTRY
	.asciz	"Xen"
	.quad	pvh_entry

	.globl	pvh_entry, linux_entry, main_enter_payload, early_tables
	.section .text.head, "ax"
	.code32
/* Linux's 32-bit entry: ESI has boot_params, in which Linux uses this word as a stack, too. */
head:
	cli
	cld
	leal	PARAMS_SCRATCH_END(%esi), %esp
	call	1f
1:	popl	%eax
	subl	$(1b - head), %eax
	movl	%esi, %ebx
	movl	%eax, %esi
	movl	$main_image, %edi
	movl	$main_data_bytes, %ecx
	cmpl	%esi, %edi
	je	2f
	rep movsb
2:	movl	$main_data_end, %edi
	movl	$main_bss_bytes, %ecx
	xorl	%eax, %eax
	rep stosb
	movl	$main_enter_linux, %ebp
	movl	$enter_32, %eax
	jmp	*%eax

	.org	0x200
	.code64
/*
 * Linux's 64-bit entry: RSI has boot_params. The image may be anywhere: clear what is not in the
 * file, and move all to where it runs. The loader's page tables may be there, so switch to ours
 * first, which are in the image, and so is the stack.
 */
linux_entry:
	cli
	cld
	movq	%rsi, %r12
	leaq	main_data_end(%rip), %rdi
	movl	$main_bss_bytes, %ecx
	xorl	%eax, %eax
	rep stosb
	leaq	stack_end(%rip), %rsp
	leaq	head(%rip), %rdi
	leaq	early_tables(%rip), %rsi
	movq	%rdi, %rbx
	call	main_map_image
	movq	%rax, %cr3
	movl	$main_image, %edi
	movq	%rbx, %rsi
	movl	$main_image_bytes, %ecx
	cmpq	%rsi, %rdi
	je	1f
	rep movsb
1:	movl	$enter_64, %eax
	jmp	*%rax

	.text
	.code32
pvh_entry:
	cli
	cld
	movl	$main_enter_pvh, %ebp
enter_32:
	movl	$stack_end, %esp
	movl	%ebx, %edi
	movl	$CPUID_EXTENDED - 1, %eax
	cpuid
	cmpl	$CPUID_EXTENDED, %eax
	jb	no_long_mode
	movl	$CPUID_EXTENDED, %eax
	cpuid
	btl	$CPUID_LONG_MODE, %edx
	jnc	no_long_mode

	/* Map pages of 2 MiB until the address overflows 32 bits, at 4 GiB. */
	movl	$directories, %edx
	movl	$PTE_LARGE, %eax
1:	movl	%eax, (%edx)
	addl	$8, %edx
	addl	$LARGE_PAGE, %eax
	jnc	1b
	movl	$directories + PTE_TABLE, %eax
	movl	$pointers, %edx
	movl	$DIRECTORIES, %ecx
2:	movl	%eax, (%edx)
	addl	$8, %edx
	addl	$PAGE, %eax
	loop	2b
	movl	$pointers + PTE_TABLE, %eax
	movl	%eax, early_tables

	movl	$CR4_PAE, %eax
	movl	%eax, %cr4
	movl	$early_tables, %eax
	movl	%eax, %cr3
	movl	$MSR_EFER, %ecx
	rdmsr
	orl	$EFER_LME, %eax
	wrmsr
	/* This also clears CD and NW: some loaders leave the caches off. */
	movl	$(CR0_PG | CR0_WP | CR0_NE | CR0_ET | CR0_MP | CR0_PE), %eax
	movl	%eax, %cr0
	movl	%ebp, %ebx
	lgdt	gdt_pointer
	ljmpl	$SELECTOR_CODE64, $long_mode

no_long_mode:
	movl	$no_long_mode_text, %esi

	/* Print the text at ESI on COM1, and halt. */
refuse:
	movw	$COM1_STATUS, %dx
	movl	$LOOKS, %ecx
3:	inb	%dx, %al
	testb	$STATUS_FREE, %al
	loopz	3b
	lodsb
	testb	%al, %al
	jz	4f
	movw	$COM1, %dx
	outb	%al, %dx
	jmp	refuse
4:	cli
	hlt
	jmp	4b

	.code64
enter_64:
	movl	$stack_end, %esp
	movq	%r12, %rdi
	movl	$main_enter_linux, %ebx
	jmp	load_segments

/* Enter a Linux kernel: EDI has its entry point, RSI its boot_params. */
main_enter_payload:
	cli
	movl	%edi, %ebx
load_segments:
	lgdt	gdt_pointer
	pushq	$SELECTOR_CODE64
	pushq	$long_mode
	lretq

long_mode:
	movl	$SELECTOR_DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %fs
	movl	%eax, %gs
	movl	$stack_end, %esp
	movl	%ebx, %ebx
	xorl	%ebp, %ebp
	pushq	$0
	jmp	*%rbx

	.section .rodata
no_long_mode_text:
	.asciz	"\r\nnoisefloor: cannot start: the processor has no 64-bit mode\r\n"

	.section .data
	.balign	8
gdt:
	.quad	0, 0
	.quad	0x00af9b000000ffff
	.quad	0x00cf93000000ffff
gdt_pointer:
	.word	. - gdt - 1
	.quad	gdt /* in 32-bit mode, the processor reads the lower half */

	.section .bss
	.balign	PAGE
early_tables:
	.skip	EARLY_TABLES * PAGE
	.equ	pointers, early_tables + PAGE
	.equ	directories, pointers + PAGE
	.skip	STACK
stack_end:

	.section .note.GNU-stack, "", @progbits
