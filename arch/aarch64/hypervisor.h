/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Software at exception level 2, as far as calls and tables report it, and its services. Sources:
 * Arm DEN0028 (6.2, "Call UID"), DEN0022 (PSCI_FEATURES), DEN0057A (PV-time); ACPI 6.5, 5.2.9.
 */
#pragma once

#include "core/cause/attribution.h"
#include "smccc.h"

struct hypervisor {
	void (*call)(struct smccc_registers *r);
	const char *name; /* NULL: no hypervisor is known; "unknown": one without a known name */
	bool steals;      /* reports stolen time */
	char identity[9]; /* room for the name */
};

/*
 * by_hvc: a hypervisor answers calls. identity: the FADT's, as in acpi_info. h->call is set, and
 * may take an exception; then h->name remains as the tables have it.
 */
void hypervisor_find(struct hypervisor *h, bool by_hvc, uint64_t identity);

/* The result of arch_first_look(). */
const struct hypervisor *hypervisor_found(void);

/* The calling core's own structure of stolen time, by its physical address; 0: none. */
uint64_t hypervisor_stolen_time(const struct hypervisor *h);

/* For evidence: the software that may suspend a core which runs at `level`. */
enum evidence_hypervisor hypervisor_below(const struct hypervisor *h, unsigned level);
