/* SPDX-License-Identifier: BSD-2-Clause */
/* Affinity of cores and memory, entry by entry. */
#include "acpi_srat.h"

#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

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

static uint32_t domain_of(const struct acpi_srat *s, const uint8_t *e)
{
	uint32_t domain = bytes_le32(e + forms[e[0]].domain);

	/* The upper bits are apart. */
	if (e[0] == APIC)
		domain = e[2] | (bytes_le32(e + 8) & ~UINT32_C(0xff));
	return s->table.bytes[ACPI_HEADER_REVISION] <= SHORT_DOMAINS ? domain & 0xff : domain;
}

/* Get the next enabled entry of these types from *at on. NULL: there are no more. */
static const uint8_t *next_enabled(const struct acpi_srat *s, uint32_t *at, bool is_memory)
{
	const uint8_t *e;

	while ((e = acpi_next_entry(&s->table, at)))
		if (e[0] < TYPES && (e[0] == MEMORY) == is_memory && e[1] >= forms[e[0]].bytes &&
		    bytes_le32(e + forms[e[0]].flags) & ENABLED)
			return e;
	return NULL;
}

/* The node of an entry's domain; ACPI_NO_NODE: it is beyond the maximum. */
static uint32_t node_of(const struct acpi_srat *s, const uint8_t *e)
{
	uint32_t domain = domain_of(s, e);

	for (uint32_t n = 0; n < s->nodes; n++)
		if (s->domain[n] == domain)
			return n;
	return ACPI_NO_NODE;
}

/* node_of() for a domain that may be new. */
static uint32_t add_node(struct acpi_srat *s, const uint8_t *e)
{
	uint32_t node = node_of(s, e);

	if (node != ACPI_NO_NODE || s->nodes == ACPI_NODES_MAX)
		return node;
	s->domain[s->nodes] = domain_of(s, e);
	return s->nodes++;
}

static bool overlaps(const struct acpi_srat *s, uint64_t from, uint64_t end)
{
	for (uint32_t i = 0; i < s->ranges; i++)
		if (s->range[i].from < end && s->range[i].end > from)
			return true;
	return false;
}

static void add_range(struct acpi_srat *s, const uint8_t *e)
{
	uint64_t from = bytes_le64(e + MEMORY_FROM), bytes = bytes_le64(e + MEMORY_BYTES);
	uint32_t node;

	if (!bytes || !acpi_is_physical(from) || !acpi_is_physical(bytes - 1) ||
	    !acpi_is_physical(from + bytes - 1) || s->ranges == ACPI_RANGES_MAX ||
	    overlaps(s, from, from + bytes))
		return;
	node = add_node(s, e);
	if (node != ACPI_NO_NODE)
		s->range[s->ranges++] = (struct acpi_range){ from, from + bytes, node };
}

bool acpi_srat_read(struct acpi_srat *s, const struct acpi_info *info)
{
	uint32_t at = SRAT_ENTRIES;
	const uint8_t *e;

	memset(s, 0, sizeof(*s));
	s->table = info->srat;
	while ((e = next_enabled(s, &at, false)))
		add_node(s, e);
	at = SRAT_ENTRIES;
	while ((e = next_enabled(s, &at, true)))
		add_range(s, e);
	return s->table.bytes;
}

static bool is_core(const uint8_t *e, const struct acpi_cpu *cpu)
{
	if (e[0] == APIC)
		return e[forms[APIC].id] == cpu->apic_id;
	return bytes_le32(e + forms[e[0]].id) == (e[0] == GICC ? cpu->uid : cpu->apic_id);
}

uint32_t acpi_srat_core(const struct acpi_srat *s, const struct acpi_cpu *cpu)
{
	uint32_t at = SRAT_ENTRIES;
	const uint8_t *e;

	while ((e = next_enabled(s, &at, false)))
		if (is_core(e, cpu))
			return node_of(s, e);
	return ACPI_NO_NODE;
}
