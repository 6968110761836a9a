/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: ACPI 6.5, 5.2.6 (header) and 5.2.25 (GTDT); Linux, drivers/clocksource/arm_arch_timer.c.
 */
#include "acpi_gtdt.h"

#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define OEM          10u /* six bytes of the maker, eight of the table, four of its revision */
#define OEM_BYTES    14u
#define OEM_REVISION 24u

/* HiSilicon's Hip05, Hip06 and Hip07 (TaiShan 2280, D05), of revision 0. */
static const char makers[][OEM_BYTES + 1] = {
	"HISI  HIP05   ",
	"HISI  HIP06   ",
	"HISI  HIP07   ",
};

static void look_at_table(void *ctx, const uint8_t *table, uint32_t bytes)
{
	struct acpi_info *info = ctx;

	if (bytes < ACPI_HEADER_BYTES || memcmp(table, "GTDT", 4) != 0 ||
	    bytes_sum(table, bytes) != 0 || bytes_le32(table + OEM_REVISION) != 0)
		return;
	for (size_t n = 0; n < sizeof(makers) / sizeof(makers[0]); n++)
		if (memcmp(table + OEM, makers[n], OEM_BYTES) == 0)
			info->counter_errata |= 1u << COUNTER_161010101;
}

void acpi_gtdt_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	acpi_each_table(memory, rsdp, look_at_table, info);
}
