/* SPDX-License-Identifier: BSD-2-Clause */
/* MADT, ACPI 6.5 section 5.2.12: cores, and the wiring of NMIs. */
#include "acpi_table.h"
#include "core/lib/bytes.h"

#define MADT_ENTRIES 44

/* A flag of types 0 and 9. A core without it is at most "online capable". */
#define CPU_ENABLED 0x1u

/* IDs that mean no core, or all of them: one byte, four bytes. */
#define ID8_ALL  0xffu
#define ID32_ALL 0xffffffffu

/* Flags of types 4 and 0xA: polarity and trigger mode; ACPI 6.5 table 5.26. */
#define INTI_RESERVED 0xfff0u

/* Reasons to ignore entries. Entries are counted by reason, since there may be thousands. */
enum { SOUND, SHORT, INVALID, AGAIN, BEYOND, BAD_LINT, DOUBTED, NMIS_BEYOND, REASONS };

static const char *const why[REASONS] = {
	NULL,
	"are shorter than their type",
	"enable a core with an invalid APIC id",
	"repeat an APIC id",
	"exceed the maximum number of cores",
	"wire an NMI to a LINT pin that is neither 0 nor 1",
	"wire an NMI with reserved bits set",
	"exceed the maximum number of NMI entries",
};

static unsigned add_cpu(struct acpi_info *info, uint32_t apic_id, uint32_t uid, uint32_t flags,
			uint32_t none)
{
	if (!(flags & CPU_ENABLED))
		return SOUND;
	if (apic_id == none)
		return INVALID;
	if (acpi_find_cpu(info, apic_id))
		return AGAIN;
	if (info->cpu_count == ACPI_CPUS_MAX)
		return BEYOND;
	info->cpu[info->cpu_count++] = (struct acpi_cpu){ apic_id, uid };
	return SOUND;
}

/*
 * `reserved`: bits that must be 0. If they are not, the entry is ignored: some firmware has such
 * entries, with random contents, for the pin of ExtINT.
 */
static unsigned add_nmi(struct acpi_info *info, bool all, uint32_t uid, uint8_t lint,
			uint32_t reserved)
{
	if (reserved)
		return DOUBTED;
	if (lint > 1)
		return BAD_LINT;
	if (info->nmi_count == ACPI_NMIS_MAX)
		return NMIS_BEYOND;
	info->nmi[info->nmi_count++] = (struct acpi_nmi){
		.all_cpus = all,
		.uid = all ? 0 : uid,
		.lint = lint,
	};
	return SOUND;
}

static unsigned local_apic(struct acpi_info *info, const uint8_t *e)
{
	return add_cpu(info, e[3], e[2], bytes_le32(e + 4), ID8_ALL);
}

static unsigned local_x2apic(struct acpi_info *info, const uint8_t *e)
{
	return add_cpu(info, bytes_le32(e + 4), bytes_le32(e + 12), bytes_le32(e + 8), ID32_ALL);
}

static unsigned gic_cpu(struct acpi_info *info, const uint8_t *e)
{
	const uint8_t *mpidr = e + 68; /* Aff3 is in bits 39:32 */

	return add_cpu(info, (bytes_le32(mpidr) & 0xffffff) | (uint32_t)mpidr[4] << 24,
		       bytes_le32(e + 8), bytes_le32(e + 12), ID32_ALL);
}

static unsigned local_apic_nmi(struct acpi_info *info, const uint8_t *e)
{
	return add_nmi(info, e[2] == ID8_ALL, e[2], e[5], bytes_le16(e + 3) & INTI_RESERVED);
}

static unsigned local_x2apic_nmi(struct acpi_info *info, const uint8_t *e)
{
	uint32_t uid = bytes_le32(e + 4);

	return add_nmi(info, uid == ID32_ALL, uid, e[8],
		       (bytes_le16(e + 2) & INTI_RESERVED) | e[9] | e[10] | e[11]);
}

/* The entries that are read; others, such as I/O APICs and interrupt overrides, are not needed. */
static const struct entry_kind {
	uint8_t type, bytes; /* least length */
	/* Returns why the entry is ignored. */
	unsigned (*read)(struct acpi_info *info, const uint8_t *e);
} kinds[] = {
	{ 0x0, 8, local_apic },        /* section 5.2.12.2 */
	{ 0x4, 6, local_apic_nmi },    /* section 5.2.12.7 */
	{ 0x9, 16, local_x2apic },     /* section 5.2.12.12 */
	{ 0xa, 12, local_x2apic_nmi }, /* section 5.2.12.13 */
	{ 0xb, 76, gic_cpu },          /* section 5.2.12.14 */
};

static unsigned read_entry(struct acpi_info *info, const uint8_t *e)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].type == e[0])
			return e[1] < kinds[i].bytes ? SHORT : kinds[i].read(info, e);
	return SOUND;
}

void acpi_parse_madt(struct acpi_reader *r, const struct acpi_table *t)
{
	uint32_t at = MADT_ENTRIES, counts[REASONS] = { 0 };
	const uint8_t *e;

	while ((e = acpi_next_entry(t, &at)))
		counts[read_entry(r->info, e)]++;
	for (unsigned n = SHORT; n < REASONS; n++)
		if (counts[n])
			acpi_complain_of(r, "APIC: entries ignored since they %s: %u", why[n],
					 counts[n]);
	if (r->info->cpu_count == 0)
		acpi_complain_of(r, "APIC: no enabled core; only the boot core is used");
}
