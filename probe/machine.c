/* SPDX-License-Identifier: BSD-2-Clause */
/* The first look at the machine, before anything is taken over. */
#include "machine.h"

#include "core/firmware/acpi.h"
#include "core/device_tree/device_tree.h"
#include "isa.h"
#include "probe/door.h"

#define RATE_MS 100

static const void *map_memory(void *ctx, uint64_t address, size_t bytes)
{
	if (!address || !memory_map_covers(ctx, address, bytes))
		return NULL;
	return (const void *)(uintptr_t)address;
}

struct acpi_memory machine_memory(struct machine *m)
{
	return (struct acpi_memory){ map_memory, &m->map };
}

uint64_t machine_rsdp(void)
{
	uint64_t rsdp = door.table(DOOR_ACPI_2);

	return rsdp ? rsdp : door.table(DOOR_ACPI_1);
}

static void read_acpi(struct acpi_info *acpi, const struct acpi_memory *memory)
{
	uint64_t rsdp = machine_rsdp();
	uint64_t tree = isa_described_by_tree ? door.table(DOOR_DEVICE_TREE) : 0;

	if (rsdp)
		acpi_read(acpi, memory, rsdp, complaints_warn, NULL);
	if (tree)
		device_tree_read(acpi, memory, tree, arch_apic_id(), complaints_warn, NULL);
	else if (!rsdp)
		complaints_warn(NULL, "no " DESCRIBED_BY ": the boot core alone is measured");
}

static void read_smbios(struct smbios_info *smbios, const struct acpi_memory *memory)
{
	uint64_t entry = door.table(DOOR_SMBIOS_3);

	if (entry && smbios_read(smbios, memory, entry, true, complaints_warn, NULL) &&
	    smbios->table)
		return;
	entry = door.table(DOOR_SMBIOS);
	if (entry)
		smbios_read(smbios, memory, entry, false, complaints_warn, NULL);
}

/*
 * Measure the TSC's rate by the fine clocks, and keep those that ran; by the coarse one if there
 * are none. Returns the number of sources.
 */
static unsigned measure_clock(struct machine *m, struct tsc_rate_source *source)
{
	struct refclock fine[MACHINE_REFCLOCKS];
	bool masked = arch_interrupts_masked();
	unsigned n = 0;

	n += refclock_open_hpet(&fine[n], &m->acpi);
	n += refclock_open_pm_timer(&fine[n], &m->acpi);
	arch_mask_interrupts();
	refclock_measure(fine, n, RATE_MS);
	if (!n)
		source[0] = (struct tsc_rate_source){ "pit", refclock_measure_pit(),
						      TSC_RATE_COARSE };
	arch_mask_as(masked);
	for (unsigned i = 0; i < n; i++) {
		source[i] = (struct tsc_rate_source){ fine[i].name, fine[i].tsc_hz,
						      TSC_RATE_MEASURED };
		if (!fine[i].was_off)
			m->refclock[m->refclocks++] = fine[i];
		refclock_close(&fine[i]);
	}
	return n ? n : 1;
}

/*
 * Read what the processor and a hypervisor report, with registers that not every program may read.
 */
static unsigned ask_processor(struct machine *m, struct tsc_rate_source *source)
{
	void *memory = door.pages(arch_first_look_bytes(), 0);

	return memory ? arch_first_look(&m->identity, source, memory, &m->acpi)
		      : arch_clock_sources(source);
}

static void find_clock_rate(struct machine *m)
{
	TEXT_DEFINE(why, CONFIG_COMPLAINT_MAX);

	m->sources = ask_processor(m, m->source);
	m->sources += measure_clock(m, m->source + m->sources);
	tsc_rate_choose(&m->clock, m->source, m->sources);
	if (tsc_rate_explain(&m->clock, &why))
		complaints_add("info", why.buf);
}

void machine_look(struct machine *m)
{
	const struct acpi_memory memory = machine_memory(m);

	if (!door.read_map(&m->map)) {
		complaints_warn(NULL, "the firmware gives no memory map: its tables are not read");
	} else {
		read_acpi(&m->acpi, &memory);
		read_smbios(&m->smbios, &memory);
	}
	arch_identify(&m->identity);
	m->sealed = arch_sealed();
	if (!m->sealed)
		find_clock_rate(m);
}
