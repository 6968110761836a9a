/* SPDX-License-Identifier: BSD-2-Clause */
/* PSCI's calls. */
#include "psci.h"

#include "arch/arch.h"
#include "smccc.h"

#define PSCI_CPU_ON       0xc4000003u
#define PSCI_SYSTEM_OFF   0x84000008u
#define PSCI_SYSTEM_RESET 0x84000009u

static int32_t call(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	struct smccc_registers r = { { function, a, b, c } };

	smccc_call(&r);
	return (int32_t)r.x[0];
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
