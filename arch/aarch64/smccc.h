/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls to a higher exception level: firmware or a hypervisor. Source: SMC Calling Convention, Arm
 * DEN0028.
 */
#pragma once

#include "core/firmware/acpi.h"

#include <stdbool.h>
#include <stdint.h>

struct smccc_registers {
	uint64_t x[4];
};

/*
 * Initialize from what tables report of PSCI: whether calls have a receiver, and their instruction.
 * Once, before any call.
 */
void smccc_init(const struct acpi_info *acpi);

/* True if calls are by HVC, so that a hypervisor answers. */
bool smccc_is_by_hvc(void);

/*
 * Call a function with its arguments, and return x0 to x3. Without a receiver, x0 is -1, not
 * supported. The instruction takes an exception if a table has named the wrong one, so run this in
 * arch_try().
 */
struct smccc_registers smccc_call(uint64_t function, uint64_t a, uint64_t b, uint64_t c);
