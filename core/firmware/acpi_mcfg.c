/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MCFG: the addresses of PCI configuration space in memory. Source: PCI Firmware Specification 3.3,
 * 4.1.2. The addresses are read and written later, so an implausible region is left out.
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"

/* Offsets in the table, and in each allocation. */
#define MCFG_FIRST      44
#define MCFG_ENTRY      16
#define ENTRY_SEGMENT   8
#define ENTRY_FIRST_BUS 10
#define ENTRY_LAST_BUS  11

#define BUS_BYTES (UINT64_C(1) << 20) /* 32 devices of 8 functions of 4 KiB */

static bool plausible(const struct acpi_ecam *e)
{
	return e->base && e->base % BUS_BYTES == 0 && e->first_bus <= e->last_bus &&
	       acpi_is_physical(e->base) &&
	       acpi_is_physical(e->base + (e->last_bus + UINT64_C(1)) * BUS_BYTES - 1);
}

static bool is_known(const struct acpi_info *info, const struct acpi_ecam *e)
{
	for (uint32_t i = 0; i < info->ecam_count; i++) {
		const struct acpi_ecam *k = &info->ecam[i];

		if (k->segment == e->segment && k->first_bus <= e->last_bus &&
		    e->first_bus <= k->last_bus)
			return true;
	}
	return false;
}

void acpi_add_ecam(struct acpi_reader *r, const char *table, const struct acpi_ecam *e)
{
	struct acpi_info *info = r->info;
	const char *wrong = NULL;

	if (!plausible(e))
		wrong = "cannot be";
	else if (is_known(info, e))
		wrong = "was listed before";
	else if (info->ecam_count == ACPI_ECAMS_MAX)
		wrong = "exceeds the maximum number of regions";
	if (!wrong) {
		info->ecam[info->ecam_count++] = *e;
		return;
	}
	acpi_complain_of(r, "%s: segment %u buses %u-%u at 0x%llx %s; ignored", table, e->segment,
			 e->first_bus, e->last_bus, (unsigned long long)e->base, wrong);
}

static void read_entry(struct acpi_reader *r, const uint8_t *at)
{
	const struct acpi_ecam e = {
		.base = bytes_le64(at),
		.segment = bytes_le16(at + ENTRY_SEGMENT),
		.first_bus = at[ENTRY_FIRST_BUS],
		.last_bus = at[ENTRY_LAST_BUS],
	};

	acpi_add_ecam(r, "MCFG", &e);
}

void acpi_parse_mcfg(struct acpi_reader *r, const struct acpi_table *t)
{
	uint32_t at = MCFG_FIRST;

	for (; t->length - at >= MCFG_ENTRY; at += MCFG_ENTRY)
		read_entry(r, t->bytes + at);
	if (at != t->length)
		acpi_complain_of(r, "MCFG: %u bytes after its last entry; ignored", t->length - at);
}
