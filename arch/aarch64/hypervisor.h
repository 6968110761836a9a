/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Software at exception level 2, as far as calls and tables report it, and its services. Sources:
 * Arm DEN0028 (6.2, "Call UID"), DEN0022 (PSCI_FEATURES), DEN0057A (PV-time); ACPI 6.5, 5.2.9.
 */
#pragma once

#include "core/cause/attribution.h"

/*
 * Ask the hypervisor, after smccc_init(). identity: the FADT's, as in acpi_info. A call may take an
 * exception; then the name remains as the tables have it.
 */
void hypervisor_find(uint64_t identity);

/* NULL: no hypervisor is known; "unknown": one without a known name. */
const char *hypervisor_name(void);

/* True if it reports stolen time. */
bool hypervisor_steals(void);

/* The calling core's own structure of stolen time, by its physical address; 0: none. */
uint64_t hypervisor_stolen_time(void);

/* For evidence: the software that may suspend a core which runs at `level`. */
enum evidence_hypervisor hypervisor_below(unsigned level);
