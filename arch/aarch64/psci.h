/* SPDX-License-Identifier: BSD-2-Clause */
/* Power State Coordination Interface. Source: Arm DEN0022, PSCI 1.1, chapter 5. */
#pragma once

#include <stdint.h>

/*
 * Have the core of that MPIDR begin at `entry`, MMU off, with `context` in x0. Returns 0, or
 * PSCI's error (below 0): -2 invalid, -4 already on, -9 no such address. After smccc_init().
 */
int32_t psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context);
