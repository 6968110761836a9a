/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare platform: the firmware's boot services are gone, all cores are ours. */
#pragma once

#include "probe/memory_map.h"

#include "core/gaps/platform.h"
#include "core/lib/value.h"

/*
 * ExitBootServices, own tables, in which devices in use are mapped, own cores; false when the
 * firmware refuses. *bringup_ns is how long the cores took to start.
 */
bool platform_bare_take(struct platform *p, struct memory_map *map, struct maybe *bringup_ns);
