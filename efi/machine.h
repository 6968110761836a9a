/* SPDX-License-Identifier: BSD-2-Clause */
/* What machine is this? ACPI tables, SMBIOS, processor, clock: read, not changed. */
#pragma once

#include "complaints.h"
#include "memory_map.h"

#include "arch/arch.h"
#include "core/firmware/acpi.h"
#include "core/firmware/smbios.h"
#include "core/gaps/tsc_rate.h"

struct machine {
	struct memory_map map;
	struct acpi_info acpi;
	struct smbios_info smbios;
	struct arch_identity identity;
	const char *sealed; /* arch_sealed() */
	struct tsc_rate clock;
};

/* Before anything is taken over. What is missing or wrong is a complaint. */
void machine_look(struct machine *m, struct complaints *complaints);
