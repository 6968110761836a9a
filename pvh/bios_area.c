/* SPDX-License-Identifier: BSD-2-Clause */
/* Anchors are at multiples of 16 bytes. */
#include "bios_area.h"

#include "core/lib/mem.h"

#include <stddef.h>

#define RSDP_FROM   0xe0000u
#define SMBIOS_FROM 0xf0000u
#define END         0x100000u
#define STEP        16u
#define RSDP_BYTES  20u /* covered by the checksum of ACPI 1.0 */

static const uint8_t *at(uint32_t address)
{
	return (const uint8_t *)(uintptr_t)address;
}

static bool checksum_is_zero(const uint8_t *bytes, size_t count)
{
	uint8_t sum = 0;

	for (size_t n = 0; n < count; n++)
		sum = (uint8_t)(sum + bytes[n]);
	return !sum;
}

uint64_t bios_area_rsdp(void)
{
	for (uint32_t a = RSDP_FROM; a + RSDP_BYTES <= END; a += STEP)
		if (!memcmp(at(a), "RSD PTR ", 8) && checksum_is_zero(at(a), RSDP_BYTES))
			return a;
	return 0;
}

uint64_t bios_area_smbios(bool is_64bit)
{
	for (uint32_t a = SMBIOS_FROM; a < END; a += STEP)
		if (!memcmp(at(a), is_64bit ? "_SM3_" : "_SM_", is_64bit ? 5 : 4))
			return a;
	return 0;
}
