/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SMBIOS tables. The first byte selects which kind of entry point is expected and
 * whether its checksum is mended; the rest is memory that starts with it.
 */
#include "core/firmware/smbios.h"
#include "tests/fuzz/input.h"

#define MEND     0x01
#define IS_64BIT 0x02

static void mend(uint8_t *b, size_t bytes)
{
	if (bytes >= 0x18 && memcmp(b, "_SM3_", 5) == 0)
		input_sum(b, bytes, 5);
	else if (bytes >= 0x1e && memcmp(b, "_SM_", 4) == 0)
		input_sum(b, bytes, 4);
}

/* The scrubbed table is no longer than before, and ends where it has to. */
static void scrub(const struct smbios_info *info, size_t cap)
{
	uint8_t *out = malloc(cap + 1);

	insist(out);
	insist(!info->table || smbios_scrub(info->table, info->bytes, out, cap) <=
				       (cap < info->bytes ? cap : info->bytes));
	free(out);
}

FUZZ(1, SIZE_MAX)
{
	static const struct smbios_info empty;
	struct acpi_memory memory;
	struct smbios_info info;

	memory = input_lay(data + 1, bytes - 1, data[0] & MEND ? mend : NULL);
	if (!smbios_read(&info, &memory, INPUT_BASE, data[0] & IS_64BIT, input_complain, NULL))
		insist(input_complaints && memcmp(&info, &empty, sizeof(empty)) == 0);
	insist_showable(info.bios_vendor, sizeof(info.bios_vendor));
	insist_showable(info.bios_version, sizeof(info.bios_version));
	insist_showable(info.bios_date, sizeof(info.bios_date));
	insist_showable(info.vendor, sizeof(info.vendor));
	insist_showable(info.product, sizeof(info.product));
	insist_showable(info.board, sizeof(info.board));
	insist(strlen(info.uuid) == 0 || strlen(info.uuid) == 36);
	scrub(&info, bytes);
	scrub(&info, bytes / 2);
	input_free();
}
