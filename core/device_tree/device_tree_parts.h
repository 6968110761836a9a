/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of the parts of a device tree, for core/device_tree/device_tree.c, which has checked all
 * of it: nothing here reads past its end. A node is an offset of libfdt's; a negative one is none.
 * Sources: Linux's bindings arm/cpus.yaml, arm/psci.yaml, pci/host-generic-pci.yaml and serial/.
 */
#pragma once

#include "core/firmware/acpi_table.h"

/* Map the tree at an address, and check all of it. NULL: it is not sound, which is reported. */
const void *device_tree_open(struct acpi_reader *r, uint64_t address);

/* Read whether PSCI exists, and which instruction calls it. */
void device_tree_psci(struct acpi_reader *r, const void *tree);

/*
 * Read the cores that run or can be started; device_tree_psci() must be called before. `boot` is
 * the running core.
 */
void device_tree_cores(struct acpi_reader *r, const void *tree, uint32_t boot);

/* Read the data that MCFG would have, configuration spaces in memory, and virtio devices. */
void device_tree_pci(struct acpi_reader *r, const void *tree);

/*
 * Read the data that SPCR would have: nothing if no port is chosen. An unusable port is reported.
 */
void device_tree_serial(struct acpi_reader *r, const void *tree);

/* Values, core/device_tree/device_tree_values.c */

/* The value of a property that is a string; NULL: there is none. */
const char *device_tree_string(const void *tree, int node, const char *name);

/* The value of a property of one cell; `otherwise` if it is missing. */
uint32_t device_tree_cell(const void *tree, int node, const char *name, uint32_t otherwise);

/* A status other than "okay" means that the device cannot be used (specification, 2.3.4). */
bool device_tree_is_okay(const void *tree, int node);

/* Cells of an address and of a size below a node; the specification has the defaults. */
uint32_t device_tree_address_cells(const void *tree, int node);
uint32_t device_tree_size_cells(const void *tree, int node);

/* True if numbers of so many cells can be read. */
bool device_tree_are_cells(uint32_t cells);

/* Read a number of so many cells, of which the last two count, and move *at past it. */
uint64_t device_tree_number(const uint8_t **at, uint32_t cells);

/*
 * A node's address is in its parent's space, and `ranges` lead from there to the processor's.
 * Source: Devicetree Specification 0.4, 2.3.5 to 2.3.8.
 */

/* The rest of a node's `ranges`, and the cells of each number in it. */
struct device_tree_ranges {
	const uint8_t *at;
	int left; /* bytes */
	uint32_t below, above, sizes;
};

struct device_tree_range {
	uint32_t word; /* the first cell, which on PCI has the kind of space */
	uint64_t from, to, bytes;
};

/* Get the ranges of a node. False: it has none, or impossible ones. */
bool device_tree_ranges(const void *tree, int node, struct device_tree_ranges *r);

/* Get the next range. False: there are no more. */
bool device_tree_next_range(struct device_tree_ranges *r, struct device_tree_range *range);

/* Get the node's first registers: the processor's address, and their size. */
bool device_tree_reg(const void *tree, int node, uint64_t *address, uint64_t *bytes);
