/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a PVH loader hands over. All of it is hostile input; what is used later is copied, so that
 * nothing of the loader's stays in use. Source: Xen, public/arch-x86/hvm/start_info.h.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "core/lib/text.h"
#include "probe/memory_map.h"

#include <stdbool.h>
#include <stdint.h>

#define START_INFO_RANGES_MAX  256u
#define START_INFO_MODULES_MAX 64u
#define START_INFO_COMMAND_MAX 16384u /* bytes of the command line, with its NUL */

struct start_info {
	/*
	 * Sorted by address, from page 1 on. Ranges do not overlap; those that are free consist of
	 * whole pages.
	 */
	struct memory_map map;
	struct memory_range range[START_INFO_RANGES_MAX];
	uint64_t rsdp; /* 0: the loader knows none */
	uint32_t modules;
	char command[START_INFO_COMMAND_MAX];
	size_t command_bytes; /* without the NUL */
};

/*
 * Read the start info at `address`. `memory` maps any address that can be read, of devices too.
 * [image, image_end) is where the program is; the map has to have memory there, and nothing else
 * may be there. False: *problem has the reason, as a sentence's second half.
 */
bool start_info_read(struct start_info *s, const struct acpi_memory *memory, uint64_t address,
		     uint64_t image, uint64_t image_end, struct text *problem);
