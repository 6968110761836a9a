/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACPI mode: whether power management events are SCIs for an OS or SMIs for the
 * firmware. Source: ACPI 6.5, 4.8.2.5 and 5.2.9 (SMI_CMD, ACPI_ENABLE), 4.8.3.2.1 (SCI_EN).
 */
#pragma once

#include "core/firmware/acpi.h"
#include "core/lib/value.h"
#include "core/lib/text.h"

#include <stdint.h>

/* The current SCI_EN: 0 or 1; unknown without a readable PM1 control register. */
struct maybe acpi_mode_sci_en(const struct acpi_info *acpi);

/* The firmware's time to switch: Linux's bound (drivers/acpi/acpica/hwacpi.c). */
#define ACPI_MODE_MS 3000

/*
 * Switch ACPI mode on by writing ACPI_ENABLE to SMI_CMD, which is an SMI on most machines, and wait
 * for SCI_EN, at most ACPI_MODE_MS of a TSC of `hz`. Nothing is written if the mode is on already
 * or the FADT has no means to switch. The outcome is appended to `t` as a sentence. True: SCI_EN is
 * 1, or there is no other mode.
 */
bool acpi_mode_enable(const struct acpi_info *acpi, uint64_t hz, struct text *t);

#define ACPI_MODE_OFF_MS 1000

/*
 * Power off as operating systems do (ACPI 6.5, 4.8.3.2), without the methods that may precede it.
 * Returns if that is impossible, or has had no effect for ACPI_MODE_OFF_MS.
 */
void acpi_mode_power_off(const struct acpi_info *acpi, uint64_t hz);

#define ACPI_MODE_RESET_MS 100

/*
 * Reset by the FADT's register, in I/O space or memory. Returns if there is none, or it has had no
 * effect for ACPI_MODE_RESET_MS.
 */
void acpi_mode_reset(const struct acpi_info *acpi, uint64_t hz);
