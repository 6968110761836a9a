/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of real machines, against what iasl makes of them: tests/data/acpi. */
#include "core/firmware/acpi_srat.h"
#include "tests/unit/common/test.h"
#include "tests/unit/physical.h"
#include "tests/unit/reported.h"

#include <stdio.h>
#include <string.h>

#define HEADER_BYTES 36
#define LENGTH_AT    4
#define TABLES_MAX   8u
#define FILE_MAX     4096u

static struct physical memory;
static struct acpi_info info;
static struct acpi_srat srat;
static struct reported reported;

/* Cores are APIC id and UID, in the order of the MADT. */
static const struct machine {
	const char *file;
	uint32_t cpus;
	struct acpi_cpu cpu[16];
	uint32_t nmis;
	struct acpi_nmi nmi[16];
	bool has_8042, timer_32bit, resets;
	uint8_t on, off;
	uint16_t event, control, timer, gpe0;
	uint8_t gpe0_bytes;
	uint8_t last_bus; /* of MCFG's one region */
	uint64_t ecam;
	uint32_t iommus;
	uint64_t iommu[2];
	uint16_t port; /* of SPCR */
} machines[] = {
	{ .file = "asrock-conroe1333-glan",
	  .cpus = 2,
	  .cpu = { { 0, 1 }, { 1, 2 } },
	  .has_8042 = true,
	  .on = 0xe1,
	  .off = 0x1e,
	  .event = 0x800,
	  .control = 0x804,
	  .timer = 0x808,
	  .gpe0 = 0x828,
	  .gpe0_bytes = 8,
	  .ecam = 0xe0000000,
	  .last_bus = 0xff },
	{ .file = "asrock-x370-killer-sli",
	  .cpus = 4,
	  .cpu = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 } },
	  .nmis = 2,
	  .nmi = { { true, 0, 1 }, { true, 0, 1 } },
	  .has_8042 = true,
	  .timer_32bit = true,
	  .resets = true,
	  .on = 0xe1,
	  .off = 0x1e,
	  .event = 0x400,
	  .control = 0x404,
	  .timer = 0x408,
	  .gpe0 = 0x420,
	  .gpe0_bytes = 8,
	  .ecam = 0xf8000000,
	  .last_bus = 0x3f,
	  .iommus = 1,
	  .iommu = { 0xfd200000 },
	  .port = 0x3f8 },
	{ .file = "dell-precision-t7500",
	  .cpus = 12,
	  .cpu = { { 0, 1 },
		   { 2, 2 },
		   { 4, 3 },
		   { 0x10, 4 },
		   { 0x12, 5 },
		   { 0x14, 6 },
		   { 1, 7 },
		   { 3, 8 },
		   { 5, 9 },
		   { 0x11, 10 },
		   { 0x13, 11 },
		   { 0x15, 12 } },
	  .nmis = 1,
	  .nmi = { { true, 0, 1 } },
	  .has_8042 = true,
	  .on = 0x70,
	  .off = 0x71,
	  .event = 0x800,
	  .control = 0x804,
	  .timer = 0x808,
	  .gpe0 = 0x820,
	  .gpe0_bytes = 16,
	  .ecam = 0xf8000000,
	  .last_bus = 0x3f,
	  .iommus = 2,
	  .iommu = { 0xdfffe000, 0xfedc0000 } },
	{ .file = "hp-proliant-dl360-g7",
	  .cpus = 16,
	  .cpu = { { 0, 0 },
		   { 0x20, 0x10 },
		   { 0x14, 0xc },
		   { 0x34, 0x1c },
		   { 2, 2 },
		   { 0x22, 0x12 },
		   { 0x12, 0xa },
		   { 0x32, 0x1a },
		   { 1, 1 },
		   { 0x21, 0x11 },
		   { 0x15, 0xd },
		   { 0x35, 0x1d },
		   { 3, 3 },
		   { 0x23, 0x13 },
		   { 0x13, 0xb },
		   { 0x33, 0x1b } },
	  .nmis = 1,
	  .nmi = { { true, 0, 1 } },
	  .has_8042 = true,
	  .on = 1,
	  .event = 0x900,
	  .control = 0x904,
	  .timer = 0x908,
	  .gpe0 = 0x920,
	  .gpe0_bytes = 16,
	  .ecam = 0xe0000000,
	  .last_bus = 0x3f,
	  .iommus = 1,
	  .iommu = { 0xe7ffe000 } },
	{ .file = "lenovo-ideapad-flex-5",
	  .cpus = 4,
	  .cpu = { { 0, 0 }, { 2, 1 }, { 1, 2 }, { 3, 3 } },
	  .nmis = 16,
	  .nmi = { { false, 1, 1 },
		   { false, 2, 1 },
		   { false, 3, 1 },
		   { false, 4, 1 },
		   { false, 5, 1 },
		   { false, 6, 1 },
		   { false, 7, 1 },
		   { false, 8, 1 },
		   { false, 9, 1 },
		   { false, 10, 1 },
		   { false, 11, 1 },
		   { false, 12, 1 },
		   { false, 13, 1 },
		   { false, 14, 1 },
		   { false, 15, 1 },
		   { false, 16, 1 } },
	  .resets = true,
	  .on = 0xf0,
	  .off = 0xf1,
	  .event = 0x1800,
	  .control = 0x1804,
	  .timer = 0x1808,
	  .gpe0 = 0x1860,
	  .gpe0_bytes = 32,
	  .ecam = 0xc0000000,
	  .last_bus = 2,
	  .iommus = 2,
	  .iommu = { 0xfed90000, 0xfed91000 } },
};

static void complain(void *ctx, const char *text)
{
	reported_add(ctx, "acpi", 0, text);
}

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

static void assert_cores(const struct machine *m)
{
	assert_int_equal(info.cpu_count, m->cpus);
	for (uint32_t i = 0; i < m->cpus; i++) {
		assert_int_equal(info.cpu[i].apic_id, m->cpu[i].apic_id);
		assert_int_equal(info.cpu[i].uid, m->cpu[i].uid);
	}
	assert_int_equal(info.nmi_count, m->nmis);
	for (uint32_t i = 0; i < m->nmis; i++) {
		assert_int_equal(info.nmi[i].all_cpus, m->nmi[i].all_cpus);
		assert_int_equal(info.nmi[i].uid, m->nmi[i].uid);
		assert_int_equal(info.nmi[i].lint, m->nmi[i].lint);
	}
	assert_int_equal(info.lapic_address, 0xfee00000);
}

static void assert_hardware(const struct machine *m)
{
	assert_true(info.has_fadt && !info.hw_reduced);
	assert_int_equal(info.smi_cmd, 0xb2);
	assert_int_equal(info.acpi_enable, m->on);
	assert_int_equal(info.acpi_disable, m->off);
	assert_int_equal(info.pm1a_evt.address, m->event);
	assert_int_equal(info.pm1a_cnt.address, m->control);
	assert_int_equal(info.pm1b_evt.address, 0);
	assert_int_equal(info.pm1b_cnt.address, 0);
	assert_int_equal(info.gpe[0].address, m->gpe0);
	assert_int_equal(info.gpe_bytes[0], m->gpe0_bytes);
	assert_int_equal(info.gpe[1].address, 0);
	assert_int_equal(info.gpe_bytes[1], 0);
	assert_int_equal(info.pm_timer.address, m->timer);
	assert_int_equal(info.pm_timer_32bit, m->timer_32bit);
	assert_int_equal(info.has_8042, m->has_8042);
	assert_int_equal(info.has_reset_reg, m->resets);
	if (m->resets) {
		assert_int_equal(info.reset_reg.address, 0xcf9);
		assert_int_equal(info.reset_value, 6);
	}
}

static void assert_devices(const struct machine *m)
{
	assert_int_equal(info.hpet_address, 0xfed00000);
	assert_int_equal(info.ecam_count, 1);
	assert_int_equal(info.ecam[0].base, m->ecam);
	assert_int_equal(info.ecam[0].first_bus, 0);
	assert_int_equal(info.ecam[0].last_bus, m->last_bus);
	assert_int_equal(info.iommu_count, m->iommus);
	for (uint32_t i = 0; i < m->iommus; i++)
		assert_int_equal(info.iommu[i].base, m->iommu[i]);
	assert_int_equal(info.serials, m->port != 0);
	assert_int_equal(info.serial[0].base, m->port);
}

TEST(test_machines)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct acpi_memory from = physical_memory(&memory);
		uint64_t rsdp = load(machines[i].file);

		reported.count = 0;
		assert_true(acpi_read(&info, &from, rsdp, complain, &reported));
		/* It is no static table. */
		reported_assert_one(&reported, "DSDT at 0x");
		assert_cores(&machines[i]);
		assert_hardware(&machines[i]);
		assert_devices(&machines[i]);
		physical_reset(&memory);
	}
}

/* Cores by their APIC ids, memory as it comes. */
static const struct affine {
	const char *file;
	uint32_t cpus, nodes, domain[4]; /* in the nodes' order */
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
	  .domain = { 1, 2, 3, 4 },
	  .cpu = { { 0, 0x19, 1 }, { 0x20, 0x39, 2 }, { 0x40, 0x59, 3 }, { 0x60, 0x79, 4 } },
	  .memory = { { 0, 0x440000000, 1 },
		      { 0x440000000, 0x400000000, 2 },
		      { 0x840000000, 0x400000000, 3 },
		      { 0xc40000000, 0x400000000, 4 } } },
	{ .file = "hp-proliant-dl360-g7",
	  .cpus = 16,
	  .nodes = 2,
	  .domain = { 0, 1 },
	  .cpu = { { 0, 0x15, 0 }, { 0x20, 0x35, 1 } },
	  .memory = { { 0, 0xe0000000, 0 },
		      { 0x100000000, 0x1720000000, 0 },
		      { 0x1820000000, 0x1800000000, 1 } } },
	{ .file = "supermicro-h8dgu",
	  .cpus = 24,
	  .nodes = 4,
	  .domain = { 0, 1, 2, 3 },
	  .cpu = { { 0x10, 0x15, 0 }, { 0x16, 0x1b, 1 }, { 0x20, 0x25, 3 }, { 0x26, 0x2b, 2 } },
	  .memory = { { 0, 0xa0000, 0 },
		      { 0x100000, 0xdff00000, 0 },
		      { 0x100000000, 0x820000000, 0 },
		      { 0x920000000, 0x900000000, 3 } } },
	{ .file = "lenovo-ideapad-flex-5", .cpus = 4 },
};

static void assert_affinity(const struct affine *m)
{
	assert_int_equal(srat.nodes, m->nodes);
	for (uint32_t i = 0; i < m->nodes; i++)
		assert_int_equal(srat.domain[i], m->domain[i]);
	for (uint32_t i = 0; i < info.cpu_count; i++) {
		uint32_t id = info.cpu[i].apic_id, node = acpi_srat_core(&srat, &info.cpu[i]), n;

		for (n = 0; n < m->nodes && (id < m->cpu[n].first || id > m->cpu[n].last);)
			n++;
		if (n == m->nodes)
			assert_int_equal(node, ACPI_NO_NODE);
		else
			assert_int_equal(node < m->nodes ? m->domain[node] : UINT32_MAX,
					 m->cpu[n].domain);
	}
	for (uint32_t i = 0; i < srat.ranges; i++) {
		assert_int_equal(srat.range[i].from, m->memory[i].from);
		assert_int_equal(srat.range[i].end, m->memory[i].from + m->memory[i].bytes);
		assert_int_equal(srat.domain[srat.range[i].node], m->memory[i].domain);
	}
}

TEST(test_affinity)
{
	for (size_t i = 0; i < sizeof(affine) / sizeof(affine[0]); i++) {
		struct acpi_memory from = physical_memory(&memory);
		uint64_t rsdp = load(affine[i].file);
		uint32_t ranges = 0;

		assert_true(acpi_read(&info, &from, rsdp, complain, &reported));
		assert_int_equal(info.cpu_count, affine[i].cpus);
		reported.count = 0;
		assert_int_equal(acpi_srat_read(&srat, &info, complain, &reported),
				 affine[i].nodes > 0);
		reported_assert_none(&reported);
		while (ranges < 4 && affine[i].memory[ranges].bytes)
			ranges++;
		assert_int_equal(srat.ranges, ranges);
		assert_affinity(&affine[i]);
		physical_reset(&memory);
	}
}
