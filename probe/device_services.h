/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The services of mode=services that access a device's register, or call the hypervisor or secure
 * firmware above.
 */
#pragma once

#include "core/config/config.h"
#include "core/modes/services/service_room.h"

struct app;

/* These implement open() and call() of struct service_room; close() has nothing to do. */
const char *device_services_open(const struct app *a, enum config_service service);
void device_services_call(const struct app *a, enum config_service service,
			  struct service_call *out);
