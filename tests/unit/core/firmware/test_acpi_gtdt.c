/* SPDX-License-Identifier: BSD-2-Clause */
/* Errata of the system counter by the GTDT's maker, as ACPI 6.5, 5.2.6 lays out a header. */
#include "core/firmware/acpi.h"
#include "tests/unit/common/test.h"
#include "tests/unit/physical.h"

#include <string.h>

#define BYTES       96u
#define OEM_AT      10u
#define REVISION_AT 24u
#define CHECKSUM_AT 9u

static struct physical memory;

static void ignore(void *ctx, const char *text)
{
	(void)ctx, (void)text;
}

static uint32_t errata_of(const char *signature, const char *oem, uint32_t revision, uint8_t wrong)
{
	static struct acpi_info info;
	struct acpi_memory from = physical_memory(&memory);
	uint64_t table;

	physical_reset(&memory);
	table = physical_alloc(&memory, BYTES);
	memcpy(physical_at(&memory, table), signature, 4);
	physical_put(&memory, table + 4, 4, BYTES);
	memcpy(physical_at(&memory, table + OEM_AT), oem, 14);
	physical_put(&memory, table + REVISION_AT, 4, revision);
	physical_sum(&memory, table, BYTES, CHECKSUM_AT);
	physical_put(&memory, table + BYTES - 1, 1, wrong);
	acpi_read(&info, &from, physical_list(&memory, &table, 1), ignore, NULL);
	physical_reset(&memory);
	return info.counter_errata;
}

TEST(test_makers)
{
	assert_int_equal(errata_of("GTDT", "HISI  HIP05   ", 0, 0), 1u << COUNTER_161010101);
	assert_int_equal(errata_of("GTDT", "HISI  HIP06   ", 0, 0), 1u << COUNTER_161010101);
	assert_int_equal(errata_of("GTDT", "HISI  HIP07   ", 0, 0), 1u << COUNTER_161010101);
	assert_int_equal(errata_of("GTDT", "HISI  HIP08   ", 0, 0), 0);
	assert_int_equal(errata_of("GTDT", "HISI  HIP07   ", 1, 0), 0);
	assert_int_equal(errata_of("GTDT", "BOCHS BXPC    ", 0, 0), 0);
}

TEST(test_another_table)
{
	assert_int_equal(errata_of("FACX", "HISI  HIP07   ", 0, 0), 0);
}

TEST(test_a_wrong_sum)
{
	assert_int_equal(errata_of("GTDT", "HISI  HIP07   ", 0, 1), 0);
}
