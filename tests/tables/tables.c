/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.efi: for tests only. Gives ACPI tables to a machine whose firmware has none, or takes the
 * PM timer out of those that it has; then starts \noisefloor.efi from the same volume. Source: ACPI
 * 6.5, 5.2.
 *
 * \tables.txt holds the number of cores to list, and an `s` behind it where the next core, which
 * is not listed, is to send SMIs to the boot core, or an `h` where services are to be hooked.
 */
#include "hooked.h"
#include "spare.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"
#include "tests/inject/file.h"

#define HEADER_BYTES  36
#define HEADER_LENGTH 4
#define HEADER_SUM    9

#define RSDP_BYTES     36
#define RSDP_SUM_BYTES 20 /* those that the first sum is of */
#define RSDP_SUM       8
#define RSDP_XSDT      24
#define RSDP_SUM_ALL   32

#define FADT_BYTES          276
#define FADT_PM_TMR_BLK     76
#define FADT_PM_TMR_LEN     91
#define FADT_X_PM_TMR_BLK   208
#define FADT_X_PM_TMR_BYTES 12
#define FADT_REVISION       6

#define MADT_LAPIC       36
#define MADT_ENTRIES     44
#define MADT_ENTRY_BYTES 8
#define LAPIC_ADDRESS    0xfee00000u

/* Where OVMF puts PIIX4's power management on i440fx: OvmfPkg/Include/OvmfPlatforms.h. */
#define PIIX4_PM_TIMER 0xb008
#define PM_TIMER_BYTES 4

#define PAGE      4096
#define CORES_MAX 9

static EFI_GUID acpi_guid = ACPI_20_TABLE_GUID;
static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;

struct wanted {
	unsigned cores;
	bool smis, hooks;
};

/* The byte at `at` makes all of them 0. */
static void tables_sum(uint8_t *bytes, size_t count, size_t at)
{
	uint8_t sum = 0;

	bytes[at] = 0;
	for (size_t i = 0; i < count; i++)
		sum = (uint8_t)(sum + bytes[i]);
	bytes[at] = (uint8_t)-sum;
}

static void table_end(uint8_t *table, const char *name, uint8_t revision, uint32_t bytes)
{
	memcpy(table, name, 4);
	bytes_put_le32(table + HEADER_LENGTH, bytes);
	table[8] = revision;
	memcpy(table + 10, "NFTEST", 6);
	tables_sum(table, bytes, HEADER_SUM);
}

static void madt_write(uint8_t *table, unsigned cores)
{
	bytes_put_le32(table + MADT_LAPIC, LAPIC_ADDRESS);
	for (unsigned i = 0; i < cores; i++) {
		uint8_t *entry = table + MADT_ENTRIES + (size_t)i * MADT_ENTRY_BYTES;

		entry[1] = MADT_ENTRY_BYTES;
		entry[2] = entry[3] = (uint8_t)i;
		entry[4] = 1; /* enabled */
	}
	table_end(table, "APIC", 5, MADT_ENTRIES + cores * MADT_ENTRY_BYTES);
}

static void fadt_write(uint8_t *table)
{
	bytes_put_le32(table + FADT_PM_TMR_BLK, PIIX4_PM_TIMER);
	table[FADT_PM_TMR_LEN] = PM_TIMER_BYTES;
	table_end(table, "FACP", FADT_REVISION, FADT_BYTES);
}

static void xsdt_write(uint8_t *table, const uint8_t *const other[], uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		bytes_put_le64(table + HEADER_BYTES + (size_t)i * 8, (uintptr_t)other[i]);
	table_end(table, "XSDT", 1, HEADER_BYTES + count * 8);
}

static void rsdp_write(uint8_t *rsdp, const uint8_t *xsdt)
{
	memcpy(rsdp, "RSD PTR ", 8);
	rsdp[15] = 2;
	bytes_put_le32(rsdp + 20, RSDP_BYTES);
	bytes_put_le64(rsdp + RSDP_XSDT, (uintptr_t)xsdt);
	tables_sum(rsdp, RSDP_SUM_BYTES, RSDP_SUM);
	tables_sum(rsdp, RSDP_BYTES, RSDP_SUM_ALL);
}

static EFI_STATUS tables_install(unsigned cores)
{
	uint8_t *rsdp = firmware_pages(4 * PAGE, 0);
	uint8_t *xsdt = rsdp + PAGE, *fadt = xsdt + PAGE, *madt = fadt + PAGE;

	if (!rsdp)
		return EFI_OUT_OF_RESOURCES;
	fadt_write(fadt);
	madt_write(madt, cores);
	xsdt_write(xsdt, (const uint8_t *const[]){ fadt, madt }, 2);
	rsdp_write(rsdp, xsdt);
	return firmware_boot()->InstallConfigurationTable(&acpi_guid, rsdp);
}

static uint8_t *table_find(const uint8_t *rsdp, const char *name)
{
	const uint8_t *xsdt = (const void *)(uintptr_t)bytes_le64(rsdp + RSDP_XSDT);
	uint32_t bytes = bytes_le32(xsdt + HEADER_LENGTH);

	for (uint32_t at = HEADER_BYTES; at + 8 <= bytes; at += 8) {
		uint8_t *table = (void *)(uintptr_t)bytes_le64(xsdt + at);

		if (!memcmp(table, name, 4))
			return table;
	}
	return NULL;
}

static EFI_STATUS pm_timer_remove(const uint8_t *rsdp)
{
	uint8_t *fadt = table_find(rsdp, "FACP");
	uint32_t bytes;

	if (!fadt)
		return EFI_NOT_FOUND;
	bytes = bytes_le32(fadt + HEADER_LENGTH);
	bytes_put_le32(fadt + FADT_PM_TMR_BLK, 0);
	fadt[FADT_PM_TMR_LEN] = 0;
	if (bytes >= FADT_X_PM_TMR_BLK + FADT_X_PM_TMR_BYTES)
		memset(fadt + FADT_X_PM_TMR_BLK, 0, FADT_X_PM_TMR_BYTES);
	tables_sum(fadt, bytes, HEADER_SUM);
	return EFI_SUCCESS;
}

static struct wanted wanted_read(EFI_HANDLE device)
{
	char text[2] = "";
	UINTN bytes = file_read(device, L"\\tables.txt", text, sizeof(text));
	unsigned cores = bytes ? (unsigned)(text[0] - '0') : 1;

	return (struct wanted){
		.cores = cores >= 1 && cores <= CORES_MAX ? cores : 1,
		.smis = bytes > 1 && text[1] == 's',
		.hooks = bytes > 1 && text[1] == 'h',
	};
}

static EFI_STATUS tables_change(EFI_HANDLE device)
{
	const uint8_t *rsdp = (const void *)(uintptr_t)firmware_table(&acpi_guid);
	struct wanted wanted = wanted_read(device);
	EFI_STATUS status;

	if (rsdp)
		return pm_timer_remove(rsdp);
	status = tables_install(wanted.cores);
	if (!EFI_ERROR(status) && wanted.smis)
		status = spare_start((uint8_t)wanted.cores);
	if (!EFI_ERROR(status) && wanted.hooks)
		status = hooked_start(wanted.cores);
	return status;
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	EFI_LOADED_IMAGE *image;
	EFI_HANDLE probe;
	EFI_STATUS status;

	firmware_init(self, table);
	status = firmware_boot()->HandleProtocol(self, &loaded_image_guid, (void **)&image);
	if (!EFI_ERROR(status))
		status = tables_change(image->DeviceHandle);
	if (!EFI_ERROR(status))
		status = firmware_boot()->LoadImage(
			FALSE, self, file_path(image->DeviceHandle, L"\\noisefloor.efi"), NULL, 0,
			&probe);
	if (EFI_ERROR(status)) {
		firmware_print("tables: the machine cannot be made what the test wants");
		return status;
	}
	return firmware_boot()->StartImage(probe, NULL, NULL);
}
