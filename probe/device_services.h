/* SPDX-License-Identifier: BSD-2-Clause */
/* The services of mode=services that are registers of devices, or calls of who is above. */
#pragma once

#include "core/config/config.h"
#include "core/modes/services/service_room.h"

struct app;

/* As the functions of struct service_room; nothing is to be closed. */
const char *device_services_open(const struct app *a, enum config_service service);
void device_services_call(const struct app *a, enum config_service service,
			  struct service_call *out);
