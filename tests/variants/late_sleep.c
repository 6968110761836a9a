/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of arch/x86_64/sleep.c: a core sleeps when its wake-up is there already, which then
 * comes between STI and HLT, as it does if an NMI or SMI has ended the shadow of STI.
 */
#include "arch/x86_64/apic.h"

#include "arch/arch.h"

#define REG_IRR_WAKE (0x200 + APIC_WAKE_VECTOR / 32 * 0x10)
#define IRR_WAKE     (1u << APIC_WAKE_VECTOR % 32)

void sleep_late(void);

__asm__(".text\n"
	".globl sleep_late, arch_sleep_halt\n"
	"sleep_late:\n"
	"	sti\n"
	"	nop\n"
	"arch_sleep_halt:\n"
	"	hlt\n"
	"	cli\n"
	"	ret\n");

void arch_sleep(const struct cpu *self)
{
	(void)self;
	while (!(apic->read(REG_IRR_WAKE) & IRR_WAKE))
		arch_relax();
	sleep_late();
}

void (*arch_resting(const struct arch_identity *id))(const struct cpu *self)
{
	(void)id;
	return arch_sleep;
}
