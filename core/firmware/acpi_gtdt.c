/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: ACPI 6.5, 5.2.6 (header) and 5.2.25 (GTDT); Linux, drivers/clocksource/arm_arch_timer.c.
 */
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

void acpi_parse_gtdt(struct acpi_reader *r, const struct acpi_table *t)
{
	if (bytes_le32(t->bytes + OEM_REVISION) != 0)
		return;
	for (size_t n = 0; n < sizeof(makers) / sizeof(makers[0]); n++)
		if (memcmp(t->bytes + OEM, makers[n], OEM_BYTES) == 0)
			r->info->counter_errata |= 1u << COUNTER_161010101;
}
