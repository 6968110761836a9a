/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACPI tables. The first byte selects whether checksums are mended on the way, so
 * that the fuzzer gets past them; the rest is memory that starts with the RSDP.
 */
#include "core/firmware/acpi.h"
#include "core/lib/bytes.h"
#include "tests/fuzz/input.h"

#define MEND 0x01

static struct acpi_info info;

static void mend(uint8_t *b, size_t bytes)
{
	if (bytes >= 20 && memcmp(b, "RSD PTR ", 8) == 0) {
		input_sum(b, 20, 8);
		if (bytes > 32)
			input_sum(b, bytes, 32);
	} else if (bytes >= 36 && bytes_le32(b + 4) == bytes) {
		input_sum(b, bytes, 9);
	}
}

static void check_gas(const struct acpi_gas *gas)
{
	insist(!gas->address || gas->space == ACPI_SPACE_MEMORY ||
	       (gas->space == ACPI_SPACE_IO && gas->address <= 0xffff));
}

/* Check serial_port.h's promises. */
static void check_serial(void)
{
	const struct serial_port *p = &info.serial;

	if (p->kind == SERIAL_PORT_UNDRIVEN)
		return;
	insist(p->name && p->from && p->base);
	insist(p->access && p->access <= p->stride && p->stride <= 4 && p->stride != 3 &&
	       p->access != 3);
	if (p->mmio)
		insist(p->base >> 52 == 0);
	else
		insist(p->base >= 0x100 && p->base <= 0xfff8 && p->stride == 1 &&
		       p->kind == SERIAL_PORT_16550);
}

/* Check that cores with a topology have different ones, unless they share their UID. */
static void check_places(void)
{
	for (uint32_t i = 0; i < info.cpu_count && i < 8; i++) {
		struct acpi_place a = acpi_pptt_place(&info, info.cpu[i].uid);
		uint64_t bytes[ACPI_CACHE_LEVELS];

		acpi_pptt_caches(&info, info.cpu[i].uid, bytes);
		for (uint32_t j = 0; j < i; j++) {
			struct acpi_place b = acpi_pptt_place(&info, info.cpu[j].uid);

			insist(!a.known || !b.known || info.cpu[i].uid == info.cpu[j].uid ||
			       a.package != b.package || a.core != b.core || a.thread != b.thread);
		}
	}
}

/* Check that memory of domains is apart, and that each core is looked up. */
static void check_domains(void)
{
	struct acpi_range range[ACPI_RANGES_MAX];
	uint32_t ranges = acpi_srat_memory(&info, range), domain, found = 0;

	insist(ranges <= ACPI_RANGES_MAX);
	for (uint32_t i = 0; i < ranges; i++) {
		insist(range[i].from < range[i].end && (range[i].end - 1) >> 52 == 0);
		for (uint32_t j = 0; j < i; j++)
			insist(range[j].end <= range[i].from || range[i].end <= range[j].from);
	}
	for (uint32_t i = 0; i < info.cpu_count; i++)
		found += acpi_srat_core(&info, &info.cpu[i], &domain);
	insist(!found || info.srat.length);
}

/* Check acpi.h's promises on *info, whatever the tables contain. */
static void check_info(void)
{
	insist(info.cpu_count <= ACPI_CPUS_MAX && info.nmi_count <= ACPI_NMIS_MAX &&
	       input_complaints <= ACPI_COMPLAINTS_MAX);
	for (uint32_t i = 0; i < info.cpu_count; i++)
		for (uint32_t j = 0; j < i; j++)
			insist(info.cpu[i].apic_id != info.cpu[j].apic_id);
	for (uint32_t i = 0; i < info.nmi_count; i++)
		insist(info.nmi[i].lint <= 1);
	insist(info.smi_cmd <= 0xffff);
	check_gas(&info.pm1a_evt);
	check_gas(&info.pm1a_cnt);
	check_gas(&info.pm1b_cnt);
	check_gas(&info.pm_timer);
	check_gas(&info.reset_reg);
	check_serial();
	check_places();
	check_domains();
}

/* Check that all of the table can be read, and that it has a header. */
static void visit(void *sum, const uint8_t *table, uint32_t bytes)
{
	insist(bytes >= 36 && bytes <= ACPI_TABLE_BYTES_MAX);
	*(uint8_t *)sum ^= bytes_sum(table, bytes);
}

FUZZ(1, SIZE_MAX)
{
	static const struct acpi_info zero;
	static uint8_t sum;
	struct acpi_memory memory;

	memory = input_lay(data + 1, bytes - 1, data[0] & MEND ? mend : NULL);
	if (acpi_read(&info, &memory, INPUT_BASE, input_complain, NULL))
		check_info();
	else
		insist(input_complaints && memcmp(&info, &zero, sizeof(zero)) == 0);
	input_free();
	insist(info.virtios <= ACPI_VIRTIOS_MAX);
	acpi_each_table(&memory, INPUT_BASE, visit, &sum);
	input_free();
}
