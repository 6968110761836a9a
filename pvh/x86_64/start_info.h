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
#include "probe/arena.h"
#include "probe/door.h"

#include <stdbool.h>
#include <stdint.h>

#define GIB                    (UINT64_C(1) << 30)
#define GIB4                   (4 * GIB)
#define START_INFO_COMMAND_MAX 16384u                 /* bytes of the command line, with its NUL */
#define START_INFO_NODES_MAX   64u                    /* nodes of setup_data */
#define START_INFO_TOP         (UINT64_C(3584) << 30) /* no higher address can be read */

struct start_info {
	/*
	 * Sorted by address; page 0 is left out. Ranges do not overlap. A free range consists of
	 * whole pages, and does not touch another one.
	 */
	struct memory_map map;
	struct memory_range range[ARENA_PIECES_MAX];
	uint64_t rsdp;                 /* physical address; 0: the loader passed none */
	uint64_t initrd, initrd_bytes; /* from boot_params, as the members below */
	struct framebuffer screen;     /* width 0: there is none */
	uint8_t params[LINUX_PARAMS_BYTES];
	size_t command_bytes; /* without the NUL */
	char command[START_INFO_COMMAND_MAX];
};

/* Arguments of start_info_read(). */
struct start_info_reading {
	struct start_info *info;
	const struct acpi_memory *memory; /* maps any readable address, devices included */
	uint64_t address;                 /* physical, of the start info or of boot_params */
	uint64_t image, image_end;        /* where the probe is */
	struct text *problem;
};

/* Set *problem. False, which the caller returns. */
#define REFUSE(r, ...) (text_add((r)->problem, __VA_ARGS__), false)

/*
 * The loader's map must have memory where the probe is, and none of the loader's data may overlap
 * it. The arena is opened, and what a Linux that is started again needs is kept in it. False:
 * *r->problem has the reason, to be printed after "noisefloor: cannot start: ".
 */
bool start_info_read(struct start_info_reading *r);
bool start_info_read_linux(struct start_info_reading *r);
