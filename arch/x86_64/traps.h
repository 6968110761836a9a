/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables, exception handlers and the fix-up table. */
#ifndef ARCH_X86_64_TRAPS_H
#define ARCH_X86_64_TRAPS_H

#include "percpu.h"

#include <stdint.h>

/*
 * One row of the fix-up table: an exception at `insn` continues at `fixup`. Both
 * are distances from the row, so that the image may lie anywhere.
 */
#define EXTABLE(insn, fixup)                                                                       \
	".pushsection .extable, \"a\"\n"                                                           \
	".balign 8\n"                                                                              \
	".long " insn " - .\n"                                                                     \
	".long " fixup " - . + 4\n"                                                                \
	".popsection\n"

/* Fill the IDT that all cores share. */
void traps_init(void);

/* Load GDT, TSS with interrupt stacks, IDT and GS on the calling core. */
void traps_load(struct percpu *p);

#endif
