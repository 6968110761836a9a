/* SPDX-License-Identifier: BSD-2-Clause */
/* ExitBootServices, with the map's key. */
#include "firmware.h"

#define EXIT_TRIES 16

static bool gone;

bool firmware_exit(struct memory_map *map)
{
	UINTN key;

	for (unsigned i = 0; i < EXIT_TRIES && !gone; i++) {
		if (!firmware_map_read(map, &key))
			return false;
		gone = firmware_boot()->ExitBootServices(firmware_image(), key) == EFI_SUCCESS;
	}
	return gone;
}

bool firmware_is_gone(void)
{
	return gone;
}
