/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's end. */
#include "firmware_exit.h"

#include "firmware.h"

#define EXIT_TRIES 16

static bool gone;

bool firmware_exit(struct memory_map *map)
{
	for (unsigned i = 0; i < EXIT_TRIES && !gone; i++) {
		if (!memory_map_read(map))
			return false;
		gone = firmware_boot()->ExitBootServices(firmware_image(), map->key) == EFI_SUCCESS;
	}
	return gone;
}

bool firmware_is_gone(void)
{
	return gone;
}
