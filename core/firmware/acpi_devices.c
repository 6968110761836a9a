/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables with addresses of devices: configuration space of PCI, IOMMUs, the console's port. */
#include "acpi_table.h"
#include "core/lib/bytes.h"

/*
 * ---- MCFG: PCI Firmware Specification 3.3, 4.1.2 ----
 *
 * The addresses are read and written later, so an implausible region is left out.
 */

/* Offsets in the table, and in each allocation. */
#define MCFG_FIRST      44
#define MCFG_ENTRY      16
#define ENTRY_SEGMENT   8
#define ENTRY_FIRST_BUS 10
#define ENTRY_LAST_BUS  11

#define BUS_BYTES (UINT64_C(1) << 20) /* 32 devices of 8 functions of 4 KiB */

static bool plausible(const struct acpi_ecam *e)
{
	return e->base && e->base % BUS_BYTES == 0 && e->first_bus <= e->last_bus &&
	       acpi_is_physical(e->base) &&
	       acpi_is_physical(e->base + (e->last_bus + UINT64_C(1)) * BUS_BYTES - 1);
}

static bool is_known(const struct acpi_info *info, const struct acpi_ecam *e)
{
	for (uint32_t i = 0; i < info->ecam_count; i++) {
		const struct acpi_ecam *k = &info->ecam[i];

		if (k->segment == e->segment && k->first_bus <= e->last_bus &&
		    e->first_bus <= k->last_bus)
			return true;
	}
	return false;
}

void acpi_add_ecam(struct acpi_reader *r, const char *table, const struct acpi_ecam *e)
{
	struct acpi_info *info = r->info;
	const char *wrong = NULL;

	if (!plausible(e))
		wrong = "cannot be";
	else if (is_known(info, e))
		wrong = "was listed before";
	else if (info->ecam_count == ACPI_ECAMS_MAX)
		wrong = "exceeds the maximum number of regions";
	if (!wrong) {
		info->ecam[info->ecam_count++] = *e;
		return;
	}
	acpi_complain_of(r, "%s: segment %u buses %u-%u at 0x%llx %s; ignored", table, e->segment,
			 e->first_bus, e->last_bus, (unsigned long long)e->base, wrong);
}

void acpi_parse_mcfg(struct acpi_reader *r, const struct acpi_table *t)
{
	uint32_t at = MCFG_FIRST;

	for (; t->length - at >= MCFG_ENTRY; at += MCFG_ENTRY) {
		const uint8_t *e = t->bytes + at;

		acpi_add_ecam(r, "MCFG",
			      &(struct acpi_ecam){ .base = bytes_le64(e),
						   .segment = bytes_le16(e + ENTRY_SEGMENT),
						   .first_bus = e[ENTRY_FIRST_BUS],
						   .last_bus = e[ENTRY_LAST_BUS] });
	}
	if (at != t->length)
		acpi_complain_of(r, "MCFG: %u bytes after its last entry; ignored", t->length - at);
}

/*
 * ---- DMAR and IVRS ----
 *
 * Sources: Intel Virtualization Technology for Directed I/O 4.1, 8.3 (DRHD); AMD I/O Virtualization
 * Technology 3.07, 5.2.2.1 (IVHD).
 */

#define IOMMUS_FIRST   48u
#define IOMMU_LENGTH   2u
#define IOMMU_BASE     8u
#define IOMMU_BASE_END 16u
#define DRHD           0u
#define IVHD_FIRST     0x10u
#define IVHD_LAST      0x11u
#define IVHD_ACPI      0x40u
#define IOMMU_BYTES    4096u

/* Returns 1 if there was no room for it. */
static uint32_t acpi_iommu_add(struct acpi_reader *r, uint64_t base, bool amd)
{
	struct acpi_info *info = r->info;

	/* Each kind of IVHD describes the same IOMMU again. */
	for (uint32_t i = 0; i < info->iommu_count; i++)
		if (info->iommu[i].base == base)
			return 0;
	if (!base || base % IOMMU_BYTES || !acpi_is_physical(base + IOMMU_BYTES - 1))
		acpi_complain_of(r, "%s: registers at 0x%llx; ignored", amd ? "IVRS" : "DMAR",
				 (unsigned long long)base);
	else if (info->iommu_count < ACPI_IOMMUS_MAX)
		info->iommu[info->iommu_count++] = (struct acpi_iommu){ base, amd };
	else
		return 1;
	return 0;
}

static bool is_iommu(const uint8_t *at, bool amd)
{
	if (!amd)
		return bytes_le16(at) == DRHD;
	return (at[0] >= IVHD_FIRST && at[0] <= IVHD_LAST) || at[0] == IVHD_ACPI;
}

void acpi_parse_iommus(struct acpi_reader *r, const struct acpi_table *t)
{
	bool amd = t->name[0] == 'I';
	uint32_t at = IOMMUS_FIRST, beyond = 0;
	const uint8_t *e;

	while ((e = acpi_next_entry(t, &at)))
		if (bytes_le16(e + IOMMU_LENGTH) >= IOMMU_BASE_END && is_iommu(e, amd))
			beyond += acpi_iommu_add(r, bytes_le64(e + IOMMU_BASE), amd);
	if (beyond)
		acpi_complain_of(r, "%s: %u entries exceed the %u IOMMUs that are looked at",
				 t->name, beyond, ACPI_IOMMUS_MAX);
}

/*
 * ---- SPCR ----
 *
 * Source: Microsoft, Serial Port Console Redirection Table, rev. 4; its types are those of Debug
 * Port Table 2, table 3.
 */

#define SPCR_TYPE 36
#define SPCR_BASE 40

#define IO_SYSTEM_END 0x100u /* lower ports are the board's: timers, interrupt controllers */

/*
 * Interfaces that can be driven, by subtype. `width`: size of a register, and distance to the next
 * one, in bytes; 0: as in the GAS. The registers of Nvidia's and Intel's LPSS are four bytes apart,
 * whatever the GAS has.
 */
static const struct interface {
	const char *name;
	enum serial_port_kind kind;
	uint8_t width;
} interfaces[] = {
	[0x00] = { "16550", SERIAL_PORT_16550, 0 },
	[0x01] = { "16550", SERIAL_PORT_16550, 0 }, /* DBGP's */
	[0x03] = { "PL011", SERIAL_PORT_PL011, 4 },
	[0x05] = { "Nvidia 16550", SERIAL_PORT_16550, 4 },
	[0x0d] = { "SBSA UART (32 bits)", SERIAL_PORT_PL011, 4 },
	[0x0e] = { "SBSA UART", SERIAL_PORT_PL011, 4 },
	[0x10] = { "BCM2835 mini UART", SERIAL_PORT_BCM2835, 4 },
	[0x12] = { "16550", SERIAL_PORT_16550, 0 }, /* with the values of the GAS */
	[0x14] = { "Intel LPSS 16550", SERIAL_PORT_16550, 4 },
};

#define INTERFACES (sizeof(interfaces) / sizeof(interfaces[0]))

static uint8_t width_of(const struct acpi_gas *gas)
{
	return gas->bit_width == 32 ? 4 : gas->bit_width == 16 ? 2 : 1;
}

/* ACPI 6.5, table 5.1: 0 is undefined; of registers of 8 bits, 64 are none. */
static uint8_t access_of(const struct acpi_gas *gas)
{
	return gas->access && gas->access <= ACPI_ACCESS_DWORD ? (uint8_t)(1u << (gas->access - 1))
							       : width_of(gas);
}

static struct serial_port port_of(const char *from, const struct interface *i,
				  const struct acpi_gas *gas)
{
	struct serial_port p = {
		.kind = i->kind,
		.name = i->name,
		.from = from,
		.mmio = gas->space == ACPI_SPACE_MEMORY,
		.base = gas->address,
		.stride = 1,
		.access = 1,
		.is_set_up = true,
	};

	if (p.mmio) {
		p.access = i->width ? i->width : access_of(gas);
		p.stride = i->width ? i->width : width_of(gas);
		if (p.stride < p.access)
			p.stride = p.access;
	}
	return p;
}

static bool is_reachable(const struct interface *i, const struct acpi_gas *gas)
{
	if (!acpi_gas_usable(gas))
		return false;
	if (gas->space == ACPI_SPACE_MEMORY)
		return true;
	return i->kind == SERIAL_PORT_16550 && gas->address >= IO_SYSTEM_END &&
	       gas->address + SERIAL_PORT_REGISTERS <= ACPI_IO_END;
}

void acpi_parse_spcr(struct acpi_reader *r, const struct acpi_table *t)
{
	struct acpi_gas gas = acpi_gas_at(t, SPCR_BASE);
	unsigned type = t->bytes[SPCR_TYPE];
	const struct interface *i = &interfaces[type < INTERFACES ? type : 0];

	/* Redirection is off. */
	if (gas.address == 0)
		return;
	if (type >= INTERFACES || !i->name) {
		acpi_complain_of(r, "%s: serial port of type 0x%x cannot be driven; not used",
				 t->name, type);
		return;
	}
	if (!is_reachable(i, &gas)) {
		acpi_complain_registers(r, t, &gas);
		return;
	}
	r->info->serial = port_of(t->name, i, &gas);
}
