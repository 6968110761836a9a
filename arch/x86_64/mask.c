/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt flag. It has its own file because a test build that measures unmasked replaces it.
 */
#include "arch/arch.h"

void arch_mask_interrupts(void)
{
	__asm__ volatile("cli" : : : "memory");
}

void arch_unmask_interrupts(void)
{
	__asm__ volatile("sti" : : : "memory");
}
