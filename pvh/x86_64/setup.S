/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The head of noisefloor.bzimage, which loaders of Linux start: kexec, GRUB, PXELINUX, iPXE, and
 * QEMU with -kernel. A page that becomes boot_params, with the header that loaders read and fill
 * in; the code that is started in real mode, with DS and ES pointing to that page; and the image,
 * whose first bytes are the 32-bit entry and whose 64-bit entry is at 0x200 (entry.S). Source:
 * Linux, Documentation/arch/x86/boot.rst.
 */
#define SECTOR 512
#define BOOT_FLAG 0xaa55
#define VERSION 0x20f
#define LOADED_HIGH 1
#define HIGH 0x100000      /* where loaders that choose no address put the image */
#define IMAGE 0x200000     /* where it runs, and its alignment: a copy elsewhere does not overlap */
#define ALIGNMENT_SHIFT 21
#define LOAD_FLAGS 3       /* a 64-bit entry, at any address */
#define COMMAND_MAX 16383
#define INITRD_TOP 0x7fffffff

/* ACPI 6.5, 15.1: INT 15h, E820h. */
#define SMAP 0x534d4150
#define QUERY_MAP 0xe820
#define RANGES 0x1e8 /* offsets in boot_params */
#define MAP 0x2d0
#define ENTRY 20     /* bytes */
#define RANGES_MAX 128

#define A20_PORT 0x92
#define CODE 8
#define DATA 16

	.text
	.code16
start:
	.org	0x1f1
	.byte	(image - start) / SECTOR - 1
	.word	0
	.long	(image_end - image + 15) / 16
	.word	0, 0xffff, 0, BOOT_FLAG
	.byte	0xeb, header_end - start - 0x202 /* a jump; the header ends where it leads */
	.ascii	"HdrS"
	.word	VERSION
	.long	0
	.word	0, name - start - SECTOR
	.byte	0, LOADED_HIGH
	.word	0
	.long	HIGH
	.long	0, 0, 0 /* the initrd, and a hook */
	.word	0, 0
	.long	0 /* the command line */
	.long	INITRD_TOP
	.long	IMAGE
	.byte	1, ALIGNMENT_SHIFT
	.word	LOAD_FLAGS
	.long	COMMAND_MAX
	.long	0, 0, 0, 0, 0
	.quad	0 /* setup_data */
	.quad	IMAGE
	.long	IMAGE /* bytes that it needs there, with .bss */
	.long	0, 0
header_end:
	jmp	real_mode

	.org	4096
real_mode:
	cld
	xorl	%ebx, %ebx
	xorw	%bp, %bp
	movw	$MAP, %di
1:	movl	$QUERY_MAP, %eax
	movl	$ENTRY, %ecx
	movl	$SMAP, %edx
	int	$0x15
	jc	2f
	cmpl	$SMAP, %eax
	jne	2f
	addw	$ENTRY, %di
	incw	%bp
	cmpw	$RANGES_MAX, %bp
	je	2f
	testl	%ebx, %ebx
	jnz	1b
2:	movw	%bp, %ax
	movb	%al, RANGES

	inb	$A20_PORT, %al
	orb	$2, %al
	andb	$0xfe, %al /* bit 0 resets the machine */
	outb	%al, $A20_PORT

	cli
	xorl	%esi, %esi
	movw	%ds, %si
	shll	$4, %esi
	addl	%esi, gdt_pointer + 2 - start
	addl	%esi, protected - start
	lgdtl	gdt_pointer - start
	movl	%cr0, %eax
	orb	$1, %al
	movl	%eax, %cr0
	ljmpl	*(protected - start)

	.code32
protected_mode:
	movl	$DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	jmp	*0x214(%esi) /* where the loader has put the image */

	.balign	8
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff
	.quad	0x00cf93000000ffff
gdt_pointer:
	.word	. - gdt - 1
	.long	gdt - start
protected:
	.long	protected_mode - start
	.word	CODE
name:
	.asciz	"noisefloor"
	.balign	SECTOR
image:
	.incbin	FLAT
image_end:
	.section .note.GNU-stack, "", @progbits
