/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Without an interpreter: in the innermost device with the identification of a TPM 2.0, _HID or
 * _CID, the first descriptor of memory at a fixed place. _CRS may be a method that returns one of
 * several buffers; they have one base. Source: TCG, ACPI Specification 1.3 (TPM2, start method 6,
 * which needs no address); ACPI 6.5, 6.4.3.4 and 20.2 (AML).
 */
#include "acpi_tpm.h"

#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define START_MMIO 6u

#define SIGNATURE_BYTES 4u

/* ExtOpPrefix DeviceOp PkgLength */
#define DEVICE       "\x5b\x82"
#define DEVICE_BYTES 2u

/* StringPrefix, the name, and its NUL. */
#define ID       "\x0dMSFT0101"
#define ID_BYTES sizeof(ID)

/* Memory32Fixed: tag, length of the rest, whether it may be written, base, length. */
#define MEMORY        "\x86\x09\x00"
#define MEMORY_HEAD   3u
#define MEMORY_BASE   4u
#define MEMORY_LENGTH 8u
#define MEMORY_BYTES  12u

/* Of locality 0, which is the one that is used. */
#define LOCALITY_BYTES 0x1000u

struct aml {
	const uint8_t *at, *end;
};

static bool begins(const struct aml *a, const char *what, size_t bytes, size_t needed)
{
	return (size_t)(a->end - a->at) >= needed && memcmp(a->at, what, bytes) == 0;
}

/* What of the package whose length is at `a` comes after it; nothing, if it ends past `a`. */
static struct aml package_at(struct aml a)
{
	size_t left = (size_t)(a.end - a.at), more = left ? a.at[0] >> 6 : 0, bytes;

	if (more >= left)
		return (struct aml){ a.end, a.end };
	bytes = a.at[0] & (more ? 0x0f : 0x3f);
	for (size_t i = 0; i < more; i++)
		bytes |= (size_t)a.at[1 + i] << (4 + 8 * i);
	if (bytes > left)
		return (struct aml){ a.end, a.end };
	return (struct aml){ a.at + 1 + more, a.at + bytes };
}

/* 0: none. */
static uint32_t memory_in(struct aml a)
{
	for (; a.at < a.end; a.at++) {
		uint32_t base;

		if (!begins(&a, MEMORY, MEMORY_HEAD, MEMORY_BYTES))
			continue;
		base = bytes_le32(a.at + MEMORY_BASE);
		if (base && base % LOCALITY_BYTES == 0 &&
		    bytes_le32(a.at + MEMORY_LENGTH) >= LOCALITY_BYTES)
			return base;
	}
	return 0;
}

/* Each device is looked through once at most, so that it takes no longer than a table is long. */
static uint32_t registers_in(struct aml a)
{
	struct aml device = { a.end, a.end };

	for (; a.at < a.end; a.at++) {
		if (begins(&a, DEVICE, DEVICE_BYTES, DEVICE_BYTES)) {
			device = package_at((struct aml){ a.at + DEVICE_BYTES, a.end });
		} else if (a.at >= device.at && a.at < device.end &&
			   begins(&a, ID, ID_BYTES, ID_BYTES)) {
			uint32_t found = memory_in(device);

			if (found)
				return found;
			a.at = device.end - 1;
		}
	}
	return 0;
}

static void visit(void *ctx, const uint8_t *table, uint32_t bytes)
{
	struct acpi_info *info = ctx;

	if (info->tpm_address || bytes_sum(table, bytes) != 0 ||
	    (memcmp(table, "DSDT", SIGNATURE_BYTES) && memcmp(table, "SSDT", SIGNATURE_BYTES)))
		return;
	info->tpm_address = registers_in((struct aml){ table + ACPI_HEADER_BYTES, table + bytes });
}

void acpi_tpm_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	if (info->tpm_start == START_MMIO)
		acpi_each_table(memory, rsdp, visit, info);
}
