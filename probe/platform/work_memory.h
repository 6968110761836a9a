/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for the pieces of work of a mode: where an SRAT describes several nodes, each core's in
 * its own node, so that cores do not meet in a memory controller which they do not share.
 */
#pragma once

#include "probe/complaints.h"
#include "probe/memory_map.h"

#include "core/firmware/acpi.h"
#include "core/gaps/platform.h"

#include <stdbool.h>
#include <stdint.h>

struct work_memory {
	const struct platform *platform;
	const struct acpi_info *acpi;
	struct memory_map *map; /* read again after each allocation */
	struct complaints *complaints;
	uint32_t kept;  /* bytes, of the mode: struct mode */
	bool dram;      /* the kernel of that name is wanted: it takes most */
	uint64_t bytes; /* out: allocated */
};

/*
 * Lay out the room, and report where the memory of which cores is. A node without enough of it uses
 * that of the boot core. NULL: there is not even memory for the room.
 */
struct work_room *work_memory_lay(struct work_memory *w,
				  void (*count)(struct cpu *cpu, struct evidence *e));
