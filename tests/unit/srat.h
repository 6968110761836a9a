/* SPDX-License-Identifier: BSD-2-Clause */
/* An SRAT that a test builds entry by entry. Source: ACPI 6.5, 5.2.16. */
#pragma once

#include "core/firmware/acpi_srat.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SRAT_REVISION 8
#define SRAT_ENTRIES  48
#define SRAT_ENABLED  1u

static struct acpi_info srat_info;
static uint8_t *srat_table; /* its size is exact, so that AddressSanitizer sees each read past it */

/* Append zeros to the table. */
static inline uint8_t *srat_more(uint32_t bytes)
{
	srat_table = realloc(srat_table, srat_info.srat.length + bytes);
	assert(srat_table);
	memset(srat_table + srat_info.srat.length, 0, bytes);
	srat_info.srat.bytes = srat_table;
	srat_info.srat.length += bytes;
	return srat_table + srat_info.srat.length - bytes;
}

/* Begin a table without entries. */
static inline void srat_begin(void)
{
	memset(&srat_info, 0, sizeof(srat_info));
	srat_info.srat = (struct acpi_table){ .name = "SRAT", .length_at = 1 };
	srat_more(SRAT_ENTRIES)[SRAT_REVISION] = 3;
}

static inline void srat_end(void)
{
	free(srat_table);
	srat_table = NULL;
}

static inline void srat_put(uint32_t at, unsigned bytes, uint64_t value)
{
	memcpy(srat_table + at, &value, bytes);
}

/* Add an entry that states that length, and has so many bytes. Returns its place. */
static inline uint32_t srat_bytes(uint8_t type, uint8_t length, uint32_t bytes)
{
	uint32_t at = srat_info.srat.length;
	uint8_t *entry = srat_more(bytes);

	entry[0] = type;
	entry[1] = length;
	return at;
}

static inline void srat_apic(uint8_t id, uint32_t domain, uint32_t flags)
{
	uint32_t at = srat_bytes(0, 16, 16);

	srat_put(at + 2, 1, domain);
	srat_put(at + 3, 1, id);
	srat_put(at + 4, 4, flags);
	srat_put(at + 9, 3, domain >> 8);
}

static inline void srat_x2apic(uint32_t id, uint32_t domain, uint32_t flags)
{
	uint32_t at = srat_bytes(2, 24, 24);

	srat_put(at + 4, 4, domain);
	srat_put(at + 8, 4, id);
	srat_put(at + 12, 4, flags);
}

static inline void srat_gicc(uint32_t uid, uint32_t domain, uint32_t flags)
{
	uint32_t at = srat_bytes(3, 18, 18);

	srat_put(at + 2, 4, domain);
	srat_put(at + 6, 4, uid);
	srat_put(at + 10, 4, flags);
}

static inline void srat_memory(uint64_t from, uint64_t bytes, uint32_t domain, uint32_t flags)
{
	uint32_t at = srat_bytes(1, 40, 40);

	srat_put(at + 2, 4, domain);
	srat_put(at + 8, 8, from);
	srat_put(at + 16, 8, bytes);
	srat_put(at + 28, 4, flags);
}
