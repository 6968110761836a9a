/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded access to model-specific registers. */
#include "msr.h"

#include "extable.h"

bool msr_read(uint32_t msr, uint64_t *value)
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

bool msr_write(uint32_t msr, uint64_t value)
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
