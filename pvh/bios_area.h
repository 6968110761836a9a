/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the tables that a BIOS leaves below 1 MiB. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Physical address of the first valid RSDP; 0: none was found. Source: ACPI 6.5, 5.2.5.1. */
uint64_t bios_area_rsdp(void);

/*
 * Physical address of SMBIOS's 64-bit or 32-bit entry point, whose checksum is right; 0: none was
 * found. Source: DMTF DSP0134 3.6, 5.2.
 */
uint64_t bios_area_smbios(bool is_64bit);
