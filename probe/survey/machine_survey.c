/* SPDX-License-Identifier: BSD-2-Clause */
/* Each part of a survey is lines of text or, for a table, its bytes. */
#include "probe/app.h"

#include "core/lib/mem.h"
#include "core/lib/bytes.h"
#include "core/lib/siphash.h"
#include "core/modes/survey/survey_room.h"
#include "drivers/iommu.h"

/* ---- ACPI ---- */

#define SIGNATURE_BYTES 4
#define OEM_ID          10 /* ACPI 6.5, table 5.4 */
#define OEM_ID_BYTES    6
#define OEM_TABLE       16
#define OEM_TABLE_BYTES 8

/*
 * Tables that are sent as they are: their layout is public, and has no field that identifies one
 * machine. Others may have a product key (MSDM), a server's addresses (IBFT, NBFT) or serial
 * numbers (NFIT): of these, of the DSDT and of SSDTs only a hash is sent.
 */
static const char sent[][SIGNATURE_BYTES + 1] = {
	"APIC", "FACP", "HPET", "SPCR", "MCFG", "DMAR", "IVRS", "HEST", "PPTT", "SRAT", "SLIT",
	"HMAT", "WSMT", "BERT", "ERST", "EINJ", "WDAT", "WDRT", "TPM2", "GTDT", "IORT", "LPIT",
	"PCCT", "SDEI", "AEST", "MPAM", "AGDI", "RAS2", "DBG2", "RTCT", "PTCT", "CEDT", "VIOT",
};

struct acpi_survey {
	struct survey_parts *parts;
	struct text *list;
};

static bool is_sent(const uint8_t *table)
{
	for (unsigned i = 0; i < sizeof(sent) / sizeof(sent[0]); i++)
		if (!memcmp(sent[i], table, SIGNATURE_BYTES))
			return true;
	return false;
}

static void put_name(struct text *t, const uint8_t *from, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		text_char(t, text_is_plain((char)from[i]) ? (char)from[i] : '_');
}

/*
 * Add a line per table, as "FACP 276 6 ok BOCHS_ BXPC____ sent" or "DSDT 8214 2 ok BOCHS_ BXPC____
 * <hash>".
 */
static void take_table(void *ctx, const uint8_t *table, uint32_t bytes)
{
	struct acpi_survey *s = ctx;
	static const uint8_t key[SIPHASH_KEY_BYTES] = { 0 };
	uint8_t hash[SIPHASH_TAG_BYTES];
	TEXT_DEFINE(name, SIGNATURE_BYTES + 1);

	put_name(&name, table, SIGNATURE_BYTES);
	text_add(s->list, "%s %u %u %s ", name.buf, (unsigned)bytes, table[8],
		 bytes_sum(table, bytes) ? "wrong-checksum" : "ok");
	put_name(s->list, table + OEM_ID, OEM_ID_BYTES);
	text_char(s->list, ' ');
	put_name(s->list, table + OEM_TABLE, OEM_TABLE_BYTES);
	if (is_sent(table)) {
		text_add(s->list, " sent");
		survey_parts_add(s->parts, "acpi", name.buf, table, bytes);
	} else {
		siphash(key, table, bytes, hash);
		text_char(s->list, ' ');
		text_hex(s->list, hash, sizeof(hash));
	}
	text_char(s->list, '\n');
}

static void survey_acpi(struct app *a, struct survey_parts *parts, struct text *t)
{
	const struct acpi_memory memory = machine_memory(&a->machine);
	struct acpi_survey s = { parts, t };
	uint64_t rsdp = machine_rsdp();

	if (rsdp)
		acpi_each_table(&memory, rsdp, take_table, &s);
	survey_parts_text(parts, "acpi", t);
}

/* ---- SMBIOS: into the text's buffer ---- */

static void survey_smbios(struct app *a, struct survey_parts *parts, struct text *t)
{
	const struct smbios_info *smbios = &a->machine.smbios;
	size_t used;

	if (!smbios->table)
		return;
	used = smbios_scrub(smbios->table, smbios->bytes, (uint8_t *)t->buf, t->cap);
	if (used)
		survey_parts_add(parts, "smbios", NULL, t->buf, used);
	text_reset(t);
}

/* ---- Memory ---- */

static bool continues(const struct memory_range *a, const struct memory_range *b, uint64_t end)
{
	return b && b->type == a->type && b->attributes == a->attributes && b->from == end;
}

/*
 * Add a line per range, as "100000 7ffff000 7 f": from, end, type and attributes (UEFI 2.10, 7.2).
 */
static void survey_memory(struct app *a, struct survey_parts *parts, struct text *t)
{
	const struct memory_map *map = &a->machine.map;
	const struct memory_range *r, *next;

	for (size_t n = 0; (r = memory_map_at(map, n)); n++) {
		uint64_t end = r->end;

		while (continues(r, next = memory_map_at(map, n + 1), end)) {
			end = next->end;
			n++;
		}
		text_add(t, "%llx %llx %x %llx\n", (unsigned long long)r->from,
			 (unsigned long long)end, (unsigned)r->type,
			 (unsigned long long)r->attributes);
	}
	survey_parts_text(parts, "memory", t);
}

/* ---- PCI ---- */

#define PCI_SUBSYSTEM 0x2c

/* Add a line per function, as "0000:00:1f.0 8086:2918 060100 02 1af4:1100". */
static void add_function(struct text *t, const struct pci *pci, const struct pci_walk *w)
{
	const struct pci_address *at = &w->at;
	uint32_t id = pci_read32(pci, at, PCI_ID);
	uint32_t subsystem = pci_read32(pci, at, PCI_SUBSYSTEM);
	bool has_subsystem = !(pci_read32(pci, at, PCI_HEADER) >> 16 & 0x7f);

	text_add(t, "%04x:%02x:%02x.%x %04x:%04x %06x %02x", at->segment, at->bus, at->device,
		 at->function, (unsigned)(id & 0xffff), (unsigned)(id >> 16), (unsigned)w->class,
		 pci_read8(pci, at, PCI_CLASS));
	if (has_subsystem)
		text_add(t, " %04x:%04x", (unsigned)(subsystem & 0xffff),
			 (unsigned)(subsystem >> 16));
	text_char(t, '\n');
}

static void survey_pci(struct app *a, struct survey_parts *parts, struct text *t)
{
	const struct acpi_info *acpi = &a->machine.acpi;
	const struct pci *pci = stages_pci(&a->stages);

	for (uint32_t i = 0; i < acpi->ecam_count; i++)
		text_add(t, "ecam %04x %02x-%02x %llx\n", acpi->ecam[i].segment,
			 acpi->ecam[i].first_bus, acpi->ecam[i].last_bus,
			 (unsigned long long)acpi->ecam[i].base);
	text_add(t, "ports %s\n", pci->ports ? "yes" : "no");
	for (struct pci_walk w = { .buses = 0 }; pci_next(pci, &w);)
		add_function(t, pci, &w);
	survey_parts_text(parts, "pci", t);
}

/* ---- IOMMU, chipset ---- */

static void survey_chipset(struct app *a, struct survey_parts *parts, struct text *t)
{
	const struct acpi_info *acpi = &a->machine.acpi;
	const struct chipset *c = &a->stages.chipset;
	struct iommu_states iommus = iommu_look(acpi, a->platform.hz, false);

	for (uint32_t i = 0; i < acpi->iommu_count; i++)
		text_add(t, "iommu %s %llx\n", acpi->iommu[i].amd ? "amd" : "intel",
			 (unsigned long long)acpi->iommu[i].base);
	text_add(t, "iommus-on %u\n", iommus.on);
	text_add(t, "lpc %08x\n", (unsigned)c->lpc_id);
	text_add(t, "name %s\n", c->name);
	text_add(t, "pm %x\nsmi %x\ntco %x\n", c->pm_base, c->smi_base, c->tco_base);
	if (c->rates_known)
		text_add(t, "rates %x\n", (unsigned)c->rates);
	survey_parts_text(parts, "chipset", t);
}

/* ---- Clocks ---- */

static void survey_timers(struct app *a, struct survey_parts *parts, struct text *t)
{
	static const char *const kinds[TSC_RATE_KINDS] = { "exact", "measured", "nominal",
							   "coarse" };
	const struct machine *m = &a->machine;

	for (unsigned i = 0; i < m->sources; i++)
		text_add(t, "rate %s %llu %s\n", m->source[i].name,
			 (unsigned long long)m->source[i].hz, kinds[m->source[i].kind]);
	text_add(t, "chosen %s %llu\n", m->clock.source, (unsigned long long)m->clock.hz);
	for (unsigned i = 0; i < a->platform.clocks; i++)
		text_add(t, "clock %s %llu %u\n", a->platform.clock[i].name,
			 (unsigned long long)a->platform.clock[i].hz, a->platform.clock[i].bits);
	text_add(t, "hpet %llx\npm-timer %llx\n", (unsigned long long)m->acpi.hpet_address,
		 (unsigned long long)m->acpi.pm_timer.address);
	survey_parts_text(parts, "timers", t);
}

void app_survey(void *ctx, struct survey_parts *parts, struct text *t)
{
	survey_acpi(ctx, parts, t);
	survey_smbios(ctx, parts, t);
	survey_memory(ctx, parts, t);
	survey_pci(ctx, parts, t);
	survey_chipset(ctx, parts, t);
	survey_timers(ctx, parts, t);
}
