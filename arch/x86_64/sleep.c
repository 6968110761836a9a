/* SPDX-License-Identifier: BSD-2-Clause */
/* How a core rests between windows. */
#include "arch/arch.h"

/*
 * STI holds interrupts off until HLT has begun, so that a wake-up in between is not lost (SDM
 * vol. 2, STI). An NMI or SMI in between ends that early, and a wake-up then comes before HLT: its
 * handler skips the HLT by this label.
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
 * On the machine itself a resting core spins: sleeping, it would start the next window from a
 * lower clock. Under a hypervisor it sleeps, so that the others run.
 */
void (*arch_resting(const struct arch_identity *id))(const struct cpu *self)
{
	return id->hypervisor[0] ? arch_sleep : spin;
}
