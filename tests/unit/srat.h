/* SPDX-License-Identifier: BSD-2-Clause */
/* An SRAT that a test builds entry by entry. Source: ACPI 6.5, 5.2.16. */
#pragma once

#include "core/firmware/acpi.h"
#include "tests/unit/entries.h"

#define SRAT_REVISION 8
#define SRAT_ENTRIES  48
#define SRAT_ENABLED  1u

static struct acpi_info srat_info;

/* Begin a table without entries. */
static inline void srat_begin(void)
{
	memset(&srat_info, 0, sizeof(srat_info));
	entries_begin(&srat_info.srat, "SRAT", SRAT_ENTRIES);
	entries_at[SRAT_REVISION] = 3;
}

static inline void srat_apic(uint8_t id, uint32_t domain, uint32_t flags)
{
	uint32_t at = entries_add(0, 16, 16);

	entries_put(at + 2, 1, domain);
	entries_put(at + 3, 1, id);
	entries_put(at + 4, 4, flags);
	entries_put(at + 9, 3, domain >> 8);
}

static inline void srat_x2apic(uint32_t id, uint32_t domain, uint32_t flags)
{
	uint32_t at = entries_add(2, 24, 24);

	entries_put(at + 4, 4, domain);
	entries_put(at + 8, 4, id);
	entries_put(at + 12, 4, flags);
}

static inline void srat_gicc(uint32_t uid, uint32_t domain, uint32_t flags)
{
	uint32_t at = entries_add(3, 18, 18);

	entries_put(at + 2, 4, domain);
	entries_put(at + 6, 4, uid);
	entries_put(at + 10, 4, flags);
}

static inline void srat_memory(uint64_t from, uint64_t bytes, uint32_t domain, uint32_t flags)
{
	uint32_t at = entries_add(1, 40, 40);

	entries_put(at + 2, 4, domain);
	entries_put(at + 8, 8, from);
	entries_put(at + 16, 8, bytes);
	entries_put(at + 28, 4, flags);
}
