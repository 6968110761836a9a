/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flattened device tree's nodes and properties, read as hostile input. Source: Devicetree
 * Specification 0.4, chapter 5.
 */
#pragma once

#include "core/firmware/acpi_table.h"

#define FDT_DEPTH_MAX     32
#define FDT_ADDRESS_CELLS 2 /* where none are given */
#define FDT_SIZE_CELLS    1

/* What was found sound by fdt_open(): nothing below has to fail. A node is where its inside is. */
struct fdt {
	const uint8_t *structs, *strings;
	uint32_t struct_bytes, string_bytes;
	uint32_t root;
};

/* A property, or a node right below another. */
struct fdt_item {
	bool is_node;
	const char *name;
	uint32_t inside;      /* of a node */
	const uint8_t *value; /* of a property */
	uint32_t bytes;
};

/* Find the tree at `address`. Where it is cut or broken, it is read up to there. False: there is
 * none that can be used. All of that is reported. */
bool fdt_open(struct fdt *f, struct acpi_reader *r, uint64_t address);

/* The next item of a node, from *at, at first the node; false: that was all. */
bool fdt_next(const struct fdt *f, uint32_t *at, struct fdt_item *item);

/* A node's property of that name. */
bool fdt_property(const struct fdt *f, uint32_t node, const char *name, struct fdt_item *item);

/* A node's child of that name, `bytes` long; without a unit address the first such one. */
bool fdt_child(const struct fdt *f, uint32_t node, const char *name, size_t bytes, uint32_t *child);

/* Whether the node's name is that one, with or without a unit address. */
bool fdt_is_named(const struct fdt_item *node, const char *name, size_t bytes);

/* Whether the node has the property, and `text` among its strings. */
bool fdt_lists(const struct fdt *f, uint32_t node, const char *name, const char *text);

/* A property that is a string; NULL: there is none such. */
const char *fdt_string(const struct fdt *f, uint32_t node, const char *name);

/* A property of one cell, or what holds without it. */
uint32_t fdt_cell(const struct fdt *f, uint32_t node, const char *name, uint32_t otherwise);

/* A number of one or two cells, which are stepped over; and whether it has so many. */
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

/* Where the last node's first registers are to the processor. */
bool fdt_path_address(const struct fdt_path *p, uint64_t *address);
