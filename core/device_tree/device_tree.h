/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts from an AArch64 device tree that the ACPI tables lack: cores, PSCI, the serial port, PCI.
 * Source: Devicetree Specification 0.4.
 */
#pragma once

#include "core/firmware/acpi.h"

/*
 * Read the tree at `address`, and add what *info lacks. `boot` is the running core, as
 * acpi_cpu.apic_id, which need not be started. Defects are reported and skipped.
 */
void device_tree_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t address,
		      uint32_t boot, acpi_complaint *complain, void *ctx);
