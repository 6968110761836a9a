/* SPDX-License-Identifier: BSD-2-Clause */
/* Secure Boot Advanced Targeting: the generation shim checks. Source: shim's SBAT.md. */
	.section .sbat, "a", @progbits
	.ascii "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
	.ascii "noisefloor,1,noisefloor,noisefloor,"
	.ascii NF_VERSION
	.ascii ",https://noisefloor.example\n"
	.section .note.GNU-stack, "", @progbits
