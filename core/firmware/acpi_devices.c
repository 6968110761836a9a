/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables with the location of a device: HPET (IA-PC HPET 1.0a, section 3.2.4), SPCR (rev. 4) and
 * TPM2 (TCG, ACPI Specification 1.3, 8).
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"

#define HPET_BASE 40

#define TPM2_ADDRESS 40
#define TPM2_START   48

#define SPCR_TYPE         36
#define SPCR_BASE         40
#define SPCR_BAUD_CODE    58
#define SPCR_PRECISE_BAUD 80 /* from revision 4 on */

static void complain_of_registers(struct acpi_reader *r, const struct acpi_table *t,
				  const struct acpi_gas *gas)
{
	acpi_complain_of(r, "%s: registers in space %u at 0x%llx; not used", t->name, gas->space,
			 (unsigned long long)gas->address);
}

void acpi_parse_hpet(struct acpi_reader *r, const struct acpi_table *t)
{
	struct acpi_gas gas = acpi_gas_at(t, HPET_BASE);

	/* Its registers are 64 bits wide. */
	if (gas.space != ACPI_SPACE_MEMORY || !acpi_gas_usable(&gas) || gas.address % 8) {
		complain_of_registers(r, t, &gas);
		return;
	}
	r->info->hpet_address = gas.address;
}

void acpi_parse_tpm2(struct acpi_reader *r, const struct acpi_table *t)
{
	uint64_t address = bytes_le64(t->bytes + TPM2_ADDRESS);

	if (!acpi_is_physical(address)) {
		acpi_complain_of(r, "%s: registers at 0x%llx; not used", t->name,
				 (unsigned long long)address);
		return;
	}
	r->info->tpm_start = bytes_le32(t->bytes + TPM2_START);
	r->info->tpm_address = address;
}

static bool is_16550(uint8_t type)
{
	/* 16550; 16450, which it contains; 16550 with registers as in the GAS. */
	return type == 0x00 || type == 0x01 || type == 0x12;
}

static bool is_pl011(uint8_t type)
{
	/* PL011; SBSA's generic UART, which is a part of it. */
	return type == 0x03 || type == 0x0e;
}

/* Bits per second; 0 when the port is to be left as it is. */
static uint32_t spcr_baud(struct acpi_reader *r, const struct acpi_table *t)
{
	static const struct {
		uint8_t code;
		uint32_t baud;
	} rates[] = { { 0, 0 }, { 3, 9600 }, { 4, 19200 }, { 6, 57600 }, { 7, 115200 } };
	uint8_t code = t->bytes[SPCR_BAUD_CODE];

	if (t->bytes[ACPI_HEADER_REVISION] >= 4 && t->length >= SPCR_PRECISE_BAUD + 4 &&
	    bytes_le32(t->bytes + SPCR_PRECISE_BAUD))
		return bytes_le32(t->bytes + SPCR_PRECISE_BAUD);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (rates[i].code == code)
			return rates[i].baud;
	}
	acpi_complain_of(r, "SPCR: unknown baud rate code %u; ignored", code);
	return 0;
}

void acpi_parse_spcr(struct acpi_reader *r, const struct acpi_table *t)
{
	struct acpi_gas gas = acpi_gas_at(t, SPCR_BASE);

	/* Firmware sets it all zero if redirection is off. */
	if (gas.address == 0)
		return;
	if (!is_16550(t->bytes[SPCR_TYPE]) && !is_pl011(t->bytes[SPCR_TYPE])) {
		acpi_complain_of(r, "SPCR: interface type 0x%x is no 16550 or PL011; not used",
				 t->bytes[SPCR_TYPE]);
		return;
	}
	if (!acpi_gas_usable(&gas)) {
		complain_of_registers(r, t, &gas);
		return;
	}
	r->info->has_spcr = true;
	r->info->spcr_is_pl011 = is_pl011(t->bytes[SPCR_TYPE]);
	r->info->spcr_base = gas;
	r->info->spcr_baud = spcr_baud(r, t);
}
