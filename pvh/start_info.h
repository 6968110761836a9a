/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the start info that a PVH loader passes, or the boot_params of one that starts Linux. It is
 * treated as hostile input, and everything that is needed later is copied: the loader's memory may
 * be reused afterwards, except for the ACPI tables. Sources: Xen,
 * public/arch-x86/hvm/start_info.h; Linux, Documentation/arch/x86/boot.rst.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "core/firmware/linux_boot.h"
#include "core/lib/text.h"
#include "drivers/framebuffer.h"
#include "probe/memory_map.h"

#include <stdbool.h>
#include <stdint.h>

#define START_INFO_RANGES_MAX  256u
#define START_INFO_MODULES_MAX 64u
#define START_INFO_COMMAND_MAX 16384u                 /* bytes of the command line, with its NUL */
#define START_INFO_NODES_MAX   64u                    /* of setup_data */
#define START_INFO_TOP         (UINT64_C(3584) << 30) /* no higher address can be read */

struct start_info_kept {
	uint64_t address, bytes;
};

struct start_info {
	/*
	 * Sorted by address; page 0 is left out. Ranges do not overlap, and a free range consists
	 * of whole pages.
	 */
	struct memory_map map;
	struct memory_range range[START_INFO_RANGES_MAX];
	uint64_t rsdp;             /* physical address; 0: the loader passed none */
	uint32_t modules;          /* modules and initrds that the loader passed */
	struct framebuffer screen; /* of boot_params; width 0: there is none */
	char command[START_INFO_COMMAND_MAX];
	size_t command_bytes; /* without the NUL */

	/* ---- Of boot_params ---- */

	uint8_t params[LINUX_PARAMS_BYTES]; /* a copy */
	uint64_t initrd, initrd_bytes;
	/* What a Linux that is started again needs: initrd, setup_data and EFI's memory map. */
	struct start_info_kept keep[START_INFO_NODES_MAX + 2];
	unsigned kept;
};

/*
 * Read the start info at physical address `address`. `memory` maps any readable address, devices
 * included. The probe's image is at [image, image_end): the loader's map must have memory there,
 * and none of the loader's data may overlap it. False: *problem has the reason, to be printed after
 * "noisefloor: cannot start: ".
 */
bool start_info_read(struct start_info *s, const struct acpi_memory *memory, uint64_t address,
		     uint64_t image, uint64_t image_end, struct text *problem);

/* As start_info_read(), for the boot_params at physical address `address`. */
bool start_info_read_linux(struct start_info *s, const struct acpi_memory *memory, uint64_t address,
			   uint64_t image, uint64_t image_end, struct text *problem);
