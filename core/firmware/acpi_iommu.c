/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DMAR and IVRS: the addresses of IOMMUs' registers. Sources: Intel Virtualization Technology for
 * Directed I/O 4.1, 8.3 (DRHD); AMD I/O Virtualization Technology 3.07, 5.2.2.1 (IVHD).
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"

#define FIRST      48u
#define LENGTH     2u
#define BASE       8u
#define BASE_END   16u
#define DRHD       0u
#define IVHD_FIRST 0x10u
#define IVHD_LAST  0x11u
#define IVHD_ACPI  0x40u
#define REGISTERS  4096u

/* Returns 1 if there was no room for it. */
static uint32_t acpi_iommu_add(struct acpi_reader *r, uint64_t base, bool amd)
{
	struct acpi_info *info = r->info;

	/* Each kind of IVHD describes the same IOMMU again. */
	for (uint32_t i = 0; i < info->iommu_count; i++)
		if (info->iommu[i].base == base)
			return 0;
	if (!base || base % REGISTERS || !acpi_is_physical(base + REGISTERS - 1))
		acpi_complain_of(r, "%s: registers at 0x%llx; ignored", amd ? "IVRS" : "DMAR",
				 (unsigned long long)base);
	else if (info->iommu_count < ACPI_IOMMUS_MAX)
		info->iommu[info->iommu_count++] = (struct acpi_iommu){ base, amd };
	else
		return 1;
	return 0;
}

static bool is_iommu(const uint8_t *at, bool amd)
{
	if (!amd)
		return bytes_le16(at) == DRHD;
	return (at[0] >= IVHD_FIRST && at[0] <= IVHD_LAST) || at[0] == IVHD_ACPI;
}

void acpi_parse_iommus(struct acpi_reader *r, const struct acpi_table *t)
{
	bool amd = t->name[0] == 'I';
	uint32_t at = FIRST, beyond = 0;
	const uint8_t *e;

	while ((e = acpi_next_entry(t, &at)))
		if (bytes_le16(e + LENGTH) >= BASE_END && is_iommu(e, amd))
			beyond += acpi_iommu_add(r, bytes_le64(e + BASE), amd);
	if (beyond)
		acpi_complain_of(r, "%s: %u entries exceed the %u IOMMUs that are looked at",
				 t->name, beyond, ACPI_IOMMUS_MAX);
}
