/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for a mode's pieces of work. If an SRAT describes several nodes, each core's memory is in
 * its own node, so that cores do not compete for a memory controller that they do not share.
 */
#pragma once

#include "probe/memory_map.h"

#include "core/firmware/acpi.h"
#include "core/gaps/platform.h"

#include <stdbool.h>
#include <stdint.h>

struct work_memory {
	const struct platform *platform;
	const struct acpi_info *acpi;
	struct memory_map *map; /* read again after each allocation */
	uint32_t kept;          /* bytes of the mode's own: struct mode */
	bool dram;              /* the kernel `dram` is wanted, which takes most memory */
	uint64_t bytes;         /* out: bytes allocated */
};

/*
 * Lay out the room, and report where each group's memory is. A node with too little memory uses
 * that of the boot core. NULL: there is no memory even for the room.
 */
struct work_room *work_memory_lay(struct work_memory *w,
				  void (*count)(struct cpu *cpu, struct evidence *e));
