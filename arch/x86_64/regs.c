/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's own registers, and guarded access to those that may not exist. */
#include "regs.h"

#include "clock_now.h"

/*
 * An instruction that sets %[failed] instead if it faults, by a row of the fix-up table, which
 * traps.c looks up: an exception at the first address continues at the second. Both are distances
 * from the row, so that the image may lie anywhere.
 */
#define GUARDED(instruction)                 \
	"1:	" instruction "\n"           \
	"2:\n"                               \
	".pushsection .extable, \"a\"\n"     \
	".balign 8\n"                        \
	".long 1b - .\n"                     \
	".long 3f - . + 4\n"                 \
	".popsection\n"                      \
	".pushsection .text.fixup, \"ax\"\n" \
	"3:	movl $1, %[failed]\n"            \
	"	jmp 2b\n"                          \
	".popsection\n"

bool regs_msr_read(uint32_t msr, uint64_t *value)
{
	uint32_t low, high, failed = 0;

	__asm__ volatile(GUARDED("rdmsr")
			 : "=a"(low), "=d"(high), [failed] "+r"(failed)
			 : "c"(msr));
	*value = failed ? 0 : (uint64_t)high << 32 | low;
	return !failed;
}

bool regs_msr_write(uint32_t msr, uint64_t value)
{
	uint32_t failed = 0;

	__asm__ volatile(GUARDED("wrmsr")
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
