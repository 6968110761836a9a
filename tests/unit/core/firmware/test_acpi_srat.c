/* SPDX-License-Identifier: BSD-2-Clause */
/* Affinity tables, built entry by entry from ACPI 6.5, 5.2.16: sound and lying ones. */
#include "core/firmware/acpi.h"

#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/srat.h"

#define HOT_PLUG 2u
#define GIB      (UINT64_C(1) << 30)

#define NONE UINT64_MAX

static struct acpi_range range[ACPI_RANGES_MAX];
static uint32_t ranges;

static void read_all(void)
{
	memset(range, 0x5a, sizeof(range));
	ranges = acpi_srat_memory(&srat_info, range);
	assert_in_range(ranges, 0, ACPI_RANGES_MAX);
}

static void assert_core(uint32_t apic_id, uint32_t uid, uint64_t domain)
{
	const struct acpi_cpu cpu = { apic_id, uid };
	uint32_t found;

	assert_int_equal(acpi_srat_core(&srat_info, &cpu, &found) ? found : NONE, domain);
}

static void assert_memory(uint64_t address, uint64_t domain)
{
	uint64_t found = NONE;

	for (uint32_t i = 0; i < ranges; i++)
		if (range[i].from <= address && address < range[i].end)
			found = range[i].domain;
	assert_int_equal(found, domain);
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
	assert_core(3, 0, 0xaabbccdd);
	assert_core(0x12345678, 0, 7);
	assert_core(1000, 40, 0xfffffffe);
	/* A UID is no APIC id, and the other way round. */
	assert_core(40, 3, NONE);
	assert_int_equal(ranges, 3);
	assert_memory(0, 7);
	assert_memory(GIB - 1, 7);
	assert_memory(GIB, NONE);
	assert_memory(4 * GIB - 1, NONE);
	assert_memory(4 * GIB, 0xfffffffe);
	assert_memory(5 * GIB - 1, 0xfffffffe);
	assert_memory(5 * GIB, 9);
	assert_memory(6 * GIB, NONE);
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
	assert_int_equal(ranges, 0);
	assert_core(3, 0, 1);
	assert_core(0, 2, NONE);
	assert_core(1, 0, NONE);
	assert_core(9, 2, NONE);
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
		assert_core(1, 0, is_short ? 2 : 0x55555502);
		assert_memory(0, is_short ? 2 : 0xffffff02);
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
	assert_core(1, 0, 0);
	assert_core(2, 0, 4);
}

/* Where memory overlaps, the first range counts, and the other is left out. */
TEST_F(srat_begin, entries_end, test_memory_that_overlaps)
{
	srat_memory(4 * GIB, 2 * GIB, 1, SRAT_ENABLED);
	srat_memory(3 * GIB, 4 * GIB, 2, SRAT_ENABLED);
	read_all();
	assert_int_equal(ranges, 1);
	assert_memory(4 * GIB - 1, NONE);
	assert_memory(4 * GIB, 1);
	assert_memory(6 * GIB - 1, 1);
	assert_memory(6 * GIB, NONE);
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
		assert_int_equal(ranges, 0);
	}
	srat_begin();
	srat_memory((UINT64_C(1) << 52) - 1, 1, 1, SRAT_ENABLED);
	srat_memory(0, (UINT64_C(1) << 52) - 1, 2, SRAT_ENABLED);
	read_all();
	assert_memory((UINT64_C(1) << 52) - 1, 1);
	assert_memory((UINT64_C(1) << 52) - 2, 2);
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
	assert_int_equal(ranges, 0);
	assert_core(0, 9, 0);
	assert_core(1, 1, NONE);
	assert_core(0x01010101, 0x01010101, NONE);
}

TEST_F(srat_begin, entries_end, test_too_many_ranges)
{
	for (uint32_t i = 0; i < ACPI_RANGES_MAX + 3; i++)
		srat_memory(i * GIB, GIB, 1000 + i, SRAT_ENABLED);
	read_all();
	assert_int_equal(ranges, ACPI_RANGES_MAX);
	assert_memory((ACPI_RANGES_MAX - 1) * GIB, 1000 + ACPI_RANGES_MAX - 1);
	assert_memory(ACPI_RANGES_MAX * GIB, NONE);
}

TEST_F(srat_begin, entries_end, test_none)
{
	srat_info.srat = (struct acpi_table){ 0 };
	read_all();
	assert_int_equal(ranges, 0);
	assert_core(0, 0, NONE);
}
