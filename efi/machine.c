/* SPDX-License-Identifier: BSD-2-Clause */
/* The survey, before anything is taken over. */
#include "machine.h"

#include "firmware.h"

#define RATE_MS 100

static EFI_GUID acpi20_guid = ACPI_20_TABLE_GUID;
static EFI_GUID acpi10_guid = ACPI_TABLE_GUID;
static EFI_GUID smbios3_guid = SMBIOS3_TABLE_GUID;
static EFI_GUID smbios_guid = SMBIOS_TABLE_GUID;

static const void *map_memory(void *ctx, uint64_t address, size_t bytes)
{
	/* Firmware maps all memory at its own address (UEFI 2.10, 2.3.4). */
	if (!address || !memory_map_covers(ctx, address, bytes))
		return NULL;
	return (const void *)(uintptr_t)address;
}

static void read_acpi(struct acpi_info *acpi, const struct acpi_memory *memory,
		      struct complaints *complaints)
{
	uint64_t rsdp = firmware_table(&acpi20_guid);

	if (!rsdp)
		rsdp = firmware_table(&acpi10_guid);
	if (!rsdp)
		complaints_warn(complaints, "no ACPI tables: the boot core alone is measured");
	else
		acpi_read(acpi, memory, rsdp, complaints_warn, complaints);
}

static void read_smbios(struct smbios_info *smbios, const struct acpi_memory *memory,
			struct complaints *complaints)
{
	uint64_t entry = firmware_table(&smbios3_guid);

	if (entry && smbios_read(smbios, memory, entry, true, complaints_warn, complaints))
		return;
	entry = firmware_table(&smbios_guid);
	if (entry)
		smbios_read(smbios, memory, entry, false, complaints_warn, complaints);
}

static void find_clock_rate(struct refclock_verdict *clock, const struct acpi_info *acpi)
{
	struct refclock hpet, pm;
	struct refclock_rate rate[2];
	const char *source = NULL;
	uint64_t hz = arch_clock_hz(&source);
	bool masked = arch_interrupts_masked();
	unsigned n = 0;

	if (refclock_open_hpet(&hpet, acpi))
		rate[n++] = (struct refclock_rate){ &hpet, 0 };
	if (refclock_open_pm_timer(&pm, acpi))
		rate[n++] = (struct refclock_rate){ &pm, 0 };
	arch_mask_interrupts();
	refclock_measure(rate, n, RATE_MS);
	firmware_mask_as(masked);
	refclock_judge(clock, hz, source, rate, n);
	for (unsigned i = 0; i < n; i++)
		if (rate[i].clock == &hpet)
			refclock_close(&hpet);
}

void machine_survey(struct machine *m, struct complaints *complaints)
{
	const struct acpi_memory memory = { map_memory, &m->map };

	if (!memory_map_read(&m->map)) {
		complaints_warn(complaints,
				"the firmware gives no memory map: its tables are not read");
	} else {
		read_acpi(&m->acpi, &memory, complaints);
		read_smbios(&m->smbios, &memory, complaints);
	}
	arch_identify(&m->identity);
	arch_microcode(&m->identity);
	find_clock_rate(&m->clock, &m->acpi);
}
