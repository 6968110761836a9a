/* SPDX-License-Identifier: BSD-2-Clause */
/* One call, by HVC or SMC, and PSCI's calls. */
#include "smccc.h"

#include "arch/arch.h"

static bool there, by_hvc;

void smccc_init(const struct acpi_info *acpi)
{
	there = acpi->has_psci;
	by_hvc = acpi->psci_by_hvc;
}

bool smccc_is_by_hvc(void)
{
	return there && by_hvc;
}

void smccc_call(struct smccc_registers *r)
{
	register uint64_t x0 __asm__("x0") = r->x[0];
	register uint64_t x1 __asm__("x1") = r->x[1];
	register uint64_t x2 __asm__("x2") = r->x[2];
	register uint64_t x3 __asm__("x3") = r->x[3];

	if (!there) {
		r->x[0] = (uint64_t)SMCCC_NOT_SUPPORTED;
		return;
	}
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
	*r = (struct smccc_registers){ { x0, x1, x2, x3 } };
}

#define PSCI_CPU_ON       0xc4000003u
#define PSCI_SYSTEM_OFF   0x84000008u
#define PSCI_SYSTEM_RESET 0x84000009u

static int32_t psci_call(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	struct smccc_registers r = { { function, a, b, c } };

	smccc_call(&r);
	return (int32_t)r.x[0];
}

int32_t smccc_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context)
{
	return psci_call(PSCI_CPU_ON, mpidr, entry, context);
}

void arch_reset(void)
{
	psci_call(PSCI_SYSTEM_RESET, 0, 0, 0);
}

void arch_power_off(void)
{
	psci_call(PSCI_SYSTEM_OFF, 0, 0, 0);
}
