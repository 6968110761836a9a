/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is at exception level 2, as far as calls and tables report it, and what it offers. Sources:
 * Arm DEN0028 (6.2, "Call UID"), DEN0022 (PSCI_FEATURES), DEN0057A (PV-time), DEN0054
 * (SDEI_VERSION); ACPI 6.5, 5.2.9.
 */
#pragma once

#include "core/cause/attribution.h"
#include "smccc.h"

struct hypervisor {
	void (*call)(struct smccc_registers *r);
	const char *name; /* NULL: none is known of; "unknown": one that has no known name */
	bool steals;      /* it reports the time that it gives to others */
	bool sdei;        /* it, or firmware at level 3, delivers events by SDEI */
	char identity[9]; /* room for the name */
};

/*
 * by_hvc: who answers a call is a hypervisor. identity: the FADT's, as acpi_info has it. h->call
 * is set, and may take an exception: then h->name is what the tables have, as it is before.
 */
void hypervisor_find(struct hypervisor *h, bool by_hvc, uint64_t identity);

/* What arch_first_look() has found. */
const struct hypervisor *hypervisor_found(void);

/* The calling core's own structure of stolen time, by its physical address; 0: none. */
uint64_t hypervisor_stolen_time(const struct hypervisor *h);

/* For evidence: who may take a core away whose own level is that. */
enum evidence_hypervisor hypervisor_below(const struct hypervisor *h, unsigned level);
