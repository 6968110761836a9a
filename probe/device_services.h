/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The services of mode=services that access a device's register, or call the hypervisor or secure
 * firmware above.
 */
#pragma once

#include "core/config/config.h"
#include "core/modes/services/service_room.h"

/* Fill in the functions of mode=services if there is no firmware. `ctx` is the struct app. */
void device_services_fill(void *ctx, struct service_room *room);

/* As open() and call() of struct service_room; close() has nothing to do. `ctx` is as above. */
const char *device_services_open(void *ctx, enum config_service service);
void device_services_call(void *ctx, enum config_service service, struct service_call *out);
