/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory, cores and devices that are not where OVMF has them. */
#include "pc.h"

#include "arch/arch.h"
#include "core/lib/text.h"
#include "efi/firmware.h"
#include "tests/inject/x86_64/pc.h"

static EFI_STATUS EFIAPI refuse(struct mp_services *self, VOID *procedure, BOOLEAN single_thread,
				EFI_EVENT wait, UINTN timeout_us, VOID *argument, UINTN **failed)
{
	(void)self, (void)procedure, (void)single_thread, (void)wait, (void)timeout_us;
	(void)argument, (void)failed;
	return EFI_UNSUPPORTED;
}

static bool aps_refused(void)
{
	static EFI_GUID guid = MP_SERVICES_GUID;
	struct mp_services *mp;

	if (EFI_ERROR(firmware_boot()->LocateProtocol(&guid, NULL, (void **)&mp)))
		return false;
	mp->startup_all = refuse;
	return true;
}

#define IVSHMEM     0x11101af4u
#define LINE_STATUS 20 /* offset in a 16550 with registers four bytes apart */
#define READY       0x60

/* Address of the device's memory; 0: there is no such device. */
static uint64_t ivshmem(void)
{
	for (uint8_t device = 0; device < 32; device++) {
		const struct pci_address at = { .device = device };

		if (pci_read32(&pci_by_ports, &at, PCI_ID) == IVSHMEM)
			return pci_bar(&pci_by_ports, &at, 2).base;
	}
	return 0;
}

static bool high_uart(void)
{
	uint64_t base = ivshmem();
	char option[60];
	struct text t;

	text_init(&t, option, sizeof(option));
	text_add(&t, "serial=mmio32:0x%llx", (unsigned long long)base);
	quirk_option(option);
	return base >> 32;
}

/* UEFI 2.10, 20.2. */
struct acpi_tables {
	EFI_STATUS(EFIAPI *install)
	(struct acpi_tables *self, const VOID *table, UINTN bytes, UINTN *key);
};

/* The firmware sets the checksum. */
static bool install(const void *table, size_t bytes)
{
	static EFI_GUID guid = {
		0xffe06bdd, 0x6107, 0x46a6, { 0x7b, 0xb2, 0x5a, 0x9c, 0x7e, 0xc5, 0x27, 0x5c }
	};
	struct acpi_tables *acpi;
	UINTN key;

	return !EFI_ERROR(firmware_boot()->LocateProtocol(&guid, NULL, (void **)&acpi)) &&
	       !EFI_ERROR(acpi->install(acpi, table, bytes, &key));
}

/* ACPI 6.5, 5.2.6 and 5.2.3.2; Serial Port Console Redirection, revision 2. */
static const struct spcr {
	char name[4];
	uint32_t bytes;
	uint8_t revision, sum, from[26], type, reserved[3];
	uint8_t space, width, offset, access;
	uint32_t address[2];
	uint8_t rest[32];
} __attribute__((packed)) dword_16550 = {
	.name = { 'S', 'P', 'C', 'R' },
	.bytes = sizeof(struct spcr),
	.revision = 2,
	.width = 32,
	.access = 3,
};

static bool high_spcr(void)
{
	struct spcr table = dword_16550;
	uint64_t base = ivshmem();

	if (!(base >> 32))
		return false;
	arch_mmio_write32(base + LINE_STATUS, READY);
	table.address[0] = (uint32_t)base;
	table.address[1] = (uint32_t)(base >> 32);
	return install(&table, sizeof(table));
}

/* PCI Firmware Specification 3.3, 4.1.2. */
static const struct mcfg {
	char name[4];
	uint32_t bytes;
	uint8_t revision, sum, from[26], reserved[8];
	uint64_t base;
	uint16_t segment;
	uint8_t first_bus, last_bus, reserved_2[4];
} __attribute__((packed)) second_segment = {
	.name = { 'M', 'C', 'F', 'G' },
	.bytes = sizeof(struct mcfg),
	.revision = 1,
	.base = UINT64_C(0x800000000),
	.segment = 1,
	.last_bus = 255,
};

static bool high_ecam(void)
{
	return install(&second_segment, sizeof(second_segment));
}

const struct quirk quirks_of_devices[] = {
	/* MP Services start all cores only for callers that wait. */
	QUIRK("aps-refused", aps_refused),
	/* The serial port is the memory of an ivshmem-plain device, above 4 GiB: by the
	 * configuration, by SPCR. */
	QUIRK("high-uart", high_uart),
	QUIRK("high-spcr", high_spcr),
	/* PCI has a second segment, without devices, in memory far above all other. */
	QUIRK("high-ecam", high_ecam),
	QUIRKS_END,
};

const struct quirk *const quirks_of_processor[] = {
	quirks_of_apic,  quirks_of_devices,   quirks_of_tables,
	quirks_of_iommu, quirks_of_variables, NULL,
};
