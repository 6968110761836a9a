/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that a BIOS leaves below 1 MiB. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The address of a valid RSDP; 0: there is none. Source: ACPI 6.5, 5.2.5.1. */
uint64_t bios_area_rsdp(void);

/*
 * The address of what has the anchor of SMBIOS's 64-bit or 32-bit entry point; 0: there is none.
 * Source: DMTF DSP0134 3.6, 5.2.
 */
uint64_t bios_area_smbios(bool is_64bit);
