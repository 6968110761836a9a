/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where cores sit, from the tables: the PPTT's tree of processors and what contains them, and their
 * caches. Source: ACPI 6.5, 5.2.30. Of revision 2 on: before, neither threads nor leaves are
 * marked.
 */
#pragma once

#include "acpi.h"
#include "core/lib/text.h"

struct acpi_place {
	bool known;                     /* false: the three numbers below mean nothing */
	uint32_t package, core, thread; /* in the table's order, of a core in its package */
};

/* The place of the core of that ACPI processor UID. */
struct acpi_place acpi_pptt_place(const struct acpi_info *info, uint32_t uid);

#define ACPI_CACHE_LEVELS 4

/* The sizes of that core's caches for data, nearest first; 0: there is none, or it has no size. */
void acpi_pptt_caches(const struct acpi_info *info, uint32_t uid,
		      uint64_t bytes[ACPI_CACHE_LEVELS]);

/* Append what is wrong with the PPTT; false: nothing, or there is none. */
bool acpi_pptt_flaw(const struct acpi_info *info, struct text *out);
