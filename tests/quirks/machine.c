/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory, cores and devices that are not where OVMF has them. */
#include "quirks.h"

#include "core/lib/text.h"
#include "efi/firmware.h"
#include "tests/inject/mmio.h"

/* PI 1.8 vol. 2, 13.4. */
struct mp_services {
	VOID *get_number, *get_info;
	EFI_STATUS(EFIAPI *startup_all)
	(struct mp_services *self, VOID *procedure, BOOLEAN single_thread, EFI_EVENT wait,
	 UINTN timeout_us, VOID *argument, UINTN **failed);
};

static EFI_STATUS EFIAPI refuse(struct mp_services *self, VOID *procedure, BOOLEAN single_thread,
				EFI_EVENT wait, UINTN timeout_us, VOID *argument, UINTN **failed)
{
	(void)self, (void)procedure, (void)single_thread, (void)wait, (void)timeout_us;
	(void)argument, (void)failed;
	return EFI_UNSUPPORTED;
}

bool quirk_aps_refused(void)
{
	static EFI_GUID guid = {
		0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 }
	};
	struct mp_services *mp;

	if (EFI_ERROR(firmware_boot()->LocateProtocol(&guid, NULL, (void **)&mp)))
		return false;
	mp->startup_all = refuse;
	return true;
}

#define PCI_ADDRESS 0xcf8
#define PCI_DATA    0xcfc
#define IVSHMEM     0x11101af4u
#define BAR2        0x18
#define BAR_FLAGS   0xfu

static uint32_t pci_read(uint32_t device, uint32_t reg)
{
	port_write32(PCI_ADDRESS, 1u << 31 | device << 11 | reg);
	return port_read32(PCI_DATA);
}

bool quirk_high_uart(void)
{
	char option[60];
	struct text t;
	uint64_t base;

	for (uint32_t device = 0; device < 32; device++) {
		if (pci_read(device, 0) != IVSHMEM)
			continue;
		base = (uint64_t)pci_read(device, BAR2 + 4) << 32 |
		       (pci_read(device, BAR2) & ~BAR_FLAGS);
		text_init(&t, option, sizeof(option));
		text_add(&t, "serial=mmio32:0x%llx", (unsigned long long)base);
		quirk_option(option);
		return base >> 32;
	}
	return false;
}

#define VTD_BASE      UINT64_C(0xfed90000) /* where q35 has it */
#define VTD_VERSION   0x00
#define VTD_COMMAND   0x18
#define VTD_STATUS    0x1c
#define VTD_ROOT      0x20
#define VTD_SET_ROOT  (1u << 30)
#define VTD_TRANSLATE (1u << 31)
#define LIMIT_4G      UINT64_C(0xffffffff)
#define POLLS         1000000

static bool command(uint32_t bit)
{
	mmio_write(VTD_BASE + VTD_COMMAND, mmio_read(VTD_BASE + VTD_STATUS) | bit);
	for (unsigned n = 0; n < POLLS; n++)
		if (mmio_read(VTD_BASE + VTD_STATUS) & bit)
			return true;
	return false;
}

bool quirk_empty_iommu(void)
{
	EFI_PHYSICAL_ADDRESS at = LIMIT_4G;

	if (mmio_read(VTD_BASE + VTD_VERSION) == UINT32_MAX ||
	    EFI_ERROR(firmware_boot()->AllocatePages(AllocateMaxAddress, EfiReservedMemoryType, 1,
						     &at)))
		return false;
	for (unsigned n = 0; n < 1024; n++)
		mmio_write(at + 4 * n, 0);
	mmio_write(VTD_BASE + VTD_ROOT, (uint32_t)at);
	mmio_write(VTD_BASE + VTD_ROOT + 4, 0);
	return command(VTD_SET_ROOT) && command(VTD_TRANSLATE);
}
