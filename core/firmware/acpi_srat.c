/* SPDX-License-Identifier: BSD-2-Clause */
/* Proximity of cores and memory, entry by entry. Source: ACPI 6.5, 5.2.16. */
#include "acpi_table.h"
#include "core/lib/bytes.h"

#define SRAT_ENTRIES 48

#define ENABLED 0x1u /* bit 0 of the flags, in entries of all types */

/* Up to this revision a domain has eight bits; the bits of its later extension are reserved. */
#define SHORT_DOMAINS 1

/* Offsets in an entry of memory. */
#define MEMORY_FROM  8
#define MEMORY_BYTES 16

enum type { APIC, MEMORY, X2APIC, GICC, TYPES };

/* Least lengths of entries by type, sections 5.2.16.1 to 5.2.16.4, and offsets in them. */
static const struct form {
	uint8_t bytes, domain, id, flags;
} forms[TYPES] = {
	[APIC] = { 16, 2, 3, 4 },
	[MEMORY] = { 40, 2, 0, 28 },
	[X2APIC] = { 24, 4, 8, 12 },
	[GICC] = { 18, 2, 6, 10 },
};

static uint32_t domain_of(const struct acpi_table *t, const uint8_t *e)
{
	uint32_t domain = bytes_le32(e + forms[e[0]].domain);

	/* The upper bits are apart. */
	if (e[0] == APIC)
		domain = e[2] | (bytes_le32(e + 8) & ~UINT32_C(0xff));
	return t->bytes[ACPI_HEADER_REVISION] <= SHORT_DOMAINS ? domain & 0xff : domain;
}

/* Get the next enabled entry of these types from *at on. NULL: there are no more. */
static const uint8_t *next_enabled(const struct acpi_table *t, uint32_t *at, bool is_memory)
{
	const uint8_t *e;

	while ((e = acpi_next_entry(t, at)))
		if (e[0] < TYPES && (e[0] == MEMORY) == is_memory && e[1] >= forms[e[0]].bytes &&
		    bytes_le32(e + forms[e[0]].flags) & ENABLED)
			return e;
	return NULL;
}

static bool overlaps(const struct acpi_range *range, uint32_t ranges, uint64_t from, uint64_t end)
{
	for (uint32_t i = 0; i < ranges; i++)
		if (range[i].from < end && range[i].end > from)
			return true;
	return false;
}

uint32_t acpi_srat_memory(const struct acpi_info *info, struct acpi_range range[ACPI_RANGES_MAX])
{
	uint32_t at = SRAT_ENTRIES, ranges = 0;
	const uint8_t *e;

	while (ranges < ACPI_RANGES_MAX && (e = next_enabled(&info->srat, &at, true))) {
		uint64_t from = bytes_le64(e + MEMORY_FROM);
		uint64_t end = from + bytes_le64(e + MEMORY_BYTES);

		if (from < end && acpi_is_physical(end - 1) && !overlaps(range, ranges, from, end))
			range[ranges++] = (struct acpi_range){ from, end,
							       domain_of(&info->srat, e) };
	}
	return ranges;
}

static bool is_core(const uint8_t *e, const struct acpi_cpu *cpu)
{
	if (e[0] == APIC)
		return e[forms[APIC].id] == cpu->apic_id;
	return bytes_le32(e + forms[e[0]].id) == (e[0] == GICC ? cpu->uid : cpu->apic_id);
}

bool acpi_srat_core(const struct acpi_info *info, const struct acpi_cpu *cpu, uint32_t *domain)
{
	uint32_t at = SRAT_ENTRIES;
	const uint8_t *e;

	while ((e = next_enabled(&info->srat, &at, false)))
		if (is_core(e, cpu)) {
			*domain = domain_of(&info->srat, e);
			return true;
		}
	return false;
}
