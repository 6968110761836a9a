/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that a BIOS has left, for doors that get no addresses of them. */
#pragma once

#include "door.h"

/*
 * Physical address of the first table of this kind that a BIOS has left below 1 MiB, with a right
 * checksum: ACPI's RSDP, or SMBIOS's entry point. 0: none was found. Sources: ACPI 6.5, 5.2.5.1;
 * DMTF DSP0134 3.6, 5.2.
 */
uint64_t bios_area_find(enum door_table table);
