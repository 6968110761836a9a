/* SPDX-License-Identifier: BSD-2-Clause */
/* Affinity tables, built entry by entry from ACPI 6.5, 5.2.16: sound and lying ones. */
#include "core/firmware/acpi_srat.h"

#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/srat.h"

#define HOT_PLUG 2u
#define GIB      (UINT64_C(1) << 30)

static struct acpi_srat srat;

static void read_all(void)
{
	memset(&srat, 0x5a, sizeof(srat));
	assert_true(acpi_srat_read(&srat, &srat_info));
}

static void assert_core(uint32_t apic_id, uint32_t uid, uint32_t node)
{
	const struct acpi_cpu cpu = { apic_id, uid };

	assert_int_equal(acpi_srat_core(&srat, &cpu), node);
}

static void assert_memory(uint64_t address, uint32_t node)
{
	uint32_t found = ACPI_NO_NODE;

	for (uint32_t i = 0; i < srat.ranges; i++)
		if (srat.range[i].from <= address && address < srat.range[i].end)
			found = srat.range[i].node;
	assert_int_equal(found, node);
}

/* Domains of any number, and memory before cores, as many firmwares have it. */
TEST_F(srat_begin, entries_end, test_each_type)
{
	srat_memory(0, GIB, 7, SRAT_ENABLED);
	srat_memory(4 * GIB, GIB, 0xfffffffe, SRAT_ENABLED | HOT_PLUG);
	srat_memory(5 * GIB, GIB, 9, SRAT_ENABLED);
	srat_apic(3, 0xaabbccdd, SRAT_ENABLED);
	srat_x2apic(0x12345678, 7, SRAT_ENABLED);
	srat_gicc(40, 0xfffffffe, SRAT_ENABLED);
	read_all();
	assert_int_equal(srat.nodes, 4);
	assert_int_equal(srat.domain[0], 0xaabbccdd);
	assert_int_equal(srat.domain[1], 7);
	assert_int_equal(srat.domain[2], 0xfffffffe);
	assert_int_equal(srat.domain[3], 9);
	assert_core(3, 0, 0);
	assert_core(0x12345678, 0, 1);
	assert_core(1000, 40, 2);
	/* A UID is no APIC id, and the other way round. */
	assert_core(40, 3, ACPI_NO_NODE);
	assert_int_equal(srat.ranges, 3);
	assert_memory(0, 1);
	assert_memory(GIB - 1, 1);
	assert_memory(GIB, ACPI_NO_NODE);
	assert_memory(4 * GIB - 1, ACPI_NO_NODE);
	assert_memory(4 * GIB, 2);
	assert_memory(5 * GIB - 1, 2);
	assert_memory(5 * GIB, 3);
	assert_memory(6 * GIB, ACPI_NO_NODE);
}

TEST_F(srat_begin, entries_end, test_enabled_alone)
{
	srat_apic(0, 5, 0);
	srat_x2apic(1, 5, ~SRAT_ENABLED);
	srat_gicc(2, 5, 0);
	srat_memory(0, GIB, 5, HOT_PLUG);
	srat_memory(0, 0, 5, 0);
	srat_memory(~UINT64_C(0), 2, 5, 0);
	srat_apic(3, 1, SRAT_ENABLED);
	read_all();
	assert_int_equal(srat.nodes, 1);
	assert_int_equal(srat.ranges, 0);
	assert_core(3, 0, 0);
	assert_core(0, 2, ACPI_NO_NODE);
}

/* Before revision 2 a domain is one byte, beside which anything may be. */
TEST_F(srat_begin, entries_end, test_short_domains)
{
	for (uint8_t revision = 0; revision < 4; revision++) {
		bool is_short = revision < 2;

		srat_begin();
		entries_at[SRAT_REVISION] = revision;
		srat_apic(1, 0x55555502, SRAT_ENABLED);
		srat_memory(0, GIB, 0xffffff02, SRAT_ENABLED);
		read_all();
		assert_int_equal(srat.nodes, is_short ? 1 : 2);
		assert_int_equal(srat.domain[0], is_short ? 2 : 0x55555502);
		assert_memory(0, is_short ? 0 : 1);
	}
}

/* A core may be listed again; the first domain counts. */
TEST_F(srat_begin, entries_end, test_cores_again)
{
	srat_apic(1, 0, SRAT_ENABLED);
	srat_x2apic(1, 0, SRAT_ENABLED);
	srat_apic(2, 4, SRAT_ENABLED);
	srat_x2apic(1, 4, SRAT_ENABLED);
	srat_x2apic(2, 0, SRAT_ENABLED);
	read_all();
	assert_int_equal(srat.nodes, 2);
	assert_core(1, 0, 0);
	assert_core(2, 0, 1);
}

/* Where memory overlaps, the first range counts, and the other is left out. */
TEST_F(srat_begin, entries_end, test_memory_that_overlaps)
{
	srat_memory(4 * GIB, 2 * GIB, 1, SRAT_ENABLED);
	srat_memory(3 * GIB, 4 * GIB, 2, SRAT_ENABLED);
	read_all();
	assert_int_equal(srat.ranges, 1);
	assert_memory(4 * GIB - 1, ACPI_NO_NODE);
	assert_memory(4 * GIB, 0);
	assert_memory(6 * GIB - 1, 0);
	assert_memory(6 * GIB, ACPI_NO_NODE);
}

TEST_F(srat_begin, entries_end, test_memory_that_cannot_be)
{
	static const struct {
		uint64_t from, bytes;
	} bad[] = {
		{ 0, 0 },
		{ GIB, 0 },
		{ UINT64_MAX, 1 },
		{ UINT64_MAX, 2 },
		{ UINT64_MAX, UINT64_MAX },
		{ GIB, UINT64_MAX },
		{ UINT64_C(1) << 52, 1 },
		{ (UINT64_C(1) << 52) - 1, 2 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		srat_begin();
		srat_memory(bad[i].from, bad[i].bytes, 1, SRAT_ENABLED);
		read_all();
		assert_int_equal(srat.ranges, 0);
		assert_int_equal(srat.nodes, 0);
	}
	srat_begin();
	srat_memory((UINT64_C(1) << 52) - 1, 1, 1, SRAT_ENABLED);
	srat_memory(0, (UINT64_C(1) << 52) - 1, 2, SRAT_ENABLED);
	read_all();
	assert_memory((UINT64_C(1) << 52) - 1, 0);
	assert_memory((UINT64_C(1) << 52) - 2, 1);
}

/* Each type one byte shorter than it is; others are stepped over, and longer ones are sound. */
TEST_F(srat_begin, entries_end, test_short_entries)
{
	static const uint8_t least[] = { 16, 40, 24, 18 };

	for (uint8_t type = 0; type < sizeof(least); type++) {
		uint32_t at = entries_add(type, least[type] - 1, least[type] - 1);

		memset(entries_at + at + 2, 1, least[type] - 3u);
	}
	for (uint8_t type = 4; type < 10; type++)
		entries_add(type, 2, 2);
	entries_put(entries_add(2, 255, 255) + 12, 4, SRAT_ENABLED);
	read_all();
	assert_int_equal(srat.ranges, 0);
	assert_int_equal(srat.nodes, 1);
	assert_core(0, 9, 0);
}

/* The maximum number of nodes and of ranges, and three more. */
TEST_F(srat_begin, entries_end, test_too_many)
{
	for (uint32_t i = 0; i < ACPI_NODES_MAX + 3; i++)
		srat_x2apic(i, 1000 + i, SRAT_ENABLED);
	srat_memory(0, GIB, 999, SRAT_ENABLED);
	read_all();
	assert_int_equal(srat.nodes, ACPI_NODES_MAX);
	assert_int_equal(srat.ranges, 0);
	assert_core(ACPI_NODES_MAX - 1, 0, ACPI_NODES_MAX - 1);
	assert_core(ACPI_NODES_MAX, 0, ACPI_NO_NODE);

	srat_begin();
	for (uint32_t i = 0; i < ACPI_RANGES_MAX + 3; i++)
		srat_memory(i * GIB, GIB, 0, SRAT_ENABLED);
	read_all();
	assert_int_equal(srat.ranges, ACPI_RANGES_MAX);
}

TEST_F(srat_begin, entries_end, test_none)
{
	srat_info.srat = (struct acpi_table){ 0 };
	memset(&srat, 0x5a, sizeof(srat));
	assert_false(acpi_srat_read(&srat, &srat_info));
	assert_int_equal(srat.nodes + srat.ranges, 0);
	assert_core(0, 0, ACPI_NO_NODE);
	assert_memory(0, ACPI_NO_NODE);
}
