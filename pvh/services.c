/* SPDX-License-Identifier: BSD-2-Clause */
/* Without firmware there are no runtime services: only device registers can be accessed. */
#include "services.h"

#include "probe/device_services.h"

static bool is_runtime(enum config_service service)
{
	return service < SERVICE_RTC || service == SERVICE_SET_VARIABLE;
}

static const char *open(void *ctx, enum config_service service)
{
	if (is_runtime(service))
		return "there is no firmware that has runtime services";
	return device_services_open(ctx, service);
}

static void call(void *ctx, enum config_service service, struct service_call *out)
{
	device_services_call(ctx, service, out);
}

static void close(void *ctx, enum config_service service)
{
	(void)ctx, (void)service;
}

void services_fill(void *ctx, struct service_room *room)
{
	room->open = open;
	room->call = call;
	room->close = close;
	room->ctx = ctx;
}
