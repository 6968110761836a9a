/* SPDX-License-Identifier: BSD-2-Clause */
/* Where page tables for devices come from. arch.h has the rest. */
#pragma once

#include <stdint.h>

/* What all regions that MCFG can list may take, ACPI_ECAMS_MAX, and ten devices elsewhere. */
#define DEVICE_TABLES       128
#define DEVICE_TABLES_BYTES (DEVICE_TABLES * 4096u)

/*
 * The page tables at `root` are ours, and about to come into force; DEVICE_TABLES_BYTES,
 * page-aligned, may extend them. Devices that arch_map_device() let somebody at are mapped again.
 */
void device_tables(uint64_t root, void *pages);
