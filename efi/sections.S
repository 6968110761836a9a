/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections of a PE that no compiler makes. */

/* Secure Boot Advanced Targeting: the generation shim checks. Source: shim's SBAT.md. */
	.section .sbat, "a", @progbits
	.ascii "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
	.ascii "noisefloor,1,noisefloor,noisefloor,"
	.ascii NF_VERSION
	.ascii ",https://noisefloor.example\n"

/*
 * Base relocations: one block without effect, of two padding entries. Without any, firmware takes
 * the image for one that may not be moved; efi/start.c does the real ones.
 * Source: Microsoft PE format, "The .reloc Section".
 */
	.section .reloc, "a", @progbits
	.long	0	/* page RVA */
	.long	12	/* size of the block */
	.short	0	/* IMAGE_REL_BASED_ABSOLUTE */
	.short	0

	.section .note.GNU-stack, "", @progbits
