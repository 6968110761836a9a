/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory, cores and devices that are not where OVMF has them. */
#include "pc.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "efi/firmware.h"
#include "tests/inject/x86_64/mmio.h"

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
#define LINE_STATUS 20 /* of a 16550, four bytes apart */
#define READY       0x60

static uint32_t pci_read(uint32_t device, uint32_t reg)
{
	port_write32(PCI_ADDRESS, 1u << 31 | device << 11 | reg);
	return port_read32(PCI_DATA);
}

/* Its memory; 0: there is none. */
static uint64_t ivshmem(void)
{
	for (uint32_t device = 0; device < 32; device++)
		if (pci_read(device, 0) == IVSHMEM)
			return (uint64_t)pci_read(device, BAR2 + 4) << 32 |
			       (pci_read(device, BAR2) & ~BAR_FLAGS);
	return 0;
}

bool quirk_high_uart(void)
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

bool quirk_high_spcr(void)
{
	struct spcr table = dword_16550;
	uint64_t base = ivshmem();

	if (!(base >> 32))
		return false;
	mmio_write(base + LINE_STATUS, READY);
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

bool quirk_high_ecam(void)
{
	return install(&second_segment, sizeof(second_segment));
}

#define RSDP_XSDT    24
#define TABLE_LENGTH 4
#define TABLE_SUM    9
#define TABLE_BYTES  36
#define MADT_ENTRIES 44
#define MADT_NMI     4
#define NO_CORE      0x7f

/* In memory that the firmware lets be written to; NULL: there is none. */
static uint8_t *find_xsdt(void)
{
	static EFI_GUID guid = ACPI_20_TABLE_GUID;
	const uint8_t *rsdp = (const void *)(uintptr_t)firmware_table(&guid);

	return rsdp ? (void *)(uintptr_t)bytes_le64(rsdp + RSDP_XSDT) : NULL;
}

/* The XSDT's entry of that table; NULL: there is none. */
static uint8_t *find_entry(const char *name)
{
	uint8_t *xsdt = find_xsdt();
	uint32_t bytes = xsdt ? bytes_le32(xsdt + TABLE_LENGTH) : 0;

	for (uint32_t at = TABLE_BYTES; at + 8 <= bytes; at += 8)
		if (!memcmp((const void *)(uintptr_t)bytes_le64(xsdt + at), name, 4))
			return xsdt + at;
	return NULL;
}

static uint8_t *find_table(const char *name)
{
	const uint8_t *entry = find_entry(name);

	return entry ? (void *)(uintptr_t)bytes_le64(entry) : NULL;
}

static void set_sum(uint8_t *table)
{
	table[TABLE_SUM] -= bytes_sum(table, bytes_le32(table + TABLE_LENGTH));
}

/* MADT, ACPI 6.5, 5.2.12.7. */
bool quirk_nmis_of_no_core(void)
{
	uint8_t *madt = find_table("APIC");
	uint32_t bytes = madt ? bytes_le32(madt + TABLE_LENGTH) : 0;
	bool found = false;

	for (uint32_t at = MADT_ENTRIES; at + 2 <= bytes && madt[at + 1]; at += madt[at + 1]) {
		if (madt[at] != MADT_NMI)
			continue;
		madt[at + 2] = NO_CORE;
		found = true;
	}
	if (found)
		set_sum(madt);
	return found;
}

/* MADT, ACPI 6.5, 5.2.12.2: local APICs that are enabled, and that no machine here has. */
#define PHANTOMS       20
#define PHANTOM_ID     200
#define LAPIC_BYTES    8
#define LAPIC_ENABLED  1
#define MADT_BYTES_MAX 4096

bool quirk_phantom_cores(void)
{
	static uint8_t longer[MADT_BYTES_MAX];
	uint8_t *entry = find_entry("APIC"), *madt, *core;
	uint32_t bytes;

	if (!entry)
		return false;
	madt = (void *)(uintptr_t)bytes_le64(entry);
	bytes = bytes_le32(madt + TABLE_LENGTH);
	if (bytes + PHANTOMS * LAPIC_BYTES > sizeof(longer))
		return false;
	memcpy(longer, madt, bytes);
	for (uint8_t n = 0; n < PHANTOMS; n++) {
		core = longer + bytes + n * LAPIC_BYTES;
		core[1] = LAPIC_BYTES;
		core[2] = core[3] = (uint8_t)(PHANTOM_ID + n);
		core[4] = LAPIC_ENABLED;
	}
	bytes_put_le32(longer + TABLE_LENGTH, bytes + PHANTOMS * LAPIC_BYTES);
	set_sum(longer);
	bytes_put_le64(entry, (uintptr_t)longer);
	set_sum(find_xsdt());
	return true;
}

/* ACPI 6.5, 5.2.9 and 5.2.9.3: revision 5 has the flag first. */
#define FADT_REVISION  8
#define FADT_BOOT_ARCH 109
#define NO_RTC         (1u << 5)

bool quirk_no_rtc(void)
{
	uint8_t *fadt = find_table("FACP");

	if (!fadt)
		return false;
	fadt[FADT_REVISION] = 5;
	fadt[FADT_BOOT_ARCH] |= NO_RTC;
	set_sum(fadt);
	return true;
}
