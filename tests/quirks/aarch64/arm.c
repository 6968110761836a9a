/* SPDX-License-Identifier: BSD-2-Clause */
/* What machines with AArch64 do. Source: ACPI 6.5, 5.2.5.3, 5.2.12 and 5.2.12.14 (GICC). */
#include "tests/quirks/quirks.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"

#define RSDP_XSDT     24
#define TABLE_LENGTH  4
#define TABLE_SUM     9
#define TABLE_HEADER  36
#define MADT_ENTRIES  44
#define MADT_GICC     11
#define GICC_MPIDR    68
#define MPIDR_NO_CORE UINT64_C(0x7f00000000) /* Aff3, of which QEMU's cores have 0 */

static uint8_t *find_table(const uint8_t *rsdp, const char *name)
{
	const uint8_t *xsdt = (const void *)(uintptr_t)bytes_le64(rsdp + RSDP_XSDT);

	for (uint32_t at = TABLE_HEADER; at + 8 <= bytes_le32(xsdt + TABLE_LENGTH); at += 8) {
		uint8_t *table = (void *)(uintptr_t)bytes_le64(xsdt + at);

		if (!memcmp(table, name, 4))
			return table;
	}
	return NULL;
}

/* The MADT's last core is none that PSCI knows. */
static bool core_missing(void)
{
	static EFI_GUID guid = ACPI_20_TABLE_GUID;
	const uint8_t *rsdp = (const void *)(uintptr_t)firmware_table(&guid);
	uint8_t *madt = rsdp ? find_table(rsdp, "APIC") : NULL, *last = NULL;
	uint32_t bytes = madt ? bytes_le32(madt + TABLE_LENGTH) : 0;

	for (uint32_t at = MADT_ENTRIES; at + 2 <= bytes && madt[at + 1]; at += madt[at + 1])
		if (madt[at] == MADT_GICC)
			last = madt + at;
	if (!last)
		return false;
	bytes_put_le64(last + GICC_MPIDR, MPIDR_NO_CORE);
	madt[TABLE_SUM] = 0;
	for (uint32_t i = 0; i < bytes; i++)
		if (i != TABLE_SUM)
			madt[TABLE_SUM] = (uint8_t)(madt[TABLE_SUM] - madt[i]);
	return true;
}

const struct quirk quirks_of_processor[] = {
	{ "core-missing", core_missing },
	{ NULL, NULL },
};
