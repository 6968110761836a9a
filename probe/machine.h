/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine: ACPI tables, SMBIOS, processor and clock, which are read and not changed. */
#pragma once

#include "complaints.h"
#include "memory_map.h"

#include "arch/arch.h"
#include "core/firmware/acpi.h"
#include "core/firmware/smbios.h"
#include "core/gaps/tsc_rate.h"
#include "drivers/refclock.h"

#define MACHINE_REFCLOCKS 2 /* HPET, PM timer */

/* Sources of the clock's rate: those of the processor, two fine clocks, and a coarse one. */
#define MACHINE_CLOCKS_MAX (ARCH_CLOCK_SOURCES + MACHINE_REFCLOCKS + 1)

struct machine {
	struct memory_map map;
	struct acpi_info acpi;
	struct smbios_info smbios;
	struct arch_identity identity;
	const char *sealed;                                /* arch_sealed() */
	struct tsc_rate_source source[MACHINE_CLOCKS_MAX]; /* for the clock's rate */
	unsigned sources;
	struct tsc_rate clock;
	/* Clocks that run; clocks_find() adds the processor's other clock: isa.h. */
	struct refclock refclock[MACHINE_REFCLOCKS + 1];
	unsigned refclocks;
};

/* Physical memory, by the map. */
struct acpi_memory machine_memory(struct machine *m);

/* Address of the RSDP, from the firmware's configuration tables; 0: none. */
uint64_t machine_rsdp(void);

/*
 * Read all of it, before anything is taken over. What is missing or wrong is added to the
 * complaints.
 */
void machine_look(struct machine *m);
