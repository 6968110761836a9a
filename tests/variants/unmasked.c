/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of arch/x86_64/mask.c: interrupts stay on, so that a test can see the
 * firmware's timer tick caught.
 */
#include "arch/arch.h"

void arch_mask_interrupts(void)
{
	__asm__ volatile("sti" : : : "memory");
}

void arch_unmask_interrupts(void)
{
	__asm__ volatile("sti" : : : "memory");
}
