/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's own registers, and guarded access to those that may not exist. */
#include "regs.h"

#include "clock_now.h"

/*
 * One row of the fix-up table, which traps.c looks up: an exception at `insn` continues at `fixup`.
 * Both are distances from the row, so that the image may lie anywhere.
 */
#define EXTABLE(insn, fixup)             \
	".pushsection .extable, \"a\"\n" \
	".balign 8\n"                    \
	".long " insn " - .\n"           \
	".long " fixup " - . + 4\n"      \
	".popsection\n"

bool regs_msr_read(uint32_t msr, uint64_t *value)
{
	uint32_t low, high;
	uint32_t failed = 0;

	__asm__ volatile("1:	rdmsr\n"
			 "2:\n" EXTABLE("1b", "3f") ".pushsection .text.fixup, \"ax\"\n"
						    "3:	movl $1, %[failed]\n"
						    "	xorl %%eax, %%eax\n"
						    "	xorl %%edx, %%edx\n"
						    "	jmp 2b\n"
						    ".popsection\n"
			 : "=a"(low), "=d"(high), [failed] "+r"(failed)
			 : "c"(msr));
	*value = (uint64_t)high << 32 | low;
	return !failed;
}

bool regs_msr_write(uint32_t msr, uint64_t value)
{
	uint32_t failed = 0;

	__asm__ volatile("1:	wrmsr\n"
			 "2:\n" EXTABLE("1b", "3f") ".pushsection .text.fixup, \"ax\"\n"
						    "3:	movl $1, %[failed]\n"
						    "	jmp 2b\n"
						    ".popsection\n"
			 : [failed] "+r"(failed)
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
	return !failed;
}

const struct regs regs_real = {
	.cpuid = cpuid,
	.rdmsr = regs_msr_read,
	.wrmsr = regs_msr_write,
	.clock = clock_now,
};
