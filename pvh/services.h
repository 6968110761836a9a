/* SPDX-License-Identifier: BSD-2-Clause */
/* The services of mode=services that need no firmware. */
#pragma once

struct service_room; /* core/modes/services/service_room.h */

/* As door.services(). */
void services_fill(void *ctx, struct service_room *room);
