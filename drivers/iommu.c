/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources: Intel Virtualization Technology for Directed I/O 4.1, 11.4.4 (global command and status)
 * and 11.4.9 (protected memory); AMD I/O Virtualization Technology 3.07, 3.4.2 (control).
 */
#include "iommu.h"

#include "arch/arch.h"
#include "deadline.h"

#define REGISTERS 4096u
#define WAIT_MS   100

#define VTD_COMMAND   0x18u
#define VTD_STATUS    0x1cu
#define VTD_PROTECT   0x64u
#define VTD_TRANSLATE (1u << 31)
#define VTD_ONE_SHOT  0x69000000u /* bits of the command that are not its state */
#define VTD_PROTECTED (1u << 31)
#define VTD_PROTECTS  (1u << 0)

#define AMD_CONTROL 0x18u
#define AMD_ENABLE  (1u << 0)

static bool is_on(const struct acpi_iommu *m)
{
	if (m->amd)
		return arch_mmio_read32(m->base + AMD_CONTROL) & AMD_ENABLE;
	return arch_mmio_read32(m->base + VTD_STATUS) & VTD_TRANSLATE ||
	       arch_mmio_read32(m->base + VTD_PROTECT) & VTD_PROTECTS;
}

static void write_off(const struct acpi_iommu *m)
{
	uint32_t status, protect;

	if (m->amd) {
		arch_mmio_write32(m->base + AMD_CONTROL,
				  arch_mmio_read32(m->base + AMD_CONTROL) & ~AMD_ENABLE);
		return;
	}
	status = arch_mmio_read32(m->base + VTD_STATUS);
	if (status & VTD_TRANSLATE)
		arch_mmio_write32(m->base + VTD_COMMAND, status & ~(VTD_ONE_SHOT | VTD_TRANSLATE));
	protect = arch_mmio_read32(m->base + VTD_PROTECT);
	if (protect & VTD_PROTECTS)
		arch_mmio_write32(m->base + VTD_PROTECT, protect & ~VTD_PROTECTED);
}

static bool switch_one_off(const struct acpi_iommu *m, uint64_t hz)
{
	struct deadline d = deadline_in(WAIT_MS, hz);

	write_off(m);
	while (is_on(m))
		if (deadline_passed(&d))
			return false;
	return true;
}

struct iommu_states iommu_look(const struct acpi_info *acpi, uint64_t hz, bool switch_off)
{
	struct iommu_states s = { .on = 0 };

	for (uint32_t i = 0; i < acpi->iommu_count; i++) {
		const struct acpi_iommu *m = &acpi->iommu[i];

		if (!arch_map_device(m->base, REGISTERS) || !is_on(m))
			continue;
		s.on++;
		if (!switch_off)
			continue;
		if (switch_one_off(m, hz))
			s.off++;
		else
			s.stuck++;
	}
	return s;
}
