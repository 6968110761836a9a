/* SPDX-License-Identifier: BSD-2-Clause */
/* IOMMUs as DMA protection before the boot leaves them. */
#include "pc.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"

#define VTD_BASE      UINT64_C(0xfed90000) /* where q35 has it */
#define VTD_VERSION   0x00
#define VTD_COMMAND   0x18
#define VTD_STATUS    0x1c
#define VTD_ROOT      0x20
#define VTD_SET_ROOT  (1u << 30)
#define VTD_TRANSLATE (1u << 31)
#define AMD_BASE      UINT64_C(0xfed80000) /* where q35 has it, too */
#define AMD_TABLE     0x00
#define AMD_CONTROL   0x18
#define AMD_FEATURES  0x30
#define AMD_ENABLE    (1u << 0)
/* AMD I/O Virtualization Technology 3.07, 2.2.2.1: V and TV; no mode, not readable or writable. */
#define AMD_VALID       3u
#define AMD_ENTRY_BYTES 32u
#define AMD_TABLE_PAGES 2u
#define PAGE            4096u
#define LIMIT_4G        UINT64_C(0xffffffff)
#define POLLS           1000000

static bool command(uint32_t bit)
{
	arch_mmio_write32(VTD_BASE + VTD_COMMAND, arch_mmio_read32(VTD_BASE + VTD_STATUS) | bit);
	for (unsigned n = 0; n < POLLS; n++)
		if (arch_mmio_read32(VTD_BASE + VTD_STATUS) & bit)
			return true;
	return false;
}

/* A page that all IOMMUs reach; 0: there is none. */
static uint32_t table_page(void)
{
	EFI_PHYSICAL_ADDRESS at = LIMIT_4G;

	if (EFI_ERROR(firmware_boot()->AllocatePages(AllocateMaxAddress, EfiReservedMemoryType,
						     AMD_TABLE_PAGES, &at)))
		return 0;
	memset((void *)(uintptr_t)at, 0, AMD_TABLE_PAGES * PAGE);
	return (uint32_t)at;
}

static bool empty_vtd(uint32_t table)
{
	arch_mmio_write32(VTD_BASE + VTD_ROOT, table);
	arch_mmio_write32(VTD_BASE + VTD_ROOT + 4, 0);
	return command(VTD_SET_ROOT) && command(VTD_TRANSLATE);
}

/* An entry that is all 0 would let pass: each device of the first bus has a translation to nothing.
 */
static bool empty_amd(uint32_t table)
{
	for (uint32_t at = 0; at < AMD_TABLE_PAGES * PAGE; at += AMD_ENTRY_BYTES)
		arch_mmio_write32(table + at, AMD_VALID);
	arch_mmio_write32(AMD_BASE + AMD_TABLE, table | (AMD_TABLE_PAGES - 1));
	arch_mmio_write32(AMD_BASE + AMD_TABLE + 4, 0);
	arch_mmio_write32(AMD_BASE + AMD_CONTROL,
			  arch_mmio_read32(AMD_BASE + AMD_CONTROL) | AMD_ENABLE);
	return arch_mmio_read32(AMD_BASE + AMD_CONTROL) & AMD_ENABLE;
}

static bool empty_iommu(void)
{
	uint32_t table = table_page();

	if (!table)
		return false;
	if (arch_mmio_read32(VTD_BASE + VTD_VERSION))
		return empty_vtd(table);
	return arch_mmio_read32(AMD_BASE + AMD_FEATURES) && empty_amd(table);
}

const struct quirk quirks_of_iommu[] = {
	/* An IOMMU with an empty table: no device's DMA arrives. */
	QUIRK("empty-iommu", empty_iommu),
	QUIRKS_END,
};
