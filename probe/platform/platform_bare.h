/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare platform: boot services have ended, and all cores are ours. */
#pragma once

#include "probe/memory_map.h"

#include "core/gaps/platform.h"
#include "core/lib/value.h"

/*
 * Call ExitBootServices, switch to our own page tables, which map the devices in use, and start the
 * other cores. *bringup_ns is the time that the cores took to start. False: the firmware refuses.
 */
bool platform_bare_take(struct platform *p, struct memory_map *map, struct maybe *bringup_ns);
