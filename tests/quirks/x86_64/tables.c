/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables with a mistake, and those of a machine whose firmware has none. Source: ACPI 6.5, 5.2. */
#include "pc.h"

#include "hooked.h"
#include "spare.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"

#define HEADER_BYTES 36

#define FADT_BYTES          276
#define FADT_PM_TMR_BLK     76
#define FADT_PM_TMR_LEN     91
#define FADT_X_PM_TMR_BLK   208
#define FADT_X_PM_TMR_BYTES 12

#define MADT_LAPIC    36
#define MADT_ENTRIES  44
#define MADT_NMI      4
#define NO_CORE       0x7f
#define LAPIC_BYTES   8
#define LAPIC_ENABLED 1
#define LAPIC_ADDRESS 0xfee00000u

#define PHANTOMS   20
#define PHANTOM_ID 200

/* OVMF's address of PIIX4's power management on i440fx: OvmfPkg/Include/OvmfPlatforms.h. */
#define PIIX4_PM_TIMER 0xb008
#define PM_TIMER_BYTES 4

#define PAGE 4096

/* 5.2.12.7 */
static bool nmis_of_no_core(void)
{
	uint8_t *madt = quirk_table("APIC");
	uint32_t bytes = madt ? bytes_le32(madt + TABLE_LENGTH) : 0;
	bool found = false;

	for (uint32_t at = MADT_ENTRIES; at + 2 <= bytes && madt[at + 1]; at += madt[at + 1]) {
		if (madt[at] != MADT_NMI)
			continue;
		madt[at + 2] = NO_CORE;
		found = true;
	}
	if (found)
		quirk_sum(madt);
	return found;
}

/* 5.2.12.2: one more local APIC that is enabled; there is room behind the table. */
static void add_core(uint8_t *madt, uint8_t id)
{
	uint32_t bytes = bytes_le32(madt + TABLE_LENGTH);
	uint8_t *core = madt + bytes;

	memset(core, 0, LAPIC_BYTES);
	core[1] = LAPIC_BYTES;
	core[2] = core[3] = id;
	core[4] = LAPIC_ENABLED;
	bytes_put_le32(madt + TABLE_LENGTH, bytes + LAPIC_BYTES);
	quirk_sum(madt);
}

static bool phantom_cores(void)
{
	static uint8_t longer[PAGE];
	uint8_t *entry = quirk_entry("APIC"), *madt = quirk_table("APIC");

	if (!madt || bytes_le32(madt + TABLE_LENGTH) + PHANTOMS * LAPIC_BYTES > sizeof(longer))
		return false;
	memcpy(longer, madt, bytes_le32(madt + TABLE_LENGTH));
	for (uint8_t n = 0; n < PHANTOMS; n++)
		add_core(longer, (uint8_t)(PHANTOM_ID + n));
	bytes_put_le64(entry, (uintptr_t)longer);
	quirk_sum(quirk_xsdt());
	return true;
}

static bool no_pm_timer(void)
{
	uint8_t *fadt = quirk_table("FACP");

	if (!fadt)
		return false;
	bytes_put_le32(fadt + FADT_PM_TMR_BLK, 0);
	fadt[FADT_PM_TMR_LEN] = 0;
	if (bytes_le32(fadt + TABLE_LENGTH) >= FADT_X_PM_TMR_BLK + FADT_X_PM_TMR_BYTES)
		memset(fadt + FADT_X_PM_TMR_BLK, 0, FADT_X_PM_TMR_BYTES);
	quirk_sum(fadt);
	return true;
}

/* ---- Where there are no tables ---- */

static void write_header(uint8_t *table, const char *name, uint8_t revision, uint32_t bytes)
{
	memcpy(table, name, 4);
	bytes_put_le32(table + TABLE_LENGTH, bytes);
	table[TABLE_REVISION] = revision;
	memcpy(table + 10, "NFTEST", 6);
	quirk_sum(table);
}

static void write_rsdp(uint8_t *rsdp, const uint8_t *xsdt)
{
	memcpy(rsdp, "RSD PTR ", 8);
	rsdp[15] = 2;
	bytes_put_le32(rsdp + 20, 36);
	bytes_put_le64(rsdp + 24, (uintptr_t)xsdt);
	rsdp[8] -= bytes_sum(rsdp, 20);
	rsdp[32] -= bytes_sum(rsdp, 36);
}

static bool tables(void)
{
	static EFI_GUID guid = ACPI_20_TABLE_GUID;
	uint8_t *rsdp = firmware_pages(4 * PAGE, 0);
	uint8_t *xsdt = rsdp + PAGE, *fadt = xsdt + PAGE, *madt = fadt + PAGE;

	if (!rsdp || firmware_table(&guid))
		return false;
	bytes_put_le32(fadt + FADT_PM_TMR_BLK, PIIX4_PM_TIMER);
	fadt[FADT_PM_TMR_LEN] = PM_TIMER_BYTES;
	write_header(fadt, "FACP", 6, FADT_BYTES);
	bytes_put_le32(madt + MADT_LAPIC, LAPIC_ADDRESS);
	write_header(madt, "APIC", 5, MADT_ENTRIES);
	add_core(madt, 0);
	bytes_put_le64(xsdt + HEADER_BYTES, (uintptr_t)fadt);
	bytes_put_le64(xsdt + HEADER_BYTES + 8, (uintptr_t)madt);
	write_header(xsdt, "XSDT", 1, HEADER_BYTES + 16);
	write_rsdp(rsdp, xsdt);
	return !EFI_ERROR(firmware_boot()->InstallConfigurationTable(&guid, rsdp));
}

/* The cores that the tables list have the APIC ids from 0 on. */
static uint8_t listed(void)
{
	const uint8_t *madt = quirk_table("APIC");

	return madt ? (uint8_t)((bytes_le32(madt + TABLE_LENGTH) - MADT_ENTRIES) / LAPIC_BYTES) : 0;
}

static bool another_core(void)
{
	if (listed())
		add_core(quirk_table("APIC"), listed());
	return listed();
}

static bool spare_core(void)
{
	return listed() && !EFI_ERROR(spare_start(listed()));
}

static bool hooked_services(void)
{
	return listed() && !EFI_ERROR(hooked_start(listed()));
}

const struct quirk quirks_of_tables[] = {
	/* A LINT pin for NMIs, of a core that is not there. */
	QUIRK("nmis-of-no-core", nmis_of_no_core),
	/* The MADT has 20 enabled cores more than the machine. */
	QUIRK("phantom-cores", phantom_cores),
	/* The FADT has no PM timer. */
	QUIRK("no-pm-timer", no_pm_timer),
	/* A firmware without any has a FADT with the PM timer, and a MADT with the boot core. */
	QUIRK("tables", tables),
	/* A MADT with one core more. */
	QUIRK("another-core", another_core),
	/* The next core, which is not listed, sends SMIs to the boot core. */
	QUIRK("spare-core", spare_core),
	/* Runtime services do what hooked.h has. */
	QUIRK("hooked-services", hooked_services),
	QUIRKS_END,
};
