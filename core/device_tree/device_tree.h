/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the probe needs from a device tree of AArch64, where the ACPI tables do not have it: cores,
 * PSCI, the serial port, PCI. Source: Devicetree Specification 0.4.
 */
#pragma once

#include "core/firmware/acpi.h"

/*
 * Read the tree at `address` for what *info lacks. `boot` is the core that runs this, as
 * acpi_cpu.apic_id has it: it needs nobody to start it. Defects are reported and skipped.
 */
void device_tree_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t address,
		      uint32_t boot, acpi_complaint *complain, void *ctx);
