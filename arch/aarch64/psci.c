/* SPDX-License-Identifier: BSD-2-Clause */
/* PSCI calls, by the SMC calling convention (Arm DEN0028). */
#include "psci.h"

#include "arch/arch.h"

#include <stdbool.h>

#define PSCI_CPU_ON       0xc4000003u
#define PSCI_SYSTEM_OFF   0x84000008u
#define PSCI_SYSTEM_RESET 0x84000009u
#define NOT_SUPPORTED     (-1)

static bool there, by_hvc;

void psci_init(const struct acpi_info *acpi)
{
	there = acpi->has_psci;
	by_hvc = acpi->psci_by_hvc;
}

static int32_t call(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = a;
	register uint64_t x2 __asm__("x2") = b;
	register uint64_t x3 __asm__("x3") = c;

	if (!there)
		return NOT_SUPPORTED;
#define CALL(instruction)                                                                         \
	__asm__ volatile(instruction " #0"                                                        \
			 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)                                 \
			 :                                                                        \
			 : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", \
			   "x15", "x16", "x17", "memory")
	if (by_hvc)
		CALL("hvc");
	else
		CALL("smc");
#undef CALL
	return (int32_t)x0;
}

int32_t psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context)
{
	return call(PSCI_CPU_ON, mpidr, entry, context);
}

void arch_reset(void)
{
	call(PSCI_SYSTEM_RESET, 0, 0, 0);
}

void arch_power_off(void)
{
	call(PSCI_SYSTEM_OFF, 0, 0, 0);
}
