/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI tables, built byte by byte from the specification: sound, broken and lying tables. */
#include "core/firmware/acpi.h"
#include "core/lib/text.h"
#include "tests/unit/described.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 36
#define LENGTH_AT    4
#define REVISION_AT  8
#define CHECKSUM_AT  9

#define NOWHERE UINT64_C(0x7fffffff0000)

static struct acpi_info info;

/* The tables of the machine under test, which tests change. */
static struct {
	uint64_t rsdp, rsdt, xsdt, madt, fadt, hpet, spcr, tpm;
} at;

static bool read_from(uint64_t rsdp)
{
	struct acpi_memory m = physical_memory(&memory);

	reported.count = 0;
	memset(&info, 0x5a, sizeof(info));
	return acpi_read(&info, &m, rsdp, complain, &reported);
}

static bool read_all(void)
{
	return read_from(at.rsdp);
}

static void complains(const char *what)
{
	assert_true(read_all());
	reported_assert_one(&reported, what);
}

static void is_silent(void)
{
	assert_true(read_all());
	reported_assert_none(&reported);
}

static void sum_table(uint64_t table)
{
	uint32_t bytes;

	memcpy(&bytes, physical_at(&memory, table + LENGTH_AT), 4);
	physical_sum(&memory, table, bytes, CHECKSUM_AT);
}

static uint64_t add_table(const char *signature, uint8_t revision, uint32_t bytes)
{
	uint64_t table = physical_alloc(&memory, bytes);

	memcpy(physical_at(&memory, table), signature, 4);
	physical_put(&memory, table + LENGTH_AT, 4, bytes);
	physical_put(&memory, table + REVISION_AT, 1, revision);
	sum_table(table);
	return table;
}

static void put(uint64_t table, uint32_t offset, unsigned bytes, uint64_t value)
{
	physical_put(&memory, table + offset, bytes, value);
	sum_table(table);
}

static void put_gas(uint64_t table, uint32_t offset, uint8_t space, uint8_t width, uint64_t address)
{
	put(table, offset, 1, space);
	put(table, offset + 1, 1, width);
	put(table, offset + 4, 8, address);
}

/* Change the length in a table's header; its memory stays as it is. */
static void set_length(uint64_t table, uint32_t bytes)
{
	physical_put(&memory, table + LENGTH_AT, 4, bytes);
	if (bytes > CHECKSUM_AT && bytes < 4096)
		sum_table(table);
}

static void break_checksum(uint64_t table)
{
	*physical_at(&memory, table + CHECKSUM_AT) ^= 0x10;
}

static uint64_t add_rsdp(uint8_t revision, uint64_t rsdt, uint64_t xsdt)
{
	uint64_t rsdp = physical_alloc(&memory, 36);

	memcpy(physical_at(&memory, rsdp), "RSD PTR ", 8);
	physical_put(&memory, rsdp + 15, 1, revision);
	physical_put(&memory, rsdp + 16, 4, rsdt);
	physical_sum(&memory, rsdp, 20, 8);
	if (revision >= 2) {
		physical_put(&memory, rsdp + 20, 4, 36);
		physical_put(&memory, rsdp + 24, 8, xsdt);
		physical_sum(&memory, rsdp, 36, 32);
	}
	return rsdp;
}

static uint64_t add_list(const char *signature, unsigned width, const uint64_t *tables,
			 uint32_t count)
{
	uint64_t list = add_table(signature, 1, HEADER_BYTES + width * count);

	for (uint32_t i = 0; i < count; i++)
		physical_put(&memory, list + HEADER_BYTES + width * i, width, tables[i]);
	sum_table(list);
	return list;
}

/* Add a MADT with these entries after its fixed part. */
static uint64_t add_madt(const uint8_t *entries, uint32_t bytes)
{
	uint64_t madt = add_table("APIC", 5, 44 + bytes);

	memcpy(physical_at(&memory, madt + 44), entries, bytes);
	put(madt, 36, 4, 0xfee00000);
	return madt;
}

/* Two cores, an I/O APIC, LINT1 as NMI for all. */
static const uint8_t two_cores[] = {
	0, 8,  0,    0, 1, 0, 0,    0,                /* core: uid 0, id 0 */
	0, 8,  1,    6, 1, 0, 0,    0,                /* core: uid 1, id 6 */
	1, 12, 0,    0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0, /* I/O APIC */
	4, 6,  0xff, 0, 0, 1,                         /* NMI on all, LINT1 */
};

static void fill_fadt(uint64_t fadt)
{
	put(fadt, 46, 2, 9);
	put(fadt, 48, 4, 0xb2);
	put(fadt, 52, 1, 0xa0);
	put(fadt, 53, 1, 0xa1);
	put(fadt, 56, 4, 0x600);
	put(fadt, 64, 4, 0x604);
	put(fadt, 76, 4, 0x608);
	put(fadt, 88, 1, 4);
	put(fadt, 89, 1, 2);
	put(fadt, 91, 1, 4);
	put(fadt, 112, 4, 1u << 8);
}

/* Use these tables; both lists name them all. */
static void list_tables(const uint64_t *tables, uint32_t count)
{
	at.rsdt = add_list("RSDT", 4, tables, count);
	at.xsdt = add_list("XSDT", 8, tables, count);
	at.rsdp = add_rsdp(2, at.rsdt, at.xsdt);
}

static void list_one(uint64_t table)
{
	list_tables(&table, 1);
}

/* A MADT of these entries alone. */
static void use_madt(const uint8_t *entries, uint32_t bytes)
{
	at.madt = add_madt(entries, bytes);
	list_one(at.madt);
}

static void setup(void)
{
	empty_memory();
	physical_alloc(&memory, 64);
	at.madt = add_madt(two_cores, sizeof(two_cores));
	at.fadt = add_table("FACP", 3, 244);
	fill_fadt(at.fadt);
	at.hpet = add_table("HPET", 1, 56);
	put_gas(at.hpet, 40, 0, 64, 0xfed00000);
	at.spcr = add_table("SPCR", 2, 80);
	put_gas(at.spcr, 40, 1, 8, 0x3f8);
	at.tpm = add_table("TPM2", 4, 76);
	list_tables((uint64_t[]){ at.fadt, add_table("SSDT", 2, 40), at.madt, at.hpet, at.spcr },
		    5);
}

static void assert_whole_machine(void)
{
	assert_int_equal(info.cpu_count, 2);
	assert_int_equal(info.cpu[0].apic_id, 0);
	assert_int_equal(info.cpu[1].apic_id, 6);
	assert_int_equal(info.cpu[1].uid, 1);
	assert_int_equal(info.nmi_count, 1);
	assert_true(info.nmi[0].all_cpus);
	assert_int_equal(info.nmi[0].lint, 1);
	assert_true(info.has_fadt);
	assert_int_equal(info.pm_timer.address, 0x608);
	assert_int_equal(info.hpet_address, 0xfed00000);
	assert_int_equal(info.serial.kind, SERIAL_PORT_16550);
	assert_int_equal(info.serial.base, 0x3f8);
}

static void assert_info_zero(void)
{
	static const struct acpi_info zero;

	assert_memory_equal(&info, &zero, sizeof(zero));
}

TEST_F(setup, empty_memory, test_revision_0_uses_the_rsdt)
{
	/* An RSDP of revision 0 has no pointer to an XSDT: those bytes are ignored. */
	at.rsdp = add_rsdp(0, at.rsdt, 0);
	physical_put(&memory, at.rsdp + 24, 8, NOWHERE);
	is_silent();
	assert_whole_machine();
}

TEST_F(setup, empty_memory, test_rsdp_that_cannot_be_believed)
{
	assert_false(read_from(0));
	reported_assert_one(&reported, "RSDP at 0x0 is not in memory; no ACPI table is used");
	assert_info_zero();

	assert_false(read_from(NOWHERE));
	reported_assert_one(&reported, "is not in memory");
	assert_false(read_from(UINT64_MAX - 3));
	reported_assert_one(&reported, "is not in memory");

	assert_false(read_from(at.madt));
	reported_assert_one(&reported, "has another signature");

	*physical_at(&memory, at.rsdp + 8) ^= 1;
	assert_false(read_all());
	reported_assert_one(&reported, "RSDP at 0x");
	assert_true(reported_has(&reported, "has a wrong checksum"));
	assert_info_zero();
}

TEST_F(setup, empty_memory, test_rsdp_with_a_bad_second_half_uses_the_rsdt)
{
	static const uint32_t lengths[] = { 0, 35, 1025, UINT32_MAX };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		physical_put(&memory, at.rsdp + 20, 4, lengths[i]);
		complains("RSDP has length");
		assert_whole_machine();
	}

	physical_put(&memory, at.rsdp + 20, 4, 36);
	*physical_at(&memory, at.rsdp + 32) ^= 1;
	complains("RSDP has a wrong extended checksum; its RSDT is used");
	assert_whole_machine();

	at.rsdp = add_rsdp(2, at.rsdt, 0);
	complains("RSDP has no XSDT");
	assert_whole_machine();
}

/* Memory ends after the RSDP's first part, which is that of ACPI 1.0. */
TEST_F(setup, empty_memory, test_rsdp_cut_off)
{
	memory.used = (uint32_t)(at.rsdp - PHYSICAL_BASE) + 35;
	complains("RSDP has length 0");
	assert_whole_machine();
	memory.used = (uint32_t)(at.rsdp - PHYSICAL_BASE) + 19;
	assert_false(read_all());
	reported_assert_one(&reported, "is not in memory");
}

TEST_F(setup, empty_memory, test_bad_xsdt_falls_back)
{
	break_checksum(at.xsdt);
	complains("XSDT at 0x");
	assert_true(reported_has(&reported, "has a wrong checksum; not used"));
	assert_whole_machine();

	set_length(at.xsdt, 35);
	complains("has length 35, valid are 36 to 1048576; not used");

	set_length(at.xsdt, ACPI_TABLE_BYTES_MAX + 1);
	complains("has length 1048577");

	set_length(at.xsdt, ACPI_TABLE_BYTES_MAX);
	complains("of length 1048576 extends beyond memory");

	set_length(at.xsdt, HEADER_BYTES + 7);
	complains("lists no tables");
	assert_whole_machine();

	at.rsdp = add_rsdp(2, at.rsdt, at.rsdt);
	complains("has another signature");

	at.rsdp = add_rsdp(2, at.rsdt, NOWHERE);
	complains("is not in memory");
	assert_whole_machine();
}

TEST_F(setup, empty_memory, test_no_list_at_all)
{
	break_checksum(at.xsdt);
	break_checksum(at.rsdt);
	assert_false(read_all());
	assert_int_equal(reported.count, 2);
	assert_true(reported_has(&reported, "XSDT at") && reported_has(&reported, "RSDT at"));
	assert_info_zero();

	at.rsdp = add_rsdp(0, 0, 0);
	assert_false(read_all());
	reported_assert_one(&reported, "RSDT at 0x0 is not in memory");
	assert_info_zero();
}

/* An XSDT with entries that lead back to itself, to the RSDT and to the RSDP. */
TEST_F(setup, empty_memory, test_loops_end)
{
	uint64_t xsdt = add_list("XSDT", 8, (uint64_t[]){ 1, 2, at.madt, 3 }, 4);

	put(xsdt, HEADER_BYTES, 8, xsdt);
	put(xsdt, HEADER_BYTES + 8, 8, at.rsdt);
	put(xsdt, HEADER_BYTES + 24, 8, at.rsdp);
	at.rsdp = add_rsdp(2, at.rsdt, xsdt);
	complains("XSDT entry 0 repeats 0x");
	assert_int_equal(info.cpu_count, 2);
}

TEST_F(setup, empty_memory, test_repeated_tables)
{
	static const uint8_t other[] = { 0, 8, 0, 9, 1, 0, 0, 0 };

	list_tables((uint64_t[]){ at.madt, at.fadt, at.madt, at.fadt }, 4);
	assert_true(read_all());
	assert_int_equal(reported.count, 2);
	assert_true(reported_has(&reported, "XSDT entry 2") &&
		    reported_has(&reported, "XSDT entry 3"));

	list_tables((uint64_t[]){ at.madt, add_madt(other, sizeof(other)) }, 2);
	complains("APIC at 0x");
	assert_true(reported_has(&reported, "is a second one; ignored"));
	assert_int_equal(info.cpu_count, 2);
}

/* A second table is no defect if the first was not usable, or if it is an HPET. */
TEST_F(setup, empty_memory, test_second_table_counts_when_the_first_is_bad)
{
	uint64_t bad = add_table("FACP", 3, 244), second_hpet = add_table("HPET", 1, 56);

	break_checksum(bad);
	list_tables((uint64_t[]){ bad, at.fadt, at.hpet, second_hpet }, 4);
	complains("FACP has a wrong checksum; not used");
	assert_int_equal(info.pm_timer.address, 0x608);
	assert_int_equal(info.hpet_address, 0xfed00000);
}

TEST_F(setup, empty_memory, test_entries_that_lead_nowhere)
{
	list_tables((uint64_t[]){ 0, NOWHERE, at.madt, PHYSICAL_BASE + memory.used - 1 }, 4);
	memory.used += 16;
	at.xsdt = add_list("XSDT", 8, (uint64_t[]){ 0, NOWHERE, at.madt, UINT64_MAX }, 4);
	at.rsdp = add_rsdp(2, at.rsdt, at.xsdt);
	assert_true(read_all());
	assert_int_equal(reported.count, 3);
	assert_true(reported_has(&reported, "XSDT entry 0, 0x0, is not in memory; ignored"));
	assert_true(reported_has(&reported, "XSDT entry 1, 0x7fffffff0000, is not in memory"));
	assert_true(reported_has(&reported, "XSDT entry 3, 0xffffffffffffffff, is not in memory"));
	assert_int_equal(info.cpu_count, 2);
}

TEST_F(setup, empty_memory, test_too_many_tables)
{
	uint64_t tables[ACPI_TABLES_MAX + 1];

	for (uint32_t i = 0; i < ACPI_TABLES_MAX; i++)
		tables[i] = add_table("SSDT", 2, 36);
	tables[ACPI_TABLES_MAX] = at.madt;
	list_tables(tables, ACPI_TABLES_MAX + 1);
	complains("XSDT lists 257 tables; the first 256 are read");
	assert_int_equal(info.cpu_count, 0);

	tables[ACPI_TABLES_MAX - 1] = at.madt;
	list_tables(tables, ACPI_TABLES_MAX);
	is_silent();
	assert_int_equal(info.cpu_count, 2);
}

TEST_F(setup, empty_memory, test_complaints_are_bounded)
{
	uint64_t tables[ACPI_TABLES_MAX];

	for (uint32_t i = 0; i < ACPI_TABLES_MAX; i++)
		tables[i] = NOWHERE + i;
	at.xsdt = add_list("XSDT", 8, tables, ACPI_TABLES_MAX);
	at.rsdp = add_rsdp(2, at.rsdt, at.xsdt);
	assert_true(read_all());
	assert_int_equal(reported.count, ACPI_COMPLAINTS_MAX);
	assert_non_null(
		strstr(reported.at[ACPI_COMPLAINTS_MAX - 1].text, "the rest is not reported"));
	assert_null(strstr(reported.at[ACPI_COMPLAINTS_MAX - 2].text, "the rest is not reported"));
}

TEST_F(setup, empty_memory, test_wrong_checksums)
{
	break_checksum(at.madt);
	complains("APIC has a wrong checksum; used anyway");
	assert_whole_machine();

	break_checksum(at.madt);
	break_checksum(at.fadt);
	break_checksum(at.hpet);
	break_checksum(at.spcr);
	assert_true(read_all());
	assert_int_equal(reported.count, 3);
	assert_true(reported_has(&reported, "FACP has a wrong checksum; not used"));
	assert_true(reported_has(&reported, "HPET has a wrong checksum; not used"));
	assert_true(reported_has(&reported, "SPCR has a wrong checksum; not used"));
	assert_int_equal(info.cpu_count, 2);
	assert_false(info.has_fadt || info.serial.kind || info.hpet_address || info.smi_cmd);
}

TEST_F(setup, empty_memory, test_tables_too_short)
{
	set_length(at.madt, 43);
	set_length(at.fadt, 115);
	set_length(at.hpet, 55);
	set_length(at.spcr, 79);
	assert_true(read_all());
	assert_int_equal(reported.count, 4);
	assert_true(reported_has(&reported, "APIC has length 43, at least 44 required; not used"));
	assert_true(
		reported_has(&reported, "FACP has length 115, at least 116 required; not used"));
	assert_true(reported_has(&reported, "HPET has length 55, at least 56 required; not used"));
	assert_true(reported_has(&reported, "SPCR has length 79, at least 80 required; not used"));
	assert_info_zero();

	set_length(at.madt, UINT32_MAX);
	assert_true(read_all());
	assert_true(reported_has(&reported, "APIC at 0x"));
	assert_true(reported_has(&reported, "has length 4294967295, valid are 36 to"));
}

static void assert_cores(const uint32_t *ids, uint32_t count)
{
	assert_int_equal(info.cpu_count, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(info.cpu[i].apic_id, ids[i]);
}

/* clang-format off */
/* MADTs by their entries, which begin with type and length, and the cores and NMIs in them. */
static const struct madt_case {
	const char *complaint; /* NULL: none */
	uint32_t count, id[3], uid[3];
	uint32_t nmis;
	struct acpi_nmi nmi[4];
	uint32_t bytes;
	uint8_t entries[80];
} madt_cases[] = {
	/* Enabled cores only. */
	{ NULL, 2, { 4, 0x12345678 }, { 7, 0x11223344 }, 0, { { 0 } }, 80, {
		0, 8, 7, 2, 0, 0, 0, 0, /* disabled */
		0, 8, 7, 3, 2, 0, 0, 0, /* online capable */
		0, 8, 7, 4, 3, 0, 0, 0, /* both */
		0, 8, 7, 0xff, 0, 0, 0, 0, /* unused slot */
		9, 16, 0, 0, 0x00, 1, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, /* disabled */
		9, 16, 0, 0, 0x01, 1, 0, 0, 2, 0, 0, 0, 9, 9, 9, 9, /* online capable */
		9, 16, 0, 0, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 0x44, 0x33, 0x22, 0x11 } },
	{ "APIC: entries ignored since they repeat an APIC id: 2",
	  3, { 0, 1, 256 }, { 0, 1, 2 }, 0, { { 0 } }, 64, {
		0, 8, 0, 0, 1, 0, 0, 0,
		0, 8, 1, 1, 1, 0, 0, 0,
		9, 16, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, /* id 1 repeated */
		9, 16, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, /* id 256 */
		0, 8, 3, 0, 1, 0, 0, 0, /* id 0 repeated */
		0, 8, 3, 0, 0, 0, 0, 0 } }, /* disabled, which is no defect */
	/* Ids that mean no core; 255 is a valid x2APIC id. */
	{ "APIC: entries ignored since they enable a core with an invalid APIC id: 2",
	  2, { 255, 254 }, { 0, 0 }, 0, { { 0 } }, 48, {
		0, 8, 0, 0xff, 1, 0, 0, 0,
		9, 16, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0,
		9, 16, 0, 0, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
		0, 8, 0, 0xfe, 1, 0, 0, 0 } },
	/*
	 * Entries of types that are not read are skipped, whatever their length. One is the mailbox
	 * of a TDX guest, where its cores wait (ACPI 6.5, 5.2.12.19).
	 */
	{ NULL, 1, { 5 }, { 0 }, 0, { { 0 } }, 39, {
		0x10, 16, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x20, 0x7d, 0, 0, 0, 0,
		0x02, 10, 0, 0, 2, 0, 0, 0, 0, 0,
		0x7f, 2,
		0x80, 3, 0xaa,
		0, 8, 0, 5, 1, 0, 0, 0 } },
	{ "APIC: no enabled core; only the boot core is used",
	  0, { 0 }, { 0 }, 0, { { 0 } }, 0, { 0 } },
	/* NMIs of all cores and of single ones, at any polarity; the last pin does not exist. */
	{ "APIC: entries ignored since they wire an NMI to a LINT pin that is neither 0 nor 1: 1",
	  1, { 0 }, { 0 }, 4,
	  { { true, 0, 1 }, { false, 3, 0 }, { true, 0, 1 }, { false, 0x201, 0 } }, 50, {
		0, 8, 0, 0, 1, 0, 0, 0,
		4, 6, 0xff, 0x05, 0, 1, /* all, high, edge */
		4, 6, 3, 0x0f, 0, 0, /* uid 3, low, level */
		10, 12, 0x0d, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, /* all, high, level */
		10, 12, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0, 0, /* uid 0x201, as the bus */
		4, 6, 1, 0, 0, 2 } },
	/* Entries from the memory of a notebook, whose LINT0 belongs to the 8259. */
	{ "APIC: entries ignored since they wire an NMI with reserved bits set: 5",
	  1, { 0 }, { 0 }, 2, { { false, 3, 1 }, { false, 4, 1 } }, 68, {
		0, 8, 0, 0, 1, 0, 0, 0,
		4, 6, 1, 5, 0x10, 0, /* flags bit 12 */
		4, 6, 2, 5, 0x80, 1, /* bit 15 */
		4, 6, 3, 0, 0, 1, /* sound */
		4, 6, 0xff, 0x15, 0, 0, /* bit 4 */
		10, 12, 0x15, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, /* bit 4 */
		10, 12, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0xe7, /* its last byte */
		10, 12, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0 } }, /* sound */
/* A core, and an entry whose length is wrong, of which so many bytes are there. */
#define CORE_AND(complaint, bytes, ...) \
	{ complaint, 1, { 3 }, { 0 }, 0, { { 0 } }, 8 + (bytes), \
	  { 0, 8, 0, 3, 1, 0, 0, 0, __VA_ARGS__ } }
	CORE_AND("entry at offset 52 has length 0 with 8 bytes", 8, 0, 0, 1, 1, 1),
	CORE_AND("entry at offset 52 has length 1 with 8 bytes", 8, 0, 1, 1, 1, 1),
	CORE_AND("entry at offset 52 has length 9 with 8 bytes", 8, 0, 9, 1, 1, 1),
	CORE_AND("has length 255 with 8 bytes left", 8, 0, 255, 1, 1, 1),
	CORE_AND("entry at offset 52 has length 0 with 1 bytes left", 1, 0),
	CORE_AND("entry at offset 52 has length 8 with 2 bytes left", 2, 0, 8),
	CORE_AND("ignored since they are shorter than their type: 1", 7, 0, 7, 1, 1, 1, 0, 0),
	CORE_AND("ignored since they are shorter than their type", 8, 9, 8, 0, 0, 1),
	CORE_AND("ignored since they are shorter than their type", 5, 4, 5, 0xff),
	CORE_AND("ignored since they are shorter than their type", 8, 10, 8),
};
/* clang-format on */

TEST_F(setup, empty_memory, test_madt)
{
	for (size_t i = 0; i < sizeof(madt_cases) / sizeof(madt_cases[0]); i++) {
		const struct madt_case *m = &madt_cases[i];

		setup();
		use_madt(m->entries, m->bytes);
		assert_true(read_all());
		if (m->complaint)
			reported_assert_one(&reported, m->complaint);
		else
			reported_assert_none(&reported);
		assert_cores(m->id, m->count);
		for (uint32_t n = 0; n < m->count; n++)
			assert_int_equal(info.cpu[n].uid, m->uid[n]);
		assert_int_equal(info.nmi_count, m->nmis);
		for (uint32_t n = 0; n < m->nmis; n++) {
			assert_int_equal(info.nmi[n].all_cpus, m->nmi[n].all_cpus);
			assert_int_equal(info.nmi[n].uid, m->nmi[n].uid);
			assert_int_equal(info.nmi[n].lint, m->nmi[n].lint);
		}
	}
}

TEST_F(setup, empty_memory, test_madt_too_many_cores)
{
	uint32_t bytes = 16 * (ACPI_CPUS_MAX + 3);
	uint8_t *entries = calloc(1, bytes);

	assert_non_null(entries);
	for (uint32_t i = 0; i < ACPI_CPUS_MAX + 3; i++) {
		uint8_t *e = entries + 16 * i;

		e[0] = 9;
		e[1] = 16;
		e[4] = (uint8_t)i;
		e[5] = (uint8_t)(i >> 8);
		e[8] = 1;
	}
	use_madt(entries, bytes);
	free(entries);
	complains("APIC: entries ignored since they exceed the maximum number of cores: 3");
	assert_int_equal(info.cpu_count, ACPI_CPUS_MAX);
	assert_int_equal(info.cpu[ACPI_CPUS_MAX - 1].apic_id, ACPI_CPUS_MAX - 1);
	assert_int_equal(info.nmi_count, 0);
}

/* \_S5 as compilers encode it (ACPI 6.5, 20.2), and variants that are not accepted. */
TEST_F(setup, empty_memory, test_s5)
{
	static const struct {
		const char *aml;
		size_t bytes;
		int a, b; /* types; -1: _S5 is not found */
	} rows[] = {
		{ "\x08_S5_\x12\x0a\x04\x0a\x05\x0a\x03\x00\x00", 15, 5, 3 },
		{ "\x08\\_S5_\x12\x06\x04\x00\x01\x00\x00", 13, 0, 1 },
		{ "\x08_S5_\x12\x40\x0c\x04\x0a\x07\x0a\x02\x00\x00", 15, 7, 2 },
		{ "\x5b_S5_\x12\x0a\x04\x0a\x05\x0a\x03\x00\x00", 15, -1, 0 }, /* no name */
		{ "\x08_S4_\x12\x0a\x04\x0a\x05\x0a\x03\x00\x00", 15, -1, 0 },
		{ "\x08_S5_\x14\x0a\x04\x0a\x05\x0a\x03\x00\x00", 15, -1, 0 }, /* a method */
		{ "\x08_S5_\x12\x0a\x04\x0a\x08\x0a\x03\x00\x00", 15, -1, 0 }, /* too large */
		{ "\x08_S5_\x12\x0a\x04\x0b\x05\x01\x00\x00\x00", 15, -1, 0 },
		{ "\x08_S5_\x12\x0a\x04\x68\x05\x0a\x03\x00\x00", 15, -1, 0 },
		{ "\x08_S5_\x12\x0a\x04\x0a", 9, -1, 0 }, /* the end */
		{ "\x08_S5_\x12", 6, -1, 0 },
		{ "\x08_S5_", 5, -1, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t dsdt;

		setup();
		dsdt = add_table("DSDT", 2, (uint32_t)(HEADER_BYTES + 3 + rows[i].bytes));
		memcpy(physical_at(&memory, dsdt + HEADER_BYTES + 3), rows[i].aml, rows[i].bytes);
		sum_table(dsdt);
		put(at.fadt, i % 2 ? 40 : 140, i % 2 ? 4 : 8, dsdt);
		read_all();
		assert_int_equal(info.has_s5, rows[i].a >= 0);
		if (!info.has_s5)
			continue;
		assert_int_equal(info.s5_type[0], rows[i].a);
		assert_int_equal(info.s5_type[1], rows[i].b);
		break_checksum(dsdt);
		read_all();
		assert_false(info.has_s5);
	}
}

#define S5_AT HEADER_BYTES /* _S5 comes first in the table */

static uint64_t add_s5(const char *name, uint8_t type)
{
	static const char aml[] = "\x08_S5_\x12\x0a\x04\x0a\x05\x0a\x03\x00";
	uint64_t table = add_table(name, 2, S5_AT + sizeof(aml));

	memcpy(physical_at(&memory, table + S5_AT), aml, sizeof(aml));
	put(table, S5_AT + 9, 1, type);
	return table;
}

/* Three machines of 599 have _S5 in an SSDT. If the DSDT has it as well, the DSDT's counts. */
TEST_F(setup, empty_memory, test_s5_in_an_ssdt)
{
	uint64_t empty = add_table("SSDT", 2, 40), broken = add_s5("SSDT", 4);
	uint64_t tables[] = { empty, broken, add_s5("SSDT", 6), add_s5("SSDT", 7), at.fadt };

	break_checksum(broken);
	list_tables(tables, 5);
	is_silent();
	assert_true(info.has_s5);
	assert_int_equal(info.s5_type[0], 6);
	assert_int_equal(info.s5_type[1], 3);
	put(at.fadt, 40, 4, add_table("DSDT", 2, 60));
	assert_true(read_all());
	assert_int_equal(info.s5_type[0], 6);
	put(at.fadt, 40, 4, add_s5("DSDT", 5));
	assert_true(read_all());
	assert_int_equal(info.s5_type[0], 5);
}

/* _S5 is not looked for in other tables, nor if it would be of no use. */
TEST_F(setup, empty_memory, test_s5_in_no_ssdt)
{
	uint64_t ssdt = add_s5("SSDT", 6);

	list_tables((uint64_t[]){ at.fadt, at.madt, add_s5("OEM1", 6) }, 3);
	assert_true(read_all());
	assert_false(info.has_s5);
	list_one(ssdt);
	assert_true(read_all());
	assert_false(info.has_s5);
	list_tables((uint64_t[]){ at.fadt, ssdt }, 2);
	put(at.fadt, REVISION_AT, 1, 5);
	put(at.fadt, 112, 4, 1u << 20);
	assert_true(read_all());
	assert_true(info.hw_reduced);
	assert_false(info.has_s5);
	set_length(ssdt, S5_AT - 4);
	put(at.fadt, 112, 4, 0);
	assert_true(read_all());
	assert_false(info.has_s5);
}

/*
 * Rows: a field of the result, the value that it must have, and what is reported, when the only
 * table has this length (0: its own) and these values.
 */
#define FIELD(name) offsetof(struct acpi_info, name), sizeof(((struct acpi_info *)0)->name)

/* clang-format off */
#define REVISION(n)  { REVISION_AT, 1, n }
#define FLAGS(n)     { 112, 4, n }
#define BOOT_ARCH(n) { 109, 2, n }
#define ARM_BOOT(n)  { 129, 2, n }
#define GAS(at, space, width, address) \
	{ at, 1, space }, { (at) + 1, 1, width }, { (at) + 4, 8, address }
/* clang-format on */
#define TIMER   FIELD(pm_timer.address)
#define RESET   GAS(116, ACPI_SPACE_IO, 8, 0xcf9)
#define REDUCED (1u << 20)
#define X_TIMER GAS(208, ACPI_SPACE_MEMORY, 32, UINT64_C(0x1fed80808))
/* Bytes after the table must not be taken for a field. */
#define PAST_IT GAS(208, ACPI_SPACE_IO, 32, 0x9999)

struct field_case {
	size_t field, bytes;
	uint64_t want;
	const char *complaint; /* NULL: none */
	uint32_t length;
	struct {
		uint32_t at, bytes;
		uint64_t value;
	} put[5];
};

static void check_fields(const uint64_t *table, const struct field_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct field_case *c = &cases[i];
		uint64_t got = 0;

		setup();
		list_one(*table);
		if (c->length)
			set_length(*table, c->length);
		for (size_t n = 0; n < 5 && c->put[n].bytes; n++)
			put(*table, c->put[n].at, c->put[n].bytes, c->put[n].value);
		assert_true(read_all());
		if (c->complaint)
			reported_assert_one(&reported, c->complaint);
		else
			reported_assert_none(&reported);
		memcpy(&got, (const char *)&info + c->field, c->bytes);
		if (got != c->want)
			fail_msg("row %zu: 0x%llx", i, (unsigned long long)got);
	}
}

#define CHECK_FIELDS(table, cases) check_fields(table, cases, sizeof(cases) / sizeof(cases[0]))

/* clang-format off */
static const struct field_case fadt_cases[] = {
	/* The shortest one. */
	{ FIELD(has_fadt), true, NULL, 116, { PAST_IT } },
	{ FIELD(smi_cmd), 0xb2, NULL, 116, { PAST_IT } },
	{ FIELD(acpi_enable), 0xa0, NULL, 116, { PAST_IT } },
	{ FIELD(acpi_disable), 0xa1, NULL, 116, { PAST_IT } },
	{ FIELD(pm1a_evt.address), 0x600, NULL, 116, { PAST_IT } },
	{ FIELD(pm1a_evt.space), ACPI_SPACE_IO, NULL, 116, { PAST_IT } },
	{ FIELD(pm1a_cnt.address), 0x604, NULL, 116, { PAST_IT } },
	{ FIELD(pm1a_cnt.bit_width), 16, NULL, 116, { PAST_IT } },
	{ FIELD(pm1b_cnt.address), 0, NULL, 116, { PAST_IT } },
	{ TIMER, 0x608, NULL, 116, { PAST_IT } },
	{ FIELD(pm_timer.bit_width), 32, NULL, 116, { PAST_IT } },
	{ FIELD(pm_timer_32bit), true, NULL, 116, { PAST_IT } },
	{ FIELD(has_reset_reg), false, NULL, 116, { PAST_IT } },
	/* Blocks by their fields. The extended field counts if it has an address. */
	{ FIELD(pm1a_evt.address), 0x600, NULL, 0, { GAS(148, ACPI_SPACE_IO, 32, 0x600) } },
	{ FIELD(pm1a_cnt.address), 0x604, NULL, 0, { GAS(172, ACPI_SPACE_IO, 16, 0x604) } },
	{ FIELD(pm1b_cnt.address), 0x704, NULL, 0, { GAS(184, ACPI_SPACE_IO, 16, 0x704) } },
	{ FIELD(pm1b_cnt.address), 0x804,
	  NULL, 0, { { 68, 4, 0x804 }, GAS(184, ACPI_SPACE_IO, 16, 0) } },
	{ TIMER, 0x608, NULL, 0, { GAS(208, ACPI_SPACE_IO, 32, 0x608) } },
	{ TIMER, 0x408, "0x408 in space 1, PM_TMR_BLK is port 0x608; X_ is used",
	  0, { GAS(208, ACPI_SPACE_IO, 32, 0x408) } },
	{ TIMER, 0x1fed80808, NULL, 0, { { 76, 4, 0 }, X_TIMER } },
	{ FIELD(pm_timer.space), ACPI_SPACE_MEMORY, NULL, 0, { { 76, 4, 0 }, X_TIMER } },
	{ TIMER, 0x1fed80808, NULL, 220, { { 76, 4, 0 }, X_TIMER } },
	{ TIMER, 0x608, NULL, 219, { X_TIMER } },
	/* Impossible ports. A write to CF8h or CFFh would change or reset something. */
	{ TIMER, 0, "FACP: PM_TMR_BLK is in space 1 at 0xfed80808; ignored",
	  0, { { 76, 4, 0xfed80808 } } },
	{ TIMER, 0, "FACP: PM_TMR_BLK has 0 bytes, at least 4 required; ignored",
	  0, { { 91, 1, 0 } } },
	{ TIMER, 0x608, "FACP: X_PM_TMR_BLK is in space 127 at 0x408; ignored",
	  0, { GAS(208, 0x7f, 32, 0x408) } },
	{ TIMER, 0x608, "FACP: X_PM_TMR_BLK is in space 1 at 0x10000; ignored",
	  0, { GAS(208, ACPI_SPACE_IO, 32, 0x10000) } },
	{ FIELD(smi_cmd), 0,
	  "FACP: SMI_CMD cannot be at port 0x10000; ignored", 0, { { 48, 4, 0x10000 } } },
	{ FIELD(acpi_enable), 0,
	  "FACP: SMI_CMD cannot be at port 0xcff; ignored", 0, { { 48, 4, 0xcff } } },
	{ FIELD(smi_cmd), 0,
	  "FACP: SMI_CMD cannot be at port 0xcf8; ignored", 0, { { 48, 4, 0xcf8 } } },
	{ FIELD(smi_cmd), 0xd00, NULL, 0, { { 48, 4, 0xd00 } } },
	/* The hypervisor's 8 characters, which end the table. */
	{ FIELD(hypervisor), 0x5672657079487345,
	  NULL, 276, { { 268, 8, 0x5672657079487345 } } },
	{ FIELD(hypervisor), 0, NULL, 275, { { 268, 8, 0x5672657079487345 } } },
	/* The reset register, which counts if bit 10 of the flags is set. */
	{ FIELD(has_reset_reg), false, NULL, 0, { RESET } },
	{ FIELD(has_reset_reg), true, NULL, 0, { RESET, FLAGS(1u << 10) } },
	{ FIELD(reset_reg.address), 0xcf9, NULL, 0, { RESET, FLAGS(1u << 10) } },
	{ FIELD(reset_value), 6, NULL, 0, { RESET, FLAGS(1u << 10), { 128, 1, 6 } } },
	{ FIELD(pm_timer_32bit), false, NULL, 0, { RESET, FLAGS(1u << 10) } },
	{ FIELD(has_reset_reg), false, NULL, 128, { RESET, FLAGS(1u << 10) } },
	/* In PCI configuration space: valid, but not supported. */
	{ FIELD(has_reset_reg), false, "FACP: RESET_REG is in space 2 at 0x123; ignored", 0,
	  { GAS(116, 2, 8, 0x123), FLAGS(1u << 10) } },
	/* The keyboard controller; revision 1 has these bytes reserved. */
	{ FIELD(has_8042), false, NULL, 0, { REVISION(2), BOOT_ARCH(0xfffd) } },
	{ FIELD(has_8042), true, NULL, 0, { REVISION(2), BOOT_ARCH(2) } },
	{ FIELD(has_8042), true, NULL, 0, { REVISION(1), BOOT_ARCH(0) } },
	{ FIELD(has_8042), false, NULL, 0, { REVISION(5), BOOT_ARCH(2), FLAGS(REDUCED) } },
	{ FIELD(no_rtc), false, NULL, 0, { REVISION(4), BOOT_ARCH(0x20) } },
	{ FIELD(no_rtc), true, NULL, 0, { REVISION(5), BOOT_ARCH(0x20) } },
	{ FIELD(no_rtc), false, NULL, 0, { REVISION(6), BOOT_ARCH(0xffdf) } },
	{ FIELD(no_rtc), true, NULL, 0, { REVISION(6), BOOT_ARCH(0x20), FLAGS(REDUCED) } },
	/* Reduced hardware has no ports. */
	{ FIELD(hw_reduced), false, NULL, 0, { FLAGS(REDUCED) } },
	{ TIMER, 0x608, NULL, 0, { FLAGS(REDUCED) } },
	{ FIELD(hw_reduced), true, NULL, 0, { REVISION(5), FLAGS(REDUCED) } },
	{ FIELD(has_fadt), true, NULL, 0, { REVISION(5), FLAGS(REDUCED) } },
	{ TIMER, 0, NULL, 0, { REVISION(5), FLAGS(REDUCED) } },
	{ FIELD(smi_cmd), 0, NULL, 0, { REVISION(5), FLAGS(REDUCED) } },
	/* PSCI. The last two tables are cut in the middle of its flags. */
	{ FIELD(has_psci), false, NULL, 0, { ARM_BOOT(0) } },
	{ FIELD(has_psci), true, NULL, 0, { ARM_BOOT(1) } },
	{ FIELD(psci_by_hvc), false, NULL, 0, { ARM_BOOT(1) } },
	{ FIELD(psci_by_hvc), true, NULL, 0, { ARM_BOOT(3) } },
	{ FIELD(has_psci), false, NULL, 130, { ARM_BOOT(3) } },
	{ FIELD(psci_by_hvc), false, NULL, 130, { ARM_BOOT(3) } },
};
/* clang-format on */

TEST_F(setup, empty_memory, test_fadt)
{
	CHECK_FIELDS(&at.fadt, fadt_cases);
}

/* clang-format off */
TEST_F(setup, empty_memory, test_hpet)
{
	static const struct field_case cases[] = {
		{ FIELD(hpet_address), 0, "HPET: registers in space 1 at 0xfed0; not used", 0,
		  { GAS(40, ACPI_SPACE_IO, 64, 0xfed0) } },
		{ FIELD(hpet_address), 0, "HPET: registers in space 0 at 0x0; not used", 0,
		  { GAS(40, ACPI_SPACE_MEMORY, 64, 0) } },
		{ FIELD(hpet_address), 0, "space 0 at 0xfed00004; not used", 0,
		  { GAS(40, ACPI_SPACE_MEMORY, 64, 0xfed00004) } },
		{ FIELD(hpet_address), 0, "at 0x10000000000000; not used", 0,
		  { GAS(40, ACPI_SPACE_MEMORY, 64, UINT64_C(1) << 52) } },
	};

	CHECK_FIELDS(&at.hpet, cases);
}

TEST_F(setup, empty_memory, test_tpm)
{
	static const struct field_case cases[] = {
		{ FIELD(tpm_start), 7, NULL, 0, { { 40, 8, 0xfed40040 }, { 48, 4, 7 } } },
		{ FIELD(tpm_address), 0xfed40040, NULL, 0,
		  { { 40, 8, 0xfed40040 }, { 48, 4, 7 } } },
		{ FIELD(tpm_start), 0, "TPM2: registers at 0x10000000000000; not used", 0,
		  { { 40, 8, UINT64_C(1) << 52 }, { 48, 4, 7 } } },
		{ FIELD(tpm_start), 0, "TPM2 has length 51, at least 52 required", 51,
		  { { 48, 4, 7 } } },
	};

	CHECK_FIELDS(&at.tpm, cases);
}
/* clang-format on */

/* Use a MCFG of these regions, and `more` bytes behind them. */
static void use_mcfg(const struct acpi_ecam *e, uint32_t count, uint32_t more)
{
	uint64_t mcfg = add_table("MCFG", 1, 44 + 16 * count + more);

	for (uint32_t i = 0; i < count; i++) {
		put(mcfg, 44 + 16 * i, 8, e[i].base);
		put(mcfg, 44 + 16 * i + 8, 2, e[i].segment);
		put(mcfg, 44 + 16 * i + 10, 1, e[i].first_bus);
		put(mcfg, 44 + 16 * i + 11, 1, e[i].last_bus);
	}
	list_one(mcfg);
}

TEST_F(setup, empty_memory, test_mcfg)
{
	static const struct acpi_ecam regions[] = {
		{ UINT64_C(0x380000000000), 0, 0, 0x7f },
		{ UINT64_C(0x380010000000), 0, 0x80, 0xff },
		{ UINT64_C(0x380020000000), 1, 0, 0xff },
		{ (UINT64_C(1) << 52) - (UINT64_C(1) << 20), 2, 0, 0 },
	};

	use_mcfg(regions, 4, 0);
	is_silent();
	assert_int_equal(info.ecam_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(info.ecam[i].base == regions[i].base);
		assert_int_equal(info.ecam[i].segment, regions[i].segment);
		assert_int_equal(info.ecam[i].first_bus, regions[i].first_bus);
		assert_int_equal(info.ecam[i].last_bus, regions[i].last_bus);
	}
}

TEST_F(setup, empty_memory, test_mcfg_that_cannot_be)
{
	static const struct acpi_ecam rows[] = {
		{ 0, 2, 0, 255 },
		{ 0xb0000000 + 4096, 2, 0, 255 },
		{ 0xb0000000, 2, 1, 0 },
		{ UINT64_C(1) << 52, 2, 0, 255 },
		{ (UINT64_C(1) << 52) - (UINT64_C(1) << 20), 2, 0, 1 }, /* its second bus is past */
		{ UINT64_MAX - 0xfffff, 2, 0, 0 },
		{ UINT64_MAX - 0xfffff, 2, 0, 255 }, /* its end wraps */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		use_mcfg(&rows[i], 1, 0);
		complains("MCFG: segment 2 buses ");
		assert_int_equal(info.ecam_count, 0);
	}
}

/* A bus that is listed twice, more entries than there is room for, and half an entry. */
TEST_F(setup, empty_memory, test_mcfg_too_much)
{
	struct acpi_ecam e[ACPI_ECAMS_MAX + 2];

	for (uint32_t i = 0; i < ACPI_ECAMS_MAX + 2; i++)
		e[i] = (struct acpi_ecam){ 0xb0000000, (uint16_t)(i ? i - 1 : 0), 0, 255 };
	use_mcfg(e, ACPI_ECAMS_MAX + 2, 5);
	assert_true(read_all());
	assert_int_equal(reported.count, 3);
	assert_true(reported_has(&reported,
				 "MCFG: segment 0 buses 0-255 at 0xb0000000 was listed before"));
	assert_true(reported_has(&reported, "exceeds the maximum number of regions; ignored"));
	assert_true(reported_has(&reported, "MCFG: 5 bytes after its last entry; ignored"));
	assert_int_equal(info.ecam_count, ACPI_ECAMS_MAX);
}

/* Write a GICC (ACPI 6.5, table 5.37): 80 bytes, UID at 8, flags at 12, MPIDR at 68. */
static void put_gic_cpu(uint8_t entry[80], uint32_t uid, uint8_t flags, uint64_t mpidr)
{
	memset(entry, 0, 80);
	entry[0] = 0xb;
	entry[1] = 80;
	memcpy(entry + 8, &uid, sizeof(uid));
	entry[12] = flags;
	memcpy(entry + 68, &mpidr, sizeof(mpidr));
}

TEST_F(setup, empty_memory, test_cores_of_an_arm_machine)
{
	uint8_t entries[4 * 80];

	put_gic_cpu(entries, 7, 1, UINT64_C(0x0000000080000000)); /* bit 31 is always set */
	put_gic_cpu(entries + 80, 8, 1, UINT64_C(0x1281030201));
	put_gic_cpu(entries + 160, 9, 8, 2); /* online capable, not present */
	put_gic_cpu(entries + 240, 7, 1, 0); /* repeated */
	use_madt(entries, sizeof(entries));
	complains("APIC: entries ignored since they repeat an APIC id: 1");
	assert_int_equal(info.cpu_count, 2);
	assert_int_equal(info.cpu[0].apic_id, 0);
	assert_int_equal(info.cpu[0].uid, 7);
	assert_int_equal(info.cpu[1].apic_id, 0x12030201);
	assert_int_equal(info.cpu[1].uid, 8);
}

/* Types of Microsoft, Debug Port Table 2, table 3. Ports in I/O space are 16550s. */
static const struct spcr_type {
	enum serial_port_kind kind;
	const char *name;
	bool four_apart; /* registers are 4 bytes apart, whatever the GAS has */
} spcr_types[256] = {
	[0x00] = { SERIAL_PORT_16550, "16550", false },
	[0x01] = { SERIAL_PORT_16550, "16550", false },
	[0x03] = { SERIAL_PORT_PL011, "PL011", true },
	[0x05] = { SERIAL_PORT_16550, "Nvidia 16550", true },
	[0x0d] = { SERIAL_PORT_PL011, "SBSA UART (32 bits)", true },
	[0x0e] = { SERIAL_PORT_PL011, "SBSA UART", true },
	[0x10] = { SERIAL_PORT_BCM2835, "BCM2835 mini UART", true },
	[0x12] = { SERIAL_PORT_16550, "16550", false },
	[0x14] = { SERIAL_PORT_16550, "Intel LPSS 16550", true },
};

TEST_F(setup, empty_memory, test_spcr_types)
{
	list_one(at.spcr);
	put_gas(at.spcr, 40, ACPI_SPACE_MEMORY, 8, 0xfe032000);
	put(at.spcr, 43, 1, ACPI_ACCESS_BYTE);
	for (unsigned type = 0; type < 256; type++) {
		const struct spcr_type *row = &spcr_types[type];
		unsigned width = row->four_apart ? 4 : 1;
		char text[100];

		put(at.spcr, 36, 1, type);
		assert_true(read_all());
		assert_int_equal(info.serial.kind != 0, row->name != NULL);
		if (!row->name) {
			snprintf(text, sizeof(text),
				 "SPCR: serial port of type 0x%x cannot be driven; not used", type);
			reported_assert_one(&reported, text);
			continue;
		}
		reported_assert_none(&reported);
		assert_int_equal(info.serial.kind, row->kind);
		assert_string_equal(info.serial.name, row->name);
		assert_string_equal(info.serial.from, "SPCR");
		assert_true(info.serial.mmio && info.serial.is_set_up);
		assert_int_equal(info.serial.base, 0xfe032000);
		assert_int_equal(info.serial.stride, width);
		assert_int_equal(info.serial.access, width);
	}
}

/* GAS of serial ports (ACPI 6.5, table 5.1): distance of registers in bits, and access size. */
static const struct spcr_gas {
	uint8_t width, access, stride, bytes;
} spcr_gases[] = {
	{ 8, 0, 1, 1 },  { 8, 1, 1, 1 },  { 16, 1, 2, 1 }, { 16, 2, 2, 2 }, { 16, 0, 2, 2 },
	{ 32, 0, 4, 4 }, { 32, 1, 4, 1 }, { 32, 3, 4, 4 }, { 8, 3, 4, 4 },  { 0, 0, 1, 1 },
	{ 0, 3, 4, 4 },  { 64, 4, 1, 1 }, { 8, 77, 1, 1 },
};

TEST_F(setup, empty_memory, test_spcr_widths)
{
	list_one(at.spcr);
	for (unsigned n = 0; n < 2 * sizeof(spcr_gases) / sizeof(spcr_gases[0]); n++) {
		const struct spcr_gas *g = &spcr_gases[n / 2];

		put(at.spcr, 36, 1, n % 2 ? 0x12 : 0);
		put_gas(at.spcr, 40, ACPI_SPACE_MEMORY, g->width, UINT64_C(0x240000000));
		put(at.spcr, 43, 1, g->access);
		is_silent();
		assert_int_equal(info.serial.base, UINT64_C(0x240000000));
		assert_int_equal(info.serial.stride, g->stride);
		assert_int_equal(info.serial.access, g->bytes);
	}
}

/* Registers in I/O space are bytes, next to each other. */
TEST_F(setup, empty_memory, test_spcr_ports)
{
	static const struct {
		unsigned type;
		uint64_t base;
		bool usable;
	} rows[] = { { 0, 0x3f8, true },    { 0x12, 0x2f8, true }, { 0, 0xfff8, true },
		     { 0, 0xfff9, false },  { 0, 0x100, true },    { 0, 0xff, false },
		     { 0, 0xb2, false },    { 0, 0x10000, false }, { 3, 0x3f8, false },
		     { 0x10, 0x3f8, false } };

	list_one(at.spcr);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(at.spcr, 36, 1, rows[i].type);
		put_gas(at.spcr, 40, ACPI_SPACE_IO, 32, rows[i].base);
		put(at.spcr, 43, 1, 3);
		assert_true(read_all());
		assert_int_equal(info.serial.kind != 0, rows[i].usable);
		if (!rows[i].usable) {
			reported_assert_one(&reported, "SPCR: registers in space 1 at 0x");
			continue;
		}
		reported_assert_none(&reported);
		assert_false(info.serial.mmio);
		assert_int_equal(info.serial.stride, 1);
		assert_int_equal(info.serial.access, 1);
	}
}

/* clang-format off */
TEST_F(setup, empty_memory, test_spcr_place)
{
	static const struct field_case cases[] = {
		{ FIELD(serial.kind), 0, "SPCR: registers in space 10 at 0x3f8; not used", 0,
		  { GAS(40, 0x0a, 8, 0x3f8) } },
		{ FIELD(serial.kind), 0,
		  "SPCR: registers in space 0 at 0x10000000000000; not used", 0,
		  { GAS(40, ACPI_SPACE_MEMORY, 8, UINT64_C(1) << 52) } },
		/* An address of 0 means that redirection is off, which is no defect. */
		{ FIELD(serial.kind), 0, NULL, 0, { GAS(40, 0, 0, 0) } },
	};

	CHECK_FIELDS(&at.spcr, cases);
}
/* clang-format on */

/* Every flipped bit in the bytes that are read is reported, and does no harm. */
TEST_F(setup, empty_memory, test_no_changed_bit_passes_silently)
{
	const struct {
		uint64_t address;
		uint32_t bytes;
	} parts[] = {
		{ at.rsdp, 36 }, { at.xsdt, HEADER_BYTES + 8 * 5 },
		{ at.madt, 44 }, { at.fadt, 244 },
		{ at.hpet, 56 }, { at.spcr, 80 },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (uint32_t bit = 0; bit < parts[i].bytes * 8; bit++) {
			uint8_t *byte = physical_at(&memory, parts[i].address + bit / 8);
			/* A table with another signature is not read, which is no defect. */
			bool signature = bit / 8 < 4 && i >= 2;

			*byte ^= (uint8_t)(1u << bit % 8);
			read_all();
			physical_forget(&memory);
			if (!signature && !reported.count)
				fail_msg("part %zu, bit %u", i, bit);
			*byte ^= (uint8_t)(1u << bit % 8);
		}
	}
}

/* If memory ends anywhere, whole tables are used, and the rest is reported. */
TEST_F(setup, empty_memory, test_memory_that_ends_anywhere)
{
	uint32_t all = memory.used;

	for (uint32_t used = 0; used < all; used++) {
		memory.used = used;
		read_all();
		physical_forget(&memory);
		assert_true(reported.count > 0);
	}
	memory.used = all;
	is_silent();
	assert_whole_machine();
}

/* Errata of the system counter by the OEM fields in the GTDT's header (ACPI 6.5, 5.2.6). */
TEST_F(setup, empty_memory, test_gtdt)
{
	static const struct {
		const char *signature, *oem;
		uint32_t revision;
		bool is_known;
	} rows[] = {
		{ "GTDT", "HISI  HIP05   ", 0, true },  { "GTDT", "HISI  HIP06   ", 0, true },
		{ "GTDT", "HISI  HIP07   ", 0, true },  { "GTDT", "HISI  HIP08   ", 0, false },
		{ "GTDT", "HISI  HIP07   ", 1, false }, { "FACX", "HISI  HIP07   ", 0, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t gtdt = add_table(rows[i].signature, 3, 96);

		memcpy(physical_at(&memory, gtdt + 10), rows[i].oem, 14);
		put(gtdt, 24, 4, rows[i].revision);
		list_one(gtdt);
		if (rows[i].is_known)
			complains("GTDT: erratum 161010101 of HiSilicon");
		else
			is_silent();
	}
}

struct iommu_entry {
	uint8_t type;
	uint16_t bytes;
	uint64_t base;
};

/* Use a DMAR or an IVRS of these entries; the table. */
static uint64_t use_iommus(const char *signature, const struct iommu_entry *e, uint32_t count)
{
	uint32_t bytes = 48, start = 48;
	uint64_t table;

	for (uint32_t n = 0; n < count; n++)
		bytes += e[n].bytes;
	table = add_table(signature, 1, bytes);
	for (uint32_t n = 0; n < count; start += e[n++].bytes) {
		put(table, start, 1, e[n].type);
		put(table, start + 2, 2, e[n].bytes);
		put(table, start + 8, 8, e[n].base);
	}
	list_one(table);
	return table;
}

/* Among entries of other kinds: two of Intel's, one of them listed twice, and one of AMD's. */
TEST_F(setup, empty_memory, test_iommus)
{
	static const struct iommu_entry dmar[] = {
		{ 0, 16, 0xfed90000 },
		{ 1, 24, 0x7b800000 },
		{ 0, 16, UINT64_C(0x3ffff000000) },
		{ 0, 16, 0xfed90000 },
	};
	static const struct iommu_entry ivrs[] = {
		{ 0x10, 24, 0xfeb80000 },
		{ 0x11, 40, 0xfeb80000 },
		{ 0x20, 40, 0x1000 },
	};

	use_iommus("DMAR", dmar, 4);
	is_silent();
	assert_int_equal(info.iommu_count, 2);
	assert_true(info.iommu[0].base == 0xfed90000 && !info.iommu[0].amd);
	assert_true(info.iommu[1].base == UINT64_C(0x3ffff000000) && !info.iommu[1].amd);
	use_iommus("IVRS", ivrs, 3);
	is_silent();
	assert_int_equal(info.iommu_count, 1);
	assert_true(info.iommu[0].base == 0xfeb80000 && info.iommu[0].amd);
}

/* 32 IOMMUs are kept, each once; that others are dropped is reported. */
TEST_F(setup, empty_memory, test_many_iommus)
{
	struct iommu_entry e[35];

	for (uint32_t n = 0; n < 35; n++)
		e[n] = (struct iommu_entry){ 0, 16, 0xfed00000 + (n ? n - 1 : 0) * 4096 };
	use_iommus("DMAR", e, 35);
	complains("DMAR: 2 entries exceed the 32 IOMMUs that are looked at");
	assert_int_equal(info.iommu_count, 32);
	assert_int_equal(info.iommu[31].base, 0xfed00000 + 31 * 4096);
}

TEST_F(setup, empty_memory, test_iommus_that_cannot_be)
{
	static const uint64_t bases[] = { 0, 0xfed90001, UINT64_C(1) << 52, UINT64_MAX - 4095 };

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		use_iommus("DMAR", &(struct iommu_entry){ 0, 16, bases[i] }, 1);
		complains("DMAR: registers at 0x");
		assert_int_equal(info.iommu_count, 0);
	}
	/* An entry of no length, and one past the end. */
	for (uint16_t length = 0; length < 18; length += 17) {
		put(use_iommus("DMAR", &(struct iommu_entry){ 0, 16, 0xfed90000 }, 1), 50, 2,
		    length);
		complains("DMAR: entry at offset 48 has length");
	}
}

static struct {
	char signature[16][5];
	uint32_t bytes[16];
	unsigned count;
} visited;

static void note_table(void *ctx, const uint8_t *table, uint32_t bytes)
{
	assert_ptr_equal(ctx, &visited);
	assert_true(visited.count < 16);
	memcpy(visited.signature[visited.count], table, 4);
	visited.bytes[visited.count++] = bytes;
}

static void visit_all(void)
{
	const struct acpi_memory from = { physical_map, &memory };

	memset(&visited, 0, sizeof(visited));
	acpi_each_table(&from, at.rsdp, note_table, &visited);
}

static void assert_visited(const char *names)
{
	TEXT_DEFINE(t, 200);

	for (unsigned i = 0; i < visited.count; i++)
		text_add(&t, "%s%s", i ? " " : "", visited.signature[i]);
	assert_string_equal(t.buf, names);
}

/* Each table is visited once, whatever its checksum, and the DSDT after the FADT. */
TEST_F(setup, empty_memory, test_each_table)
{
	uint64_t dsdt = add_table("DSDT", 2, 77);

	visit_all();
	assert_visited("FACP SSDT APIC HPET SPCR");
	assert_int_equal(visited.bytes[0], 244);
	put(at.fadt, 40, 4, dsdt);
	break_checksum(at.hpet);
	visit_all();
	assert_visited("FACP DSDT SSDT APIC HPET SPCR");
	assert_int_equal(visited.bytes[1], 77);
	/* The 64-bit address counts. */
	put(at.fadt, 40, 4, 1);
	put(at.fadt, 140, 8, dsdt);
	visit_all();
	assert_visited("FACP DSDT SSDT APIC HPET SPCR");
	list_tables((uint64_t[]){ at.hpet, at.hpet, UINT64_C(0x123456789000), at.spcr }, 4);
	visit_all();
	assert_visited("HPET SPCR");
	set_length(at.hpet, 1 << 21);
	visit_all();
	assert_visited("SPCR");
	at.rsdp = 0;
	visit_all();
	assert_visited("");
}
