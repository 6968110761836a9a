/* SPDX-License-Identifier: BSD-2-Clause */
/* ExitBootServices: from then on the machine is ours. */
#pragma once

#include "probe/memory_map.h"

#include <stdbool.h>

/*
 * GetMemoryMap and ExitBootServices, with no call between them: the key is only good while the
 * map stays as it is, and firmware may change it in a last notification, once or more. False
 * when the firmware refuses.
 */
bool firmware_exit(struct memory_map *map);

/* Have boot services gone? */
bool firmware_is_gone(void);
