/* SPDX-License-Identifier: BSD-2-Clause */
/* The fix-up table: where to go on after an exception. traps.c looks it up. */
#pragma once

/*
 * One row of the fix-up table: an exception at `insn` continues at `fixup`. Both
 * are distances from the row, so that the image may lie anywhere.
 */
#define EXTABLE(insn, fixup)             \
	".pushsection .extable, \"a\"\n" \
	".balign 8\n"                    \
	".long " insn " - .\n"           \
	".long " fixup " - . + 4\n"      \
	".popsection\n"
