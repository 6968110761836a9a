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

/*
 * PSCI (Arm DEN0022, PSCI 1.1, chapter 5): have the core of that MPIDR begin at `entry`, MMU off,
 * with `context` in x0. Returns 0, or PSCI's error (below 0): -2 invalid, -4 already on, -9 no such
 * address. After smccc_init().
 */
int32_t smccc_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context);
