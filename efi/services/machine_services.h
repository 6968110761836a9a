/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware's services, as mode=services calls them. */
#pragma once

struct service_room; /* core/modes/services/service_room.h */

/* Fill in the room's functions. ctx is the application. */
void machine_services(void *ctx, struct service_room *room);
