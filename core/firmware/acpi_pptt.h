/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of cores and their caches, from the PPTT's tree of processors and their containers.
 * Source: ACPI 6.5, 5.2.30. Revision 2 or later is needed: earlier ones mark neither threads nor
 * leaves.
 */
#pragma once

#include "acpi.h"

struct acpi_place {
	bool known;                     /* false: the three numbers below mean nothing */
	uint32_t package, core, thread; /* in the table's order, of a core in its package */
};

/* The place of the core with this ACPI processor UID. */
struct acpi_place acpi_pptt_place(const struct acpi_info *info, uint32_t uid);

#define ACPI_CACHE_LEVELS 4

/* The sizes of this core's data caches, nearest first; 0: no cache, or no size. */
void acpi_pptt_caches(const struct acpi_info *info, uint32_t uid,
		      uint64_t bytes[ACPI_CACHE_LEVELS]);
