/* SPDX-License-Identifier: BSD-2-Clause */
/* The area below 1 MiB where a BIOS leaves its tables. */
#include "bios_area.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define AREA_END  0x100000u
#define AREA_STEP 16u /* anchors are on multiples of it */

struct form {
	const char *anchor;
	uint32_t from;
	uint8_t bytes; /* covered by the checksum; 0: their number is in the byte at `length` */
	uint8_t length;
};

/* The checksum of ACPI 1.0's RSDP covers 20 bytes. */
static const struct form forms[DOOR_TABLES] = {
	[DOOR_ACPI_2] = { "RSD PTR ", 0xe0000, 20, 0 },
	[DOOR_SMBIOS] = { "_SM_", 0xf0000, 0, 5 },
	[DOOR_SMBIOS_3] = { "_SM3_", 0xf0000, 0, 6 },
};

/* True if the bytes at `a` are all in the area, and add up to 0. */
static bool checksum_is_zero(const struct form *f, uint32_t a)
{
	const uint8_t *b = (const uint8_t *)(uintptr_t)a;
	uint8_t bytes = f->bytes ? f->bytes : b[f->length];

	return bytes > f->length && bytes <= AREA_END - a && bytes_sum(b, bytes) == 0;
}

uint64_t bios_area_find(enum door_table table)
{
	const struct form *f = &forms[table];
	size_t bytes = f->anchor ? strlen(f->anchor) : 0;

	for (uint32_t a = f->from; bytes && a < AREA_END; a += AREA_STEP)
		if (!memcmp((const void *)(uintptr_t)a, f->anchor, bytes) && checksum_is_zero(f, a))
			return a;
	return 0;
}
