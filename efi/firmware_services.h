/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's services that mode=services calls. */
#pragma once

struct service_room; /* core/modes/services/service_room.h */

/* Implements door.services(). */
void firmware_services(void *ctx, struct service_room *room);
