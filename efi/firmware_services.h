/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware's services, as mode=services calls them. */
#pragma once

struct service_room; /* core/modes/services/service_room.h */

/* As door.services(). */
void firmware_services(void *ctx, struct service_room *room);
