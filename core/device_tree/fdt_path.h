/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node's address is in its parent's space, and `ranges` lead from there to the processor's.
 * Source: Devicetree Specification 0.4, 2.3.5 to 2.3.8.
 */
#pragma once

#include "fdt.h"

/* A node and those above it, from the root. */
struct fdt_path {
	const struct fdt *f;
	uint32_t node[FDT_DEPTH_MAX];
	unsigned depth; /* of the last; 0: it is the root, which has no address */
};

/* Where the last node's first registers are to the processor. */
bool fdt_path_address(const struct fdt_path *p, uint64_t *address);
