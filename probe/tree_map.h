/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arena's map, made of a device tree that a loader of Linux passes. It is treated as hostile
 * input.
 */
#pragma once

#include "arena.h"

#include "core/device_tree/device_tree.h"
#include "core/lib/text.h"

struct tree_map {
	uint64_t tree;             /* its physical address */
	uint64_t image, image_end; /* where the probe is */
	uint64_t top;              /* memory from there on is not used */
	struct text *problem;

	/* Filled in: */
	struct device_tree_boot boot;
	struct acpi_info tables; /* the console's port alone */
	struct memory_map map;
	struct memory_range range[ARENA_PIECES_MAX];
	unsigned reserved; /* ranges so far */
};

/*
 * Read the tree, and open the arena, in which the image, the tree, the initrd and all that the tree
 * reserves is kept. `memory` maps any address that may be read. False: *problem has the reason, to
 * be printed after "noisefloor: cannot start: ". The map is sound, perhaps empty, in either case.
 */
bool tree_map_read(struct tree_map *t, const struct acpi_memory *memory);
