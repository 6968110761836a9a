/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls to a higher level: firmware at EL3, or a hypervisor. These calls only query. */
#include "arch/arch.h"
#include "smccc.h"

/* Arm DEN0022 (PSCI), DEN0028 (SMCCC), DEN0098 (TRNG). */
#define PSCI_VERSION  0x84000000u
#define SMCCC_VERSION 0x80000000u
#define TRNG_VERSION  0x84000050u

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
	struct smccc_registers r = { { functions[service] } };
	int32_t result;

	(void)value;
	smccc_call(&r);
	result = (int32_t)r.x[0];
	return result < 0 ? (uint64_t) - (int64_t)result : 0;
}
