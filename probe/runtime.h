/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls into the firmware's runtime services, also once the machine is ours. */
#pragma once

#include "memory_map.h"

#include "arch/arch.h"

#include <stdbool.h>

/*
 * Our page tables are the processor's: map what runtime services use and memory_map_top() leaves
 * out. False: some of it cannot be mapped.
 */
bool runtime_map(const struct memory_map *map);

/*
 * call(ctx), which calls runtime services. After ExitBootServices page 0 is there meanwhile, for
 * firmware looks at the BIOS data area, and a fault in its code ends no more than the call: false.
 */
bool runtime_call(void (*call)(void *ctx), void *ctx);

/* After ExitBootServices, the same, and left after so many ticks; before it, ARCH_TRIED_RETURNED.
 */
enum arch_tried runtime_call_for(void (*call)(void *ctx), void *ctx, uint64_t ticks);
