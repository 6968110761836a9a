/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt masks. They have their own file because a test build that measures unmasked replaces
 * it.
 */
#include "arch/arch.h"

void arch_mask_interrupts(void)
{
	__asm__ volatile("msr daifset, #3" : : : "memory");
}

void arch_unmask_interrupts(void)
{
	__asm__ volatile("msr daifclr, #3" : : : "memory");
}
