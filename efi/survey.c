/* SPDX-License-Identifier: BSD-2-Clause */
/* The survey, before anything is taken over. */
#include "survey.h"

#include "core/lib/mem.h"

#define RATE_MS 100

static EFI_GUID acpi20_guid = ACPI_20_TABLE_GUID;
static EFI_GUID acpi10_guid = ACPI_TABLE_GUID;
static EFI_GUID smbios3_guid = SMBIOS3_TABLE_GUID;
static EFI_GUID smbios_guid = SMBIOS_TABLE_GUID;

static const void *map_memory(void *ctx, uint64_t address, size_t bytes)
{
	const struct app *app = ctx;

	/* Firmware maps all memory at its own address (UEFI 2.10, 2.3.4). */
	if (!address || !memory_map_covers(&app->map, address, bytes))
		return NULL;
	return (const void *)(uintptr_t)address;
}

static void warn(void *ctx, const char *text)
{
	app_complain(ctx, "warning", text);
}

static void read_acpi(struct app *app, const struct acpi_memory *memory)
{
	uint64_t rsdp = firmware_table(&acpi20_guid);

	if (!rsdp)
		rsdp = firmware_table(&acpi10_guid);
	if (!rsdp)
		warn(app, "no ACPI tables: the boot core alone is measured");
	else
		acpi_read(&app->acpi, memory, rsdp, warn, app);
}

static void read_smbios(struct app *app, const struct acpi_memory *memory)
{
	uint64_t entry = firmware_table(&smbios3_guid);

	if (entry && smbios_read(&app->smbios, memory, entry, true, warn, app))
		return;
	entry = firmware_table(&smbios_guid);
	if (entry)
		smbios_read(&app->smbios, memory, entry, false, warn, app);
}

static void find_clock_rate(struct app *app)
{
	struct refclock hpet, pm;
	struct refclock_rate rate[2];
	const char *source = NULL;
	uint64_t hz = arch_clock_hz(&source);
	bool masked = arch_interrupts_masked();
	unsigned n = 0;

	if (refclock_open_hpet(&hpet, &app->acpi))
		rate[n++] = (struct refclock_rate){ &hpet, 0 };
	if (refclock_open_pm_timer(&pm, &app->acpi))
		rate[n++] = (struct refclock_rate){ &pm, 0 };
	arch_mask_interrupts();
	refclock_measure(rate, n, RATE_MS);
	firmware_mask_as(masked);
	refclock_judge(&app->clock, hz, source, rate, n);
	for (unsigned i = 0; i < n; i++)
		if (rate[i].clock == &hpet)
			refclock_close(&hpet);
}

void survey(struct app *app)
{
	const struct acpi_memory memory = { map_memory, app };

	if (!memory_map_read(&app->map)) {
		warn(app, "the firmware gives no memory map: its tables are not read");
	} else {
		read_acpi(app, &memory);
		read_smbios(app, &memory);
	}
	arch_identify(&app->identity);
	arch_microcode(&app->identity);
	find_clock_rate(app);
}
