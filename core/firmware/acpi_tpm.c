/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table TPM2; and where it has no address, without an interpreter: in the innermost device with
 * the identification of a TPM 2.0, _HID or _CID, the first descriptor of memory at a fixed place.
 * _CRS may be a method that returns one of several buffers; they have one base. Source: TCG, ACPI
 * Specification 1.3 (TPM2, start method 6, which needs no address); ACPI 6.5, 6.4.3.4 and 20.2
 * (AML).
 */
#include "acpi.h"

#include "acpi_table.h"
#include "aml.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define TPM2_ADDRESS 40
#define TPM2_START   48

#define START_MMIO 6u

#define SIGNATURE_BYTES 4u

/* StringPrefix, the name, and its NUL. */
static const struct aml_id ids[] = { { "\x0dMSFT0101", 10 }, { NULL, 0 } };

/* Memory32Fixed: tag, length of the rest, whether it may be written, base, length. */
#define MEMORY        "\x86\x09\x00"
#define MEMORY_HEAD   3u
#define MEMORY_BASE   4u
#define MEMORY_LENGTH 8u
#define MEMORY_BYTES  12u

/* Of locality 0, which is the one that is used. */
#define LOCALITY_BYTES 0x1000u

/* 0: none. */
static uint32_t memory_in(struct aml a)
{
	for (; a.at < a.end; a.at++) {
		uint32_t base;

		if (!aml_begins(&a, MEMORY, MEMORY_HEAD, MEMORY_BYTES))
			continue;
		base = bytes_le32(a.at + MEMORY_BASE);
		if (base && base % LOCALITY_BYTES == 0 &&
		    bytes_le32(a.at + MEMORY_LENGTH) >= LOCALITY_BYTES)
			return base;
	}
	return 0;
}

static bool take_registers(void *ctx, unsigned id, struct aml device)
{
	uint64_t *address = ctx;

	(void)id;
	*address = memory_in(device);
	return *address;
}

void acpi_parse_tpm2(struct acpi_reader *r, const struct acpi_table *t)
{
	uint64_t address = bytes_le64(t->bytes + TPM2_ADDRESS);

	if (!acpi_is_physical(address)) {
		acpi_complain_of(r, "%s: registers at 0x%llx; not used", t->name,
				 (unsigned long long)address);
		return;
	}
	r->info->tpm_start = bytes_le32(t->bytes + TPM2_START);
	r->info->tpm_address = address;
}

static void visit(void *ctx, const uint8_t *table, uint32_t bytes)
{
	struct acpi_info *info = ctx;

	if (info->tpm_address || bytes_sum(table, bytes) != 0 ||
	    (memcmp(table, "DSDT", SIGNATURE_BYTES) && memcmp(table, "SSDT", SIGNATURE_BYTES)))
		return;
	aml_devices((struct aml){ table + ACPI_HEADER_BYTES, table + bytes }, ids, take_registers,
		    &info->tpm_address);
}

void acpi_tpm_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	if (info->tpm_start == START_MMIO)
		acpi_each_table(memory, rsdp, visit, info);
}
