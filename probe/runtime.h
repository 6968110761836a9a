/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of the firmware's runtime services, before and after ExitBootServices; and the services of
 * mode=services that access a device's register, or call the hypervisor or secure firmware.
 */
#pragma once

#include "memory_map.h"

#include "arch/arch.h"
#include "core/modes/services/service_room.h"

#include <stdbool.h>

/*
 * The processor uses our page tables: map the memory of runtime services above memory_map_top(),
 * too. False: some of it cannot be mapped.
 */
bool runtime_map(const struct memory_map *map);

/*
 * Run call(ctx), which calls runtime services. Before ExitBootServices the firmware has the boot
 * core meanwhile. Afterwards page 0 is mapped, because firmware reads the BIOS data area, and a
 * fault in the firmware ends only this call. Returns false after a fault.
 */
bool runtime_call(void (*call)(void *ctx), void *ctx);

/*
 * Run call(ctx) on a core that is not given back to the firmware, and leave it after `ticks` of the
 * clock; 0: there is no limit. Before ExitBootServices there is none either, and the result is
 * ARCH_TRIED_RETURNED.
 */
enum arch_tried runtime_call_for(void (*call)(void *ctx), void *ctx, uint64_t ticks);

/* Fill in the functions of the room, while boot services live. */
void runtime_fill(struct service_room *room);
