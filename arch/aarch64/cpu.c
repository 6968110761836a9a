/* SPDX-License-Identifier: BSD-2-Clause */
/* Halting, resting, and the interrupt mask. There are no ports: nobody answers at one. */
#include "arch/arch.h"
#include "asm.h"

#define SYS_EXIT                     0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026

bool arch_interrupts_masked(void)
{
	const uint64_t both = DAIF_I | DAIF_F;

	return (sysreg_read("daif") & both) == both;
}

void arch_sleep(const struct cpu *self)
{
	(void)self;
	__asm__ volatile("wfe" : : : "memory");
}

/*
 * WFE rests every core: its clock stops, and resumes at full speed at once. It needs no interrupt
 * of the GIC, since an event reaches all cores of the system (Arm ARM, D1.6.1).
 */
void (*arch_resting(const struct arch_identity *id))(const struct cpu *self)
{
	(void)id;
	return arch_sleep;
}

void arch_wake(const struct cpu *cpu)
{
	(void)cpu; /* an event reaches all cores; those without work rest again */
	__asm__ volatile("dsb ishst\n"
			 "sev"
			 :
			 :
			 : "memory");
}

/* Source: Arm semihosting specification, SYS_EXIT. Without -semihosting it is undefined. */
void arch_exit_qemu(uint8_t code)
{
	const uint64_t block[] = { ADP_STOPPED_APPLICATION_EXIT, (uint64_t)code << 1 | 1 };
	register uint64_t x0 __asm__("x0") = SYS_EXIT;
	register const uint64_t *x1 __asm__("x1") = block;

	__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
}

void arch_halt(void)
{
	for (;;)
		__asm__ volatile("msr daifset, #3\n"
				 "wfi"
				 :
				 :
				 : "memory");
}

#define NO_PORT(bits)                                            \
	uint##bits##_t arch_in##bits(uint16_t port)              \
	{                                                        \
		(void)port;                                      \
		return UINT##bits##_MAX;                         \
	}                                                        \
	void arch_out##bits(uint16_t port, uint##bits##_t value) \
	{                                                        \
		(void)port, (void)value;                         \
	}

NO_PORT(8)
NO_PORT(16)
NO_PORT(32)
