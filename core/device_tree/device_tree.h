/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts from an AArch64 device tree: those that ACPI tables lack, and what a loader of Linux
 * passes. Sources: Devicetree Specification 0.4; Linux, Documentation/arch/arm64/booting.rst.
 */
#pragma once

#include "core/firmware/acpi_table.h"

/*
 * Read the tree at `address`, and add what *info lacks: cores, PSCI, the serial port, PCI. `boot`
 * is the running core, as acpi_cpu.apic_id, which need not be started. Defects are reported and
 * skipped.
 */
void device_tree_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t address,
		      uint32_t boot, acpi_complaint *complain, void *ctx);

struct device_tree_boot {
	const void *tree;
	uint32_t bytes;      /* the tree's size, with its header */
	const char *command; /* the command line, within the tree; "": there is none */
	uint64_t initrd, initrd_bytes;
};

/* Read /chosen, and add the console's port to r->info. False: there is no usable tree. */
bool device_tree_boot_open(struct device_tree_boot *b, struct acpi_reader *r, uint64_t address);

/* A range of memory. Returns false to end the visits. */
typedef bool device_tree_visit(void *ctx, uint64_t address, uint64_t bytes, bool no_map);

/*
 * Visit the machine's memory, and then what is reserved in it, perhaps more than once; `no_map`: it
 * may not even be mapped. Returns false if a visit did.
 */
bool device_tree_each_memory(const struct device_tree_boot *b, device_tree_visit *visit, void *ctx);
bool device_tree_each_reserved(const struct device_tree_boot *b, device_tree_visit *visit,
			       void *ctx);
