/* SPDX-License-Identifier: BSD-2-Clause */
/* What machine is this? ACPI tables, SMBIOS, processor, clock: read, not changed. */
#pragma once

#include "complaints.h"
#include "memory_map.h"

#include "arch/arch.h"
#include "core/firmware/acpi.h"
#include "core/firmware/smbios.h"
#include "core/gaps/tsc_rate.h"

/* What the processor reports, two fine clocks, or a coarse one. */
#define MACHINE_CLOCKS_MAX (ARCH_CLOCK_SOURCES + 3)

struct machine {
	struct memory_map map;
	struct acpi_info acpi;
	struct smbios_info smbios;
	struct arch_identity identity;
	const char *sealed;                                /* arch_sealed() */
	struct tsc_rate_source source[MACHINE_CLOCKS_MAX]; /* of its rate: `sources` of them */
	unsigned sources;
	struct tsc_rate clock;
};

/* Physical memory, by the map. */
struct acpi_memory machine_memory(struct machine *m);

/* Addresses that the firmware's configuration tables have of these; 0: none. */
uint64_t machine_rsdp(void);
uint64_t machine_smbios(bool is_64bit);

/* Before anything is taken over. What is missing or wrong is a complaint. */
void machine_look(struct machine *m, struct complaints *complaints);
