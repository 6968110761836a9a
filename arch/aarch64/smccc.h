/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls to who is above: firmware or a hypervisor. Source: SMC Calling Convention, Arm DEN0028. */
#pragma once

#include "core/firmware/acpi.h"

#include <stdbool.h>
#include <stdint.h>

#define SMCCC_NOT_SUPPORTED (-1)

/* The function and its arguments in x0 to x3; what it returns. The same registers. */
struct smccc_registers {
	uint64_t x[4];
};

/*
 * Whether there is anybody to call, and by which instruction, is what tables report of PSCI. Once,
 * before any call.
 */
void smccc_init(const struct acpi_info *acpi);

/* By HVC, so that who answers is a hypervisor. */
bool smccc_is_by_hvc(void);

/*
 * Call. Where nobody is there, x0 is SMCCC_NOT_SUPPORTED. The instruction is an exception where a
 * table has named the wrong one: to be called by arch_try().
 */
void smccc_call(struct smccc_registers *r);
