/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SPCR: the serial port of the console. Source: Microsoft, Serial Port Console Redirection Table,
 * rev. 4; its types are those of Debug Port Table 2, table 3.
 */
#include "acpi_table.h"

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
