/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Affinity tables of real machines, against what iasl makes of them: tests/data/acpi. Other tables
 * of real machines are read by tests/unit/arch/test_replay.c.
 */
#include "core/firmware/acpi.h"
#include "tests/unit/described.h"

#include <stdio.h>
#include <string.h>

#define HEADER_BYTES 36
#define LENGTH_AT    4
#define TABLES_MAX   8u
#define FILE_MAX     4096u

static struct acpi_info info;

/* All tables of the file, and a list of them; the RSDP. */
static uint64_t load(const char *name)
{
	static uint8_t file[FILE_MAX];
	char path[100];
	uint64_t table[TABLES_MAX];
	uint32_t tables = 0, bytes;
	size_t end, at = 0;
	FILE *f;

	snprintf(path, sizeof(path), "tests/data/acpi/%s.bin", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	end = fread(file, 1, sizeof(file), f);
	fclose(f);
	physical_reset(&memory);
	for (; at < end; at += bytes) {
		memcpy(&bytes, file + at + LENGTH_AT, sizeof(bytes));
		assert_true(bytes >= HEADER_BYTES && bytes <= end - at && tables < TABLES_MAX);
		table[tables++] = physical_add(&memory, file + at, bytes);
	}
	return physical_list(&memory, table, tables);
}

/* Cores by their APIC ids, memory as it comes. */
static const struct affine {
	const char *file;
	uint32_t cpus, nodes;
	struct {
		uint32_t first, last, domain;
	} cpu[4];
	struct {
		uint64_t from, bytes;
		uint32_t domain;
	} memory[4];
} affine[] = {
	{ .file = "dell-poweredge-r820",
	  .cpus = 80,
	  .nodes = 4,
	  .cpu = { { 0, 0x19, 1 }, { 0x20, 0x39, 2 }, { 0x40, 0x59, 3 }, { 0x60, 0x79, 4 } },
	  .memory = { { 0, 0x440000000, 1 },
		      { 0x440000000, 0x400000000, 2 },
		      { 0x840000000, 0x400000000, 3 },
		      { 0xc40000000, 0x400000000, 4 } } },
	{ .file = "hp-proliant-dl360-g7",
	  .cpus = 16,
	  .nodes = 2,
	  .cpu = { { 0, 0x15, 0 }, { 0x20, 0x35, 1 } },
	  .memory = { { 0, 0xe0000000, 0 },
		      { 0x100000000, 0x1720000000, 0 },
		      { 0x1820000000, 0x1800000000, 1 } } },
	{ .file = "supermicro-h8dgu",
	  .cpus = 24,
	  .nodes = 4,
	  .cpu = { { 0x10, 0x15, 0 }, { 0x16, 0x1b, 1 }, { 0x20, 0x25, 3 }, { 0x26, 0x2b, 2 } },
	  .memory = { { 0, 0xa0000, 0 },
		      { 0x100000, 0xdff00000, 0 },
		      { 0x100000000, 0x820000000, 0 },
		      { 0x920000000, 0x900000000, 3 } } },
	{ .file = "lenovo-ideapad-flex-5", .cpus = 4 },
};

static void assert_affinity(const struct affine *m)
{
	struct acpi_range range[ACPI_RANGES_MAX];
	uint32_t ranges = acpi_srat_memory(&info, range), domain, n;

	for (uint32_t i = 0; i < info.cpu_count; i++) {
		uint32_t id = info.cpu[i].apic_id;

		for (n = 0; n < m->nodes && (id < m->cpu[n].first || id > m->cpu[n].last);)
			n++;
		assert_int_equal(acpi_srat_core(&info, &info.cpu[i], &domain), n < m->nodes);
		if (n < m->nodes)
			assert_int_equal(domain, m->cpu[n].domain);
	}
	for (uint32_t i = 0; i < ranges; i++) {
		assert_int_equal(range[i].from, m->memory[i].from);
		assert_int_equal(range[i].end, m->memory[i].from + m->memory[i].bytes);
		assert_int_equal(range[i].domain, m->memory[i].domain);
	}
	assert_true(ranges == 4 || !m->memory[ranges].bytes);
}

TEST(test_affinity)
{
	for (size_t i = 0; i < sizeof(affine) / sizeof(affine[0]); i++) {
		struct acpi_memory from = physical_memory(&memory);
		uint64_t rsdp = load(affine[i].file);

		assert_true(acpi_read(&info, &from, rsdp, complain, &reported));
		assert_int_equal(info.cpu_count, affine[i].cpus);
		assert_int_equal(info.srat.length > 0, affine[i].nodes > 0);
		reported.count = 0;
		assert_affinity(&affine[i]);
		physical_reset(&memory);
	}
}
