/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the list of tables by the RSDP, and each table by the list. The header of a table is
 * checked here, its contents by its parser.
 */
#include "acpi.h"

#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

/* RSDP, ACPI 6.5 section 5.2.5.3. Its first RSDP_V1_BYTES, of ACPI 1.0, have their own checksum. */
#define RSDP_REVISION  15
#define RSDP_RSDT      16
#define RSDP_V1_BYTES  20
#define RSDP_LENGTH    20
#define RSDP_XSDT      24
#define RSDP_V2_BYTES  36
#define RSDP_BYTES_MAX 1024

/* Most address bits of a processor (SDM vol. 3, 4.1.4); page table entries with more bits fault. */
#define PHYSICAL_BITS_MAX 52

#define COMPLAINT_BYTES 256

/* IA-PC HPET 1.0a, section 3.2.4. */
#define HPET_BASE 40

#define OEM          10u /* OEM ID, 6 bytes; OEM Table ID, 8; OEM Revision, 4 */
#define OEM_BYTES    14u
#define OEM_REVISION 24u

/* HiSilicon's Hip05, Hip06 and Hip07 (TaiShan 2280, D05), of revision 0. */
static const char makers[][OEM_BYTES + 1] = {
	"HISI  HIP05   ",
	"HISI  HIP06   ",
	"HISI  HIP07   ",
};

static void parse_hpet(struct acpi_reader *r, const struct acpi_table *t)
{
	struct acpi_gas gas = acpi_gas_at(t, HPET_BASE);

	/* The HPET's registers are 64 bits wide. */
	if (gas.space != ACPI_SPACE_MEMORY || !acpi_gas_usable(&gas) || gas.address % 8) {
		acpi_complain_registers(r, t, &gas);
		return;
	}
	r->info->hpet_address = gas.address;
}

/* The OEM fields of the GTDT show errata of the system counter. Source: Linux, arm_arch_timer.c. */
static void parse_gtdt(struct acpi_reader *r, const struct acpi_table *t)
{
	if (bytes_le32(t->bytes + OEM_REVISION) != 0)
		return;
	for (size_t n = 0; n < sizeof(makers) / sizeof(makers[0]); n++)
		if (memcmp(t->bytes + OEM, makers[n], OEM_BYTES) == 0)
			acpi_complain_counter(r, t->name, "161010101 of HiSilicon");
}

/* Tables of many cores, which are searched when needed. */
static void keep_pptt(struct acpi_reader *r, const struct acpi_table *t)
{
	r->info->pptt = *t;
}

static void keep_srat(struct acpi_reader *r, const struct acpi_table *t)
{
	r->info->srat = *t;
}

/*
 * The tables that are read. Of these, only HPET may occur several times, once per timer block.
 *
 * The MADT is used in spite of a wrong checksum. Linux on x86-64 does not verify the checksums of
 * early tables, so such firmware ships unnoticed. Without the MADT all cores but one would go
 * unmeasured, and a wrong entry costs no more than a core that does not answer. A FADT with a wrong
 * checksum is not used: its ports are written to, and writing to a wrong one may do anything.
 */
static const struct table_kind {
	const char *signature;
	uint32_t min_bytes; /* entries follow */
	uint8_t length_at;  /* struct acpi_table's */
	bool despite_checksum;
	bool several;
	void (*parse)(struct acpi_reader *r, const struct acpi_table *t);
} kinds[] = {
	{ "APIC", 44, 1, true, false, acpi_parse_madt },
	{ "FACP", 116, 0, false, false, acpi_parse_fadt },
	{ "HPET", 56, 0, false, true, parse_hpet },
	{ "SPCR", 80, 0, false, false, acpi_parse_spcr },
	{ "MCFG", 44, 0, false, false, acpi_parse_mcfg },
	{ "DMAR", 48, 2, false, false, acpi_parse_iommus },
	{ "IVRS", 48, 2, false, false, acpi_parse_iommus },
	{ "GTDT", 36, 0, false, false, parse_gtdt },
	{ "TPM2", 52, 0, false, false, acpi_parse_tpm2 },
	{ "PPTT", 36, 1, false, false, keep_pptt },
	{ "SRAT", 48, 1, false, false, keep_srat },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* RSDT or XSDT: addresses of tables, `width` bytes each. */
struct table_list {
	struct acpi_table table;
	uint64_t address;
	uint32_t width;
	uint32_t count;
};

void acpi_complain_of(struct acpi_reader *r, const char *format, ...)
{
	TEXT_DEFINE(text, COMPLAINT_BYTES);
	va_list args;

	if (r->complaints == ACPI_COMPLAINTS_MAX)
		return;
	if (++r->complaints == ACPI_COMPLAINTS_MAX) {
		text_add(&text, "ACPI tables: too many defects, the rest is not reported");
	} else {
		va_start(args, format);
		text_vadd(&text, format, args);
		va_end(args);
	}
	r->complain(r->ctx, text.buf);
}

void acpi_complain_registers(struct acpi_reader *r, const struct acpi_table *t,
			     const struct acpi_gas *gas)
{
	acpi_complain_of(r, "%s: registers in space %u at 0x%llx; not used", t->name, gas->space,
			 (unsigned long long)gas->address);
}

void acpi_complain_counter(struct acpi_reader *r, const char *table, const char *erratum)
{
	acpi_complain_of(r,
			 "%s: erratum %s: the system counter may be read wrong, which looks like a "
			 "gap or a clock that was set back",
			 table, erratum);
}

/* The length of the entry at `at`, whose type is in front of it. */
static uint32_t entry_bytes(const struct acpi_table *t, uint32_t at)
{
	return t->length_at == 1 ? t->bytes[at + 1] : bytes_le16(t->bytes + at + 2);
}

void acpi_check_entries(struct acpi_reader *r, struct acpi_table *t, uint32_t first,
			uint8_t length_at)
{
	uint32_t at = first, least = 2u * length_at, bytes, left;

	t->length_at = length_at;
	for (; length_at && at < t->length; at += bytes) {
		left = t->length - at;
		bytes = left < least ? 0 : entry_bytes(t, at);
		if (bytes >= least && bytes <= left)
			continue;
		acpi_complain_of(r,
				 "%s: entry at offset %u has length %u with %u bytes left; "
				 "this and the following entries are ignored",
				 t->name, at, bytes, left);
		t->length = at;
		return;
	}
}

const uint8_t *acpi_next_entry(const struct acpi_table *t, uint32_t *at)
{
	uint32_t here = *at;

	if (here >= t->length)
		return NULL;
	*at += entry_bytes(t, here);
	return t->bytes + here;
}

const void *acpi_memory_map(const struct acpi_memory *memory, uint64_t address, uint32_t bytes)
{
	if (address == 0 || address > UINT64_MAX - bytes)
		return NULL;
	return memory->map(memory->ctx, address, bytes);
}

struct acpi_gas acpi_gas_at(const struct acpi_table *t, uint32_t offset)
{
	const uint8_t *b = t->bytes + offset;

	return (struct acpi_gas){
		.space = b[0],
		.bit_width = b[1],
		.access = b[3],
		.address = bytes_le64(b + 4),
	};
}

bool acpi_is_physical(uint64_t address)
{
	return address >> PHYSICAL_BITS_MAX == 0;
}

bool acpi_gas_usable(const struct acpi_gas *gas)
{
	if (gas->address == 0)
		return false;
	if (gas->space == ACPI_SPACE_IO)
		return gas->address < ACPI_IO_END;
	return gas->space == ACPI_SPACE_MEMORY && acpi_is_physical(gas->address);
}

bool acpi_map_table(struct acpi_reader *r, const char *name, uint64_t address, struct acpi_table *t)
{
	const uint8_t *header = acpi_memory_map(r->memory, address, ACPI_HEADER_BYTES);

	if (!header) {
		acpi_complain_of(r, "%s at 0x%llx is not in memory; not used", name,
				 (unsigned long long)address);
		return false;
	}

	t->name = name;
	t->length = bytes_le32(header + ACPI_HEADER_LENGTH);
	if (t->length < ACPI_HEADER_BYTES || t->length > ACPI_TABLE_BYTES_MAX) {
		acpi_complain_of(r, "%s at 0x%llx has length %u, valid are %u to %u; not used",
				 name, (unsigned long long)address, t->length, ACPI_HEADER_BYTES,
				 ACPI_TABLE_BYTES_MAX);
		return false;
	}

	t->bytes = acpi_memory_map(r->memory, address, t->length);
	if (!t->bytes) {
		acpi_complain_of(r, "%s at 0x%llx of length %u extends beyond memory; not used",
				 name, (unsigned long long)address, t->length);
		return false;
	}
	return true;
}

static bool read_list(struct acpi_reader *r, const char *name, uint32_t width, uint64_t address,
		      struct table_list *list)
{
	struct acpi_table *t = &list->table;
	const char *problem = NULL;

	if (!acpi_map_table(r, name, address, t))
		return false;
	list->address = address;
	list->width = width;
	list->count = (t->length - ACPI_HEADER_BYTES) / width;
	if (memcmp(t->bytes, name, 4) != 0)
		problem = "has another signature";
	else if (bytes_sum(t->bytes, t->length) != 0)
		problem = "has a wrong checksum";
	else if (list->count == 0)
		problem = "lists no tables";
	if (problem) {
		acpi_complain_of(r, "%s at 0x%llx %s; not used", name, (unsigned long long)address,
				 problem);
		return false;
	}
	if (list->count > ACPI_TABLES_MAX) {
		acpi_complain_of(r, "%s lists %u tables; the first %u are read", name, list->count,
				 ACPI_TABLES_MAX);
		list->count = ACPI_TABLES_MAX;
	}
	return true;
}

static uint64_t list_entry(const struct table_list *list, uint32_t n)
{
	const uint8_t *b = list->table.bytes + ACPI_HEADER_BYTES + n * list->width;

	return list->width == 8 ? bytes_le64(b) : bytes_le32(b);
}

/* The XSDT's address in an RSDP of revision 2 or later. 0: it is invalid, which is reported. */
static uint64_t read_xsdt_address(struct acpi_reader *r, uint64_t rsdp)
{
	const uint8_t *b = acpi_memory_map(r->memory, rsdp, RSDP_V2_BYTES);
	uint32_t length = b ? bytes_le32(b + RSDP_LENGTH) : 0;

	if (length < RSDP_V2_BYTES || length > RSDP_BYTES_MAX) {
		acpi_complain_of(r, "RSDP has length %u, valid are %u to %u; its RSDT is used",
				 length, RSDP_V2_BYTES, RSDP_BYTES_MAX);
		return 0;
	}
	b = acpi_memory_map(r->memory, rsdp, length);
	if (!b || bytes_sum(b, length) != 0) {
		acpi_complain_of(r, "RSDP has a wrong extended checksum; its RSDT is used");
		return 0;
	}
	if (bytes_le64(b + RSDP_XSDT) == 0)
		acpi_complain_of(r, "RSDP has no XSDT; its RSDT is used");
	return bytes_le64(b + RSDP_XSDT);
}

/* Find the list of tables: the XSDT, or the RSDT if there is no sound XSDT. */
static bool find_list(struct acpi_reader *r, uint64_t rsdp, struct table_list *list)
{
	const uint8_t *b = acpi_memory_map(r->memory, rsdp, RSDP_V1_BYTES);
	const char *problem = NULL;

	if (!b)
		problem = "is not in memory";
	else if (memcmp(b, "RSD PTR ", 8) != 0)
		problem = "has another signature";
	else if (bytes_sum(b, RSDP_V1_BYTES) != 0)
		problem = "has a wrong checksum";
	if (problem) {
		acpi_complain_of(r, "RSDP at 0x%llx %s; no ACPI table is used",
				 (unsigned long long)rsdp, problem);
		return false;
	}

	uint64_t rsdt = bytes_le32(b + RSDP_RSDT);
	uint64_t xsdt = b[RSDP_REVISION] >= 2 ? read_xsdt_address(r, rsdp) : 0;

	return (xsdt && read_list(r, "XSDT", 8, xsdt, list)) || read_list(r, "RSDT", 4, rsdt, list);
}

/* False if an earlier entry has named the table, or if it is the list itself: a loop. */
static bool is_new(struct acpi_reader *r, const struct table_list *list, uint32_t n)
{
	uint64_t address = list_entry(list, n);
	bool known = address == list->address;

	for (uint32_t i = 0; i < n && !known; i++)
		known = list_entry(list, i) == address;
	if (known)
		acpi_complain_of(r, "%s entry %u repeats 0x%llx; ignored", list->table.name, n,
				 (unsigned long long)address);
	return !known;
}

/* The kind of the table that entry `n` names; NULL: it is not one that is read. */
static const struct table_kind *kind_of(struct acpi_reader *r, const struct table_list *list,
					uint32_t n)
{
	const uint8_t *signature = acpi_memory_map(r->memory, list_entry(list, n),
						   ACPI_HEADER_BYTES);

	if (!signature) {
		acpi_complain_of(r, "%s entry %u, 0x%llx, is not in memory; ignored",
				 list->table.name, n, (unsigned long long)list_entry(list, n));
		return NULL;
	}
	for (size_t i = 0; i < KINDS; i++) {
		if (memcmp(kinds[i].signature, signature, 4) == 0)
			return &kinds[i];
	}
	return NULL;
}

/* True if the table can be given to its parser. */
static bool is_sound(struct acpi_reader *r, const struct table_kind *kind,
		     const struct acpi_table *t)
{
	if (t->length < kind->min_bytes) {
		acpi_complain_of(r, "%s has length %u, at least %u required; not used", t->name,
				 t->length, kind->min_bytes);
		return false;
	}
	if (bytes_sum(t->bytes, t->length) == 0)
		return true;
	acpi_complain_of(r, "%s has a wrong checksum; %s", t->name,
			 kind->despite_checksum ? "used anyway" : "not used");
	return kind->despite_checksum;
}

static void read_entries(struct acpi_reader *r, const struct table_list *list)
{
	bool done[KINDS] = { false };

	for (uint32_t n = 0; n < list->count; n++) {
		const struct table_kind *kind = is_new(r, list, n) ? kind_of(r, list, n) : NULL;
		struct acpi_table t;

		if (!kind)
			continue;
		if (done[kind - kinds]) {
			if (!kind->several)
				acpi_complain_of(r, "%s at 0x%llx is a second one; ignored",
						 kind->signature,
						 (unsigned long long)list_entry(list, n));
			continue;
		}
		if (acpi_map_table(r, kind->signature, list_entry(list, n), &t) &&
		    is_sound(r, kind, &t)) {
			acpi_check_entries(r, &t, kind->min_bytes, kind->length_at);
			kind->parse(r, &t);
			done[kind - kinds] = true;
		}
	}
}

/* An acpi_complaint that ignores complaints, because they were reported before. */
static void keep_quiet(void *ctx, const char *text)
{
	(void)ctx, (void)text;
}

void acpi_each_table(const struct acpi_memory *memory, uint64_t rsdp, acpi_visit *visit, void *ctx)
{
	struct acpi_reader r = { NULL, memory, keep_quiet, NULL, 0 };
	struct table_list list;
	struct acpi_table t;

	if (!find_list(&r, rsdp, &list))
		return;
	for (uint32_t n = 0; n < list.count; n++) {
		if (!is_new(&r, &list, n) || !acpi_map_table(&r, "", list_entry(&list, n), &t))
			continue;
		visit(ctx, t.bytes, t.length);
		if (!memcmp(t.bytes, "FACP", 4) && acpi_map_table(&r, "", acpi_fadt_dsdt(&t), &t))
			visit(ctx, t.bytes, t.length);
	}
}

const struct acpi_cpu *acpi_find_cpu(const struct acpi_info *info, uint32_t apic_id)
{
	for (uint32_t i = 0; i < info->cpu_count; i++)
		if (info->cpu[i].apic_id == apic_id)
			return &info->cpu[i];
	return NULL;
}

bool acpi_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp,
	       acpi_complaint *complain, void *ctx)
{
	struct acpi_reader r = { info, memory, complain, ctx, 0 };
	struct table_list list;

	memset(info, 0, sizeof(*info));
	if (!find_list(&r, rsdp, &list))
		return false;
	read_entries(&r, &list);
	acpi_read_aml(info, memory, rsdp);
	return true;
}
