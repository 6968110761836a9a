/* SPDX-License-Identifier: BSD-2-Clause */
/* A device tree. The first byte is the MPIDR of the core that runs this; the rest is memory. */
#include "core/device_tree/device_tree.h"
#include "tests/fuzz/input.h"

static struct acpi_info info;

static bool is_sound(const struct serial_port *p)
{
	return p->kind != SERIAL_PORT_UNDRIVEN && p->mmio && p->base && !(p->base >> 52) &&
	       (p->stride == 1 || p->stride == 4) && p->access == p->stride;
}

static void check_info(void)
{
	insist(info.cpu_count <= ACPI_CPUS_MAX);
	for (uint32_t i = 0; i < info.cpu_count; i++)
		for (uint32_t j = 0; j < i; j++)
			insist(info.cpu[i].apic_id != info.cpu[j].apic_id);
	insist(info.virtios <= ACPI_VIRTIOS_MAX);
	insist(!info.serial.kind || is_sound(&info.serial));
	for (uint32_t i = 0; i < info.ecam_count; i++)
		insist(info.ecam[i].base && info.ecam[i].first_bus <= info.ecam[i].last_bus);
	/* Without PSCI there is no other core than the boot core. */
	insist(info.has_psci || info.cpu_count <= 1);
}

static bool visit(void *sum, uint64_t address, uint64_t bytes, bool no_map)
{
	*(uint64_t *)sum += address + bytes + no_map;
	return true;
}

/* The loader's command line is a text, and each range can be read. */
static void check_boot(const struct acpi_memory *memory)
{
	struct acpi_reader r = { &info, memory, input_complain, NULL, 0 };
	struct device_tree_boot boot;
	static uint64_t sum;

	memset(&info, 0, sizeof(info));
	if (!device_tree_boot_open(&boot, &r, INPUT_BASE))
		return;
	sum += strlen(boot.command);
	device_tree_each_memory(&boot, visit, &sum);
	device_tree_each_reserved(&boot, visit, &sum);
}

FUZZ(1, SIZE_MAX)
{
	struct acpi_memory memory;

	memory = input_lay(data + 1, bytes - 1, NULL);
	memset(&info, 0, sizeof(info));
	device_tree_read(&info, &memory, INPUT_BASE, data[0], input_complain, NULL);
	insist(input_complaints <= ACPI_COMPLAINTS_MAX);
	check_info();
	check_boot(&memory);
	input_free();
}
