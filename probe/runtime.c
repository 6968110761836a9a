/* SPDX-License-Identifier: BSD-2-Clause */
/* Runtime services are called in physical mode: nobody calls SetVirtualAddressMap. */
#include "runtime.h"

#include "app.h"
#include "door.h"
#include "probe/platform/platform_firmware.h"

#include "arch/arch.h"
#include "core/lib/steps.h"

bool runtime_map(const struct memory_map *map)
{
	const struct memory_range *r;
	bool mapped = true;

	for (size_t n = 0; (r = memory_map_at(map, n)); n++)
		if (r->is_runtime && r->from)
			mapped &= arch_map_device(r->from, r->end - r->from);
	return mapped;
}

enum arch_tried runtime_call_for(void (*call)(void *ctx), void *ctx, uint64_t ticks)
{
	enum arch_tried tried;

	if (!door.is_gone()) {
		call(ctx);
		return ARCH_TRIED_RETURNED;
	}
	arch_map_page_0(true);
	tried = arch_try_for(call, ctx, ticks);
	arch_map_page_0(false);
	return tried;
}

bool runtime_call(void (*call)(void *ctx), void *ctx)
{
	if (!door.is_gone()) {
		platform_firmware_call(call, ctx);
		return true;
	}
	steps_note("calling a runtime service");
	return runtime_call_for(call, ctx, 0) == ARCH_TRIED_RETURNED;
}

/* ---- mode=services ---- */

static const char *broken; /* why no runtime service is called any more */

struct calling {
	uint64_t (*runtime)(void); /* NULL: the service is the processor's */
	enum config_service service;
	uint8_t value;
	struct service_call *out;
};

static struct calling calling_of(enum config_service service, struct service_call *out)
{
	return (struct calling){ door.service ? door.service->call[service] : NULL, service,
				 (uint8_t)app->options.config.smi.value, out };
}

static const char *runtime_open(void *ctx, enum config_service service)
{
	const struct acpi_info *acpi = &app->machine.acpi;
	struct calling c = calling_of(service, NULL);

	(void)ctx;
	if (c.runtime)
		return broken ? broken : door.service->open(service);
	if (service < SERVICE_RTC || service == SERVICE_SET_VARIABLE)
		return "there is no firmware that has runtime services";
	if (service == SERVICE_SMI && acpi->smi_cmd &&
	    (c.value == acpi->acpi_enable || c.value == acpi->acpi_disable))
		return "this value switches ACPI mode on or off";
	return arch_service_open(service, acpi);
}

static void call_now(void *ctx)
{
	struct calling *c = ctx;

	c->out->start = clock_now();
	c->out->status = c->runtime ? c->runtime() & INT64_MAX
				    : arch_service_call(c->service, c->value);
	c->out->end = clock_now();
}

/* False: an exception has ended the call. A register that does not exist may fault. */
static bool call_guarded(struct calling *c)
{
	bool returned;

	if (!c->runtime)
		return arch_try(call_now, c);
	app->last_words.others_watch = !door.is_gone() && app->platform.services->watched;
	returned = runtime_call(call_now, c);
	app->last_words.others_watch = false;
	return returned;
}

static void runtime_call_service(void *ctx, enum config_service service, struct service_call *out)
{
	struct calling c = calling_of(service, out);

	(void)ctx;
	if (!call_guarded(&c)) {
		out->end = clock_now();
		out->fault = arch_fault_text(&app->platform.cpu[0]);
		if (c.runtime)
			broken = "an exception ended an earlier call of a runtime service";
	}
	arch_mask_interrupts();
}

static void runtime_close(void *ctx, enum config_service service)
{
	(void)ctx;
	if (calling_of(service, NULL).runtime)
		door.service->close(service, broken);
}

static void runtime_lost(void *ctx)
{
	(void)ctx;
	leave_lost(app, NULL);
}

void runtime_fill(struct service_room *room)
{
	if (door.service)
		door.service->prepare();
	room->open = runtime_open;
	room->call = runtime_call_service;
	room->close = runtime_close;
	room->lost = door.service ? runtime_lost : NULL;
}
