/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flattened device tree's nodes and properties, read as hostile input. Source: Devicetree
 * Specification 0.4, chapter 5.
 */
#pragma once

#include "core/firmware/acpi_table.h"

#define FDT_DEPTH_MAX     32
#define FDT_ADDRESS_CELLS 2 /* if the tree has no number */
#define FDT_SIZE_CELLS    1

/*
 * A tree that fdt_open() has checked: nothing below has to fail. A node is the offset of its
 * contents.
 */
struct fdt {
	const uint8_t *structs, *strings;
	uint32_t struct_bytes, string_bytes;
	uint32_t root;
};

/* A property, or a node right below another. */
struct fdt_item {
	bool is_node;
	const char *name;
	uint32_t inside;      /* offset of a node's contents */
	const uint8_t *value; /* value of a property */
	uint32_t bytes;
};

/*
 * Find the tree at `address`. If it is truncated or malformed, it is usable up to that point.
 * False: there is no usable tree. All defects are reported.
 */
bool fdt_open(struct fdt *f, struct acpi_reader *r, uint64_t address);

/* Get the next item of a node. *at is the node at first; it moves on. False: there are no more. */
bool fdt_next(const struct fdt *f, uint32_t *at, struct fdt_item *item);

/* Get a node's property with this name. */
bool fdt_property(const struct fdt *f, uint32_t node, const char *name, struct fdt_item *item);

/*
 * Get a node's child with this name, `bytes` long; without a unit address in the name, the first
 * match.
 */
bool fdt_child(const struct fdt *f, uint32_t node, const char *name, size_t bytes, uint32_t *child);

/* True if the node has this name, with or without a unit address. */
bool fdt_is_named(const struct fdt_item *node, const char *name, size_t bytes);

/* True if the node has the property, and `text` is one of its strings. */
bool fdt_lists(const struct fdt *f, uint32_t node, const char *name, const char *text);

/* The value of a property that is a string; NULL: there is none. */
const char *fdt_string(const struct fdt *f, uint32_t node, const char *name);

/* The value of a property of one cell; `otherwise` if it is missing. */
uint32_t fdt_cell(const struct fdt *f, uint32_t node, const char *name, uint32_t otherwise);

/*
 * Read a number of one or two cells, and move *at past it. fdt_are_cells() checks the number of
 * cells.
 */
uint64_t fdt_number(const uint8_t **at, uint32_t cells);
bool fdt_are_cells(uint32_t cells);

/*
 * A node's address is in its parent's space, and `ranges` lead from there to the processor's.
 * Source: Devicetree Specification 0.4, 2.3.5 to 2.3.8.
 */

/* A node and those above it, from the root. */
struct fdt_path {
	const struct fdt *f;
	uint32_t node[FDT_DEPTH_MAX];
	unsigned depth; /* the last node's; 0: the root, which has no address */
};

/* The processor's address of the last node's first registers. */
bool fdt_path_address(const struct fdt_path *p, uint64_t *address);
