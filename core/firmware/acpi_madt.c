/* SPDX-License-Identifier: BSD-2-Clause */
/* MADT, ACPI 6.5 section 5.2.12: the cores, their local APIC, how NMIs reach them. */
#include "acpi_table.h"
#include "core/lib/bytes.h"

#define MADT_LAPIC_ADDRESS 36
#define MADT_ENTRIES       44

/* Flags of types 0 and 9; without it a core is at most "online capable". */
#define CPU_ENABLED 0x1u

/* IDs that mean no core, or all of them: one byte, four bytes. */
#define ID8_ALL  0xffu
#define ID32_ALL 0xffffffffu

/* Flags of types 4 and 0xA: polarity and trigger mode; ACPI 6.5 table 5.26. */
#define INTI_RESERVED 0xfff0u

/* What is counted and reported once at the end, since there may be thousands. */
struct madt {
	struct acpi_reader *r;
	uint32_t invalid, again, beyond, short_entries, bad_lint, doubted, nmis_beyond;
	bool gic; /* then there is no local APIC */
};

static void add_cpu(struct madt *m, uint32_t apic_id, uint32_t uid, uint32_t flags, uint32_t none)
{
	struct acpi_info *info = m->r->info;

	if (!(flags & CPU_ENABLED))
		return;
	if (apic_id == none) {
		m->invalid++;
		return;
	}
	if (acpi_find_cpu(info, apic_id)) {
		m->again++;
		return;
	}
	if (info->cpu_count == ACPI_CPUS_MAX) {
		m->beyond++;
		return;
	}
	info->cpu[info->cpu_count++] = (struct acpi_cpu){ apic_id, uid };
}

/* `reserved`: bits that have to be 0. Where they are not, the rest is no better: firmware was seen
 * to wire ExtINT's pin that way, with whatever was in its memory. */
static void add_nmi(struct madt *m, bool all, uint32_t uid, uint8_t lint, uint32_t reserved)
{
	struct acpi_info *info = m->r->info;

	if (reserved) {
		m->doubted++;
		return;
	}
	if (lint > 1) {
		m->bad_lint++;
		return;
	}
	if (info->nmi_count == ACPI_NMIS_MAX) {
		m->nmis_beyond++;
		return;
	}
	info->nmi[info->nmi_count++] = (struct acpi_nmi){
		.all_cpus = all,
		.uid = all ? 0 : uid,
		.lint = lint,
	};
}

static void set_lapic_address(struct madt *m, uint64_t address)
{
	if (address == 0 || address % 4096 || !acpi_is_physical(address)) {
		acpi_complain_of(m->r,
				 "APIC: local APIC address 0x%llx is not a page of memory; ignored",
				 (unsigned long long)address);
		return;
	}
	m->r->info->lapic_address = address;
}

static void local_apic(struct madt *m, const uint8_t *e)
{
	add_cpu(m, e[3], e[2], bytes_le32(e + 4), ID8_ALL);
}

static void local_x2apic(struct madt *m, const uint8_t *e)
{
	add_cpu(m, bytes_le32(e + 4), bytes_le32(e + 12), bytes_le32(e + 8), ID32_ALL);
}

static void gic_cpu(struct madt *m, const uint8_t *e)
{
	const uint8_t *mpidr = e + 68; /* Aff3 is in bits 39:32 */

	m->gic = true;
	add_cpu(m, (bytes_le32(mpidr) & 0xffffff) | (uint32_t)mpidr[4] << 24, bytes_le32(e + 8),
		bytes_le32(e + 12), ID32_ALL);
}

static void local_apic_nmi(struct madt *m, const uint8_t *e)
{
	add_nmi(m, e[2] == ID8_ALL, e[2], e[5], bytes_le16(e + 3) & INTI_RESERVED);
}

static void local_x2apic_nmi(struct madt *m, const uint8_t *e)
{
	uint32_t uid = bytes_le32(e + 4);

	add_nmi(m, uid == ID32_ALL, uid, e[8],
		(bytes_le16(e + 2) & INTI_RESERVED) | e[9] | e[10] | e[11]);
}

static void local_apic_override(struct madt *m, const uint8_t *e)
{
	set_lapic_address(m, bytes_le64(e + 4));
}

/* The entries that are read; I/O APICs, interrupt overrides and the like are of no use here. */
static const struct entry_kind {
	uint8_t type;
	uint8_t bytes;
	void (*read)(struct madt *m, const uint8_t *entry);
} entry_kinds[] = {
	{ 0x0, 8, local_apic },           /* section 5.2.12.2 */
	{ 0x4, 6, local_apic_nmi },       /* section 5.2.12.7 */
	{ 0x5, 12, local_apic_override }, /* section 5.2.12.8 */
	{ 0x9, 16, local_x2apic },        /* section 5.2.12.12 */
	{ 0xa, 12, local_x2apic_nmi },    /* section 5.2.12.13 */
	{ 0xb, 76, gic_cpu },             /* section 5.2.12.14 */
};

static void read_entry(struct madt *m, const uint8_t *entry, uint8_t bytes)
{
	for (size_t i = 0; i < sizeof(entry_kinds) / sizeof(entry_kinds[0]); i++) {
		if (entry_kinds[i].type != entry[0])
			continue;
		if (bytes < entry_kinds[i].bytes)
			m->short_entries++;
		else
			entry_kinds[i].read(m, entry);
	}
}

void acpi_parse_madt(struct acpi_reader *r, const struct acpi_table *t)
{
	struct madt m = { .r = r };
	uint32_t at = MADT_ENTRIES;
	const uint8_t *entry;

	while ((entry = acpi_next_entry(r, t, &at)))
		read_entry(&m, entry, entry[1]);
	if (!m.gic && !r->info->lapic_address)
		set_lapic_address(&m, bytes_le32(t->bytes + MADT_LAPIC_ADDRESS));

	acpi_complain_count(r, t, m.invalid, "enable a core with an invalid APIC id");
	acpi_complain_count(r, t, m.again, "repeat an APIC id");
	acpi_complain_count(r, t, m.beyond, "exceed the maximum number of cores");
	acpi_complain_count(r, t, m.short_entries, "are shorter than their type");
	acpi_complain_count(r, t, m.bad_lint, "wire an NMI to a LINT pin that is neither 0 nor 1");
	acpi_complain_count(r, t, m.doubted, "wire an NMI with reserved bits set");
	acpi_complain_count(r, t, m.nmis_beyond, "exceed the maximum number of NMI entries");
	if (r->info->cpu_count == 0)
		acpi_complain_of(r, "APIC: no enabled core; only the boot core is used");
}
