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
