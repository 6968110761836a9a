/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for anchors on multiples of 16. */
#include "bios_area.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define END  0x100000u
#define STEP 16u

struct form {
	uint32_t from;
	const char *anchor;
	uint8_t bytes; /* covered by the checksum; 0: their number is in the byte at `length` */
	uint8_t length;
};

/* The checksum of ACPI 1.0's RSDP covers 20 bytes. */
static const struct form rsdp = { 0xe0000, "RSD PTR ", 20, 0 };
static const struct form smbios[] = {
	[false] = { 0xf0000, "_SM_", 0, 5 },
	[true] = { 0xf0000, "_SM3_", 0, 6 },
};

/* True if the bytes are all in the area and add up to 0. `a` is a multiple of STEP below END. */
static bool checksum_is_zero(const struct form *f, uint32_t a)
{
	const uint8_t *b = (const uint8_t *)(uintptr_t)a;
	uint8_t bytes = f->bytes ? f->bytes : b[f->length];

	return bytes > f->length && bytes <= END - a && bytes_sum(b, bytes) == 0;
}

static uint64_t find(const struct form *f)
{
	size_t bytes = strlen(f->anchor);

	for (uint32_t a = f->from; a < END; a += STEP)
		if (!memcmp((const void *)(uintptr_t)a, f->anchor, bytes) && checksum_is_zero(f, a))
			return a;
	return 0;
}

uint64_t bios_area_rsdp(void)
{
	return find(&rsdp);
}

uint64_t bios_area_smbios(bool is_64bit)
{
	return find(&smbios[is_64bit]);
}
