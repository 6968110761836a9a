/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of the parts of a device tree, for core/device_tree/device_tree.c, which has checked all
 * of it: nothing here reads past its end. A node is an offset of libfdt's; a negative one is none.
 */
#pragma once

#include "device_tree.h"

/* Map the tree at an address, and check all of it. NULL: it is not sound, which is reported. */
const void *device_tree_open(struct acpi_reader *r, uint64_t address);

/* Read the data that MCFG would have, configuration spaces in memory, and virtio devices. */
void device_tree_pci(struct acpi_reader *r, const void *tree);

/*
 * Read the data that SPCR would have: nothing if no port is chosen. An unusable port is reported.
 */
void device_tree_serial(struct acpi_reader *r, const void *tree);

/* The value of a property that is a string; NULL: there is none. */
const char *device_tree_string(const void *tree, int node, const char *name);

/* The value of a property of one cell; `otherwise` if it is missing. */
uint32_t device_tree_cell(const void *tree, int node, const char *name, uint32_t otherwise);

/* A status other than "okay" means that the device cannot be used (specification, 2.3.4). */
bool device_tree_is_okay(const void *tree, int node);

/* Read a number of so many cells, of which the last two count, and move *at past it. */
uint64_t device_tree_number(const uint8_t **at, uint32_t cells);

/* The rest of a node's `reg` or `ranges`, and the cells of each number in it. */
struct device_tree_list {
	const uint8_t *at;
	int left;                     /* bytes */
	uint32_t below, above, sizes; /* a `reg` has none above */
};

struct device_tree_range {
	uint32_t word; /* the first cell, which on PCI has the kind of space */
	uint64_t from, to, bytes;
};

/* Get a node's `reg`; `bus` is the node above. False: it has none, or an impossible one. */
bool device_tree_regs(const void *tree, int bus, int node, struct device_tree_list *l);

/* Get the next range. False: there are no more. */
bool device_tree_next(struct device_tree_list *l, struct device_tree_range *range);
