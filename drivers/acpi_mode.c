/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches to ACPI mode, and powers off. */
#include "acpi_mode.h"

#include "arch/arch.h"
#include "deadline.h"

#define SCI_EN    0x0001u
#define CNT_BYTES 4u
#define EVT_BYTES 4u
#define SLP_TYP   0x1c00u
#define SLP_SHIFT 10
#define SLP_EN    0x2000u
/* TMR, BM, GBL, PWRBTN, SLPBTN, RTC, PCIEXP_WAKE, WAK; each is cleared by a 1: 4.8.3.1.1. */
#define STS_ALL 0xc731u
#define NOBODY  0xffffu /* reading of an absent register */

/* A PM1 control register; false when it cannot be read. */
static bool read_control(const struct acpi_gas *gas, uint16_t *value)
{
	if (!gas->address)
		return false;
	if (gas->space == ACPI_SPACE_IO) {
		*value = arch_in16((uint16_t)gas->address);
		return *value != NOBODY;
	}
	/* Map the dword that contains it: a register of two bytes is at a multiple of two. */
	if (!arch_map_device(gas->address & ~UINT64_C(3), CNT_BYTES))
		return false;
	*value = (uint16_t)(arch_mmio_read32(gas->address & ~UINT64_C(3)) >>
			    8 * (gas->address & 2));
	return *value != NOBODY;
}

/* Either half may hold the bit: ACPI 6.5, 4.8.3.2. */
struct maybe acpi_mode_sci_en(const struct acpi_info *acpi)
{
	uint16_t a = 0, b = 0;
	bool has_a = read_control(&acpi->pm1a_cnt, &a);
	bool has_b = read_control(&acpi->pm1b_cnt, &b);

	if (!has_a && !has_b)
		return (struct maybe){ .known = false };
	return (struct maybe){ ((has_a ? a : 0) | (has_b ? b : 0)) & SCI_EN, true };
}

/* Returns the reason not to write anything; NULL: there is none. */
static const char *reason_not_to(const struct acpi_info *acpi, struct maybe on)
{
	if (!acpi->has_fadt)
		return "no usable FADT defines how ACPI mode is switched on; left as it is";
	if (acpi->hw_reduced)
		return "the platform is hardware-reduced: it is always in ACPI mode";
	if (!acpi->pm1a_cnt.address && !acpi->pm1b_cnt.address)
		return "the FADT names no PM1 control register: SCI_EN is not known; left as it is";
	if (!on.known)
		return "the PM1 control register cannot be read: SCI_EN is not known; left as it "
		       "is";
	if (on.value)
		return "ACPI mode was on already (SCI_EN 1); nothing was written";
	if (!acpi->smi_cmd)
		return "SCI_EN is 0, and the FADT's SMI_CMD is 0: no way to switch ACPI mode on";
	if (!acpi->acpi_enable && !acpi->acpi_disable)
		return "SCI_EN is 0, and the FADT's ACPI_ENABLE and ACPI_DISABLE are 0: no way to "
		       "switch ACPI mode on";
	return NULL;
}

bool acpi_mode_enable(const struct acpi_info *acpi, uint64_t hz, struct text *t)
{
	struct maybe on = acpi->has_fadt ? acpi_mode_sci_en(acpi) : (struct maybe){ 0 };
	const char *left = reason_not_to(acpi, on);
	struct deadline d = deadline_in(ACPI_MODE_MS, hz);
	bool late = false;

	if (left) {
		text_add(t, "%s", left);
		return on.value || (acpi->has_fadt && acpi->hw_reduced);
	}
	arch_out8((uint16_t)acpi->smi_cmd, acpi->acpi_enable);
	while (!acpi_mode_sci_en(acpi).value && !late)
		late = deadline_passed(&d);
	text_add(t, "ACPI_ENABLE 0x%02x written to port 0x%x: SCI_EN 0 ", acpi->acpi_enable,
		 acpi->smi_cmd);
	text_add(t, late ? "still after " : "to 1 after ");
	text_duration(t, deadline_waited_ns(&d, hz));
	return !late;
}

/* Write a byte. False if the register cannot be reached. */
static bool write8(const struct acpi_gas *gas, unsigned offset, uint8_t value)
{
	uint64_t at = gas->address + offset;

	if (gas->space == ACPI_SPACE_IO && at <= UINT16_MAX)
		arch_out8((uint16_t)at, value);
	else if (gas->space == ACPI_SPACE_IO)
		return false;
	else if (arch_map_device(at, 1))
		arch_mmio_write8(at, value);
	else
		return false;
	return true;
}

/* Clear enables first: a status bit that is set afterwards wakes nothing. */
static void quiet_gpes(const struct acpi_gas *gas, unsigned bytes)
{
	unsigned half = bytes / 2;

	for (unsigned n = 0; n < half; n++)
		if (!write8(gas, half + n, 0))
			return;
	for (unsigned n = 0; n < half; n++)
		write8(gas, n, UINT8_MAX);
}

static void write_control(const struct acpi_gas *gas, uint16_t value)
{
	if (gas->space == ACPI_SPACE_IO)
		arch_out16((uint16_t)gas->address, value);
	else
		arch_mmio_write16(gas->address, value);
}

static void clear_events(const struct acpi_gas *gas)
{
	if (gas->address &&
	    (gas->space == ACPI_SPACE_IO || arch_map_device(gas->address, EVT_BYTES)))
		write_control(gas, STS_ALL);
}

/* Clear pending wake events (PME, RTC, LAN), which would start the machine again. */
static void clear_wakes(const struct acpi_info *acpi)
{
	for (unsigned n = 0; n < 2; n++)
		quiet_gpes(&acpi->gpe[n], acpi->gpe_bytes[n]);
	clear_events(&acpi->pm1a_evt);
	clear_events(&acpi->pm1b_evt);
}

void acpi_mode_power_off(const struct acpi_info *acpi, uint64_t hz)
{
	const struct acpi_gas *half[] = { &acpi->pm1a_cnt, &acpi->pm1b_cnt };
	uint16_t value;

	if (!acpi->has_s5)
		return;
	clear_wakes(acpi);
	/*
	 * Write the type to both registers first, then the enable bit: ACPICA does so, too, for
	 * chipsets that need it.
	 */
	for (unsigned n = 0; n < 4; n++)
		if (read_control(half[n % 2], &value))
			write_control(half[n % 2], (uint16_t)((value & ~(SLP_TYP | SLP_EN)) |
							      acpi->s5_type[n % 2] << SLP_SHIFT |
							      (n < 2 ? 0 : SLP_EN)));
	deadline_sleep(ACPI_MODE_OFF_MS, hz);
}

void acpi_mode_reset(const struct acpi_info *acpi, uint64_t hz)
{
	if (acpi->has_reset_reg && write8(&acpi->reset_reg, 0, acpi->reset_value))
		deadline_sleep(ACPI_MODE_RESET_MS, hz);
}
