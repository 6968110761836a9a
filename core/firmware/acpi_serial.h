/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial ports of the ACPI namespace. */
#pragma once

#include "acpi.h"

/*
 * Add the ports of the DSDT and the SSDTs to info->serial, behind those that are there: COM1 to
 * COM4, in this order, where a device PNP0500 or PNP0501 names their I/O ports, then PL011s. A
 * device whose _CRS is a method lists what it can be set to: whether a port is there, only the port
 * knows. A table whose checksum is wrong is not read.
 */
void acpi_serial_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp);
