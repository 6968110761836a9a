/* SPDX-License-Identifier: BSD-2-Clause */
/* The services of mode=services that do not need firmware. */
#pragma once

struct service_room; /* core/modes/services/service_room.h */

/* Implements door.services(); see probe/door.h. */
void services_fill(void *ctx, struct service_room *room);
