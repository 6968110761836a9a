/* SPDX-License-Identifier: BSD-2-Clause */
/* One call, by HVC or SMC; PSCI's calls, and those of mode=services, which only query. */
#include "smccc.h"

#include "arch/arch.h"

/* Arm DEN0022 (PSCI), DEN0028 (SMCCC), DEN0098 (TRNG). */
#define PSCI_VERSION      0x84000000u
#define PSCI_SYSTEM_OFF   0x84000008u
#define PSCI_SYSTEM_RESET 0x84000009u
#define SMCCC_VERSION     0x80000000u
#define TRNG_VERSION      0x84000050u

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

struct smccc_registers smccc_call(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = a;
	register uint64_t x2 __asm__("x2") = b;
	register uint64_t x3 __asm__("x3") = c;

	if (!there)
		return (struct smccc_registers){ { UINT64_MAX } };
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
	return (struct smccc_registers){ { x0, x1, x2, x3 } };
}

void arch_reset(void)
{
	smccc_call(PSCI_SYSTEM_RESET, 0, 0, 0);
}

void arch_power_off(void)
{
	smccc_call(PSCI_SYSTEM_OFF, 0, 0, 0);
}

static const uint32_t functions[SERVICES] = {
	[SERVICE_PSCI_VERSION] = PSCI_VERSION,
	[SERVICE_SMCCC_VERSION] = SMCCC_VERSION,
	[SERVICE_TRNG] = TRNG_VERSION,
};

const char *arch_service_open(enum config_service service, const struct acpi_info *acpi)
{
	if (!functions[service])
		return "it is not called on this processor";
	return acpi->has_psci ? NULL : "no table has PSCI";
}

uint64_t arch_service_call(enum config_service service, uint8_t value)
{
	int32_t result = (int32_t)smccc_call(functions[service], 0, 0, 0).x[0];

	(void)value;
	return result < 0 ? (uint64_t) - (int64_t)result : 0;
}
