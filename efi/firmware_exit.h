/* SPDX-License-Identifier: BSD-2-Clause */
/* ExitBootServices: from then on the machine is ours. */
#pragma once

#include "probe/memory_map.h"

#include <stdbool.h>

/*
 * Call GetMemoryMap and ExitBootServices, with no call between them: the key is valid only until
 * the map changes, and firmware may change it in a last notification, once or more. Returns false
 * if the firmware refuses.
 */
bool firmware_exit(struct memory_map *map);

/* True if boot services have ended. */
bool firmware_is_gone(void);
