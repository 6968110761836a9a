/* SPDX-License-Identifier: BSD-2-Clause */
/* Resting between windows. */
#include "arch/arch.h"

/*
 * STI delays interrupts until HLT has begun, so that a wake-up in between is not lost (SDM vol. 2,
 * STI). An NMI or SMI in between ends the delay early, and a wake-up may then come before HLT: its
 * handler recognises this by the label, and skips the HLT.
 */
__asm__(".text\n"
	".globl arch_sleep, arch_sleep_halt\n"
	"arch_sleep:\n"
	"	sti\n"
	"arch_sleep_halt:\n"
	"	hlt\n"
	"	cli\n"
	"	ret\n");

static void spin(const struct cpu *self)
{
	(void)self;
	arch_relax();
}

/*
 * On the bare machine a resting core spins: if it slept, it would start the next window with a
 * lower clock. Under a hypervisor it sleeps, so that other cores run.
 */
void (*arch_resting(const struct arch_identity *id))(const struct cpu *self)
{
	return id->hypervisor[0] ? arch_sleep : spin;
}
