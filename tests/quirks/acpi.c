/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's ACPI tables. Source: ACPI 6.5, 5.2. */
#include "quirks.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"

#define RSDP_XSDT    24
#define XSDT_ENTRIES 36

uint8_t *quirk_xsdt(void)
{
	static EFI_GUID guid = ACPI_20_TABLE_GUID;
	const uint8_t *rsdp = (const void *)(uintptr_t)firmware_table(&guid);

	return rsdp ? (void *)(uintptr_t)bytes_le64(rsdp + RSDP_XSDT) : NULL;
}

uint8_t *quirk_entry(const char *name)
{
	uint8_t *xsdt = quirk_xsdt();
	uint32_t bytes = xsdt ? bytes_le32(xsdt + TABLE_LENGTH) : 0;

	for (uint32_t at = XSDT_ENTRIES; at + 8 <= bytes; at += 8)
		if (!memcmp((const void *)(uintptr_t)bytes_le64(xsdt + at), name, 4))
			return xsdt + at;
	return NULL;
}

uint8_t *quirk_table(const char *name)
{
	const uint8_t *entry = quirk_entry(name);

	return entry ? (void *)(uintptr_t)bytes_le64(entry) : NULL;
}

void quirk_sum(uint8_t *table)
{
	table[TABLE_SUM] -= bytes_sum(table, bytes_le32(table + TABLE_LENGTH));
}
