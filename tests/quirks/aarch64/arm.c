/* SPDX-License-Identifier: BSD-2-Clause */
/* Quirks of AArch64 machines. Source: ACPI 6.5, 5.2.5.3, 5.2.12, 5.2.12.14 (GICC) and 5.2.30. */
#include "tests/quirks/quirks.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"

#define FADT_X_DSDT   140
#define TPM_ID        "MSFT0101"
#define MADT_ENTRIES  44
#define MADT_GICC     11
#define GICC_MPIDR    68
#define MPIDR_NO_CORE UINT64_C(0x7f00000000) /* Aff3, of which QEMU's cores have 0 */

/* The MADT's last core is one that PSCI does not know. */
static bool core_missing(void)
{
	uint8_t *madt = quirk_table("APIC"), *last = NULL;
	uint32_t bytes = madt ? bytes_le32(madt + TABLE_LENGTH) : 0;

	for (uint32_t at = MADT_ENTRIES; at + 2 <= bytes && madt[at + 1]; at += madt[at + 1])
		if (madt[at] == MADT_GICC)
			last = madt + at;
	if (!last)
		return false;
	bytes_put_le64(last + GICC_MPIDR, MPIDR_NO_CORE);
	quirk_sum(madt);
	return true;
}

#define NODE(resources) (0 | (20 + 4 * (resources)) << 8)
#define CACHE(next, bytes, ways) \
	1 | 28 << 8, 0x7f, next, bytes, (bytes) / 64 / (ways), (ways) | 0x0a << 8 | 64 << 16, 0
#define PACKAGE 1
#define CORE    0xa /* a leaf, with a UID */

/* clang-format off */
/* A PPTT for two cores: L1 of 64 KiB, L2 of 512 KiB, and one L3 of 4 MiB. Offsets are in bytes. */
static uint32_t pptt[] = {
	0x54545050, 0, 3, 0x4f4e5152, 0x43434343, 1, 0x31, 0, 0, /* the header */
	CACHE(64, 64 << 10, 4),                                  /* at 36 */
	CACHE(0, 512 << 10, 8),                                  /* at 64 */
	CACHE(0, 4 << 20, 16),                                   /* at 92 */
	NODE(1), PACKAGE, 0, 0, 1, 92,                           /* at 120 */
	NODE(1), CORE, 120, 0, 1, 36,
	NODE(1), CORE, 120, 1, 1, 36,
};
/* clang-format on */

/* The PPTT describes caches, as QEMU's does not. */
static bool caches_described(void)
{
	uint8_t *entry = quirk_entry("PPTT");

	if (!entry)
		return false;
	pptt[TABLE_LENGTH / 4] = sizeof(pptt);
	quirk_sum((uint8_t *)pptt);
	bytes_put_le64(entry, (uintptr_t)pptt);
	quirk_sum(quirk_xsdt());
	return true;
}

/* No table has the address of the TPM's registers: the device has another one. */
static bool tpm_unplaced(void)
{
	const uint8_t *fadt = quirk_table("FACP");
	uint8_t *dsdt = fadt ? (void *)(uintptr_t)bytes_le64(fadt + FADT_X_DSDT) : NULL;
	uint32_t bytes = dsdt ? bytes_le32(dsdt + TABLE_LENGTH) : 0;

	for (uint32_t at = 0; at + sizeof(TPM_ID) <= bytes; at++) {
		if (memcmp(dsdt + at, TPM_ID, sizeof(TPM_ID)) != 0)
			continue;
		dsdt[at] = 'X';
		quirk_sum(dsdt);
		return true;
	}
	return false;
}

static const struct quirk quirks_of_arm[] = {
	QUIRK("core-missing", core_missing),
	QUIRK("caches-described", caches_described),
	QUIRK("tpm-unplaced", tpm_unplaced),
	QUIRKS_END,
};

const struct quirk *const quirks_of_processor[] = { quirks_of_arm, NULL };
