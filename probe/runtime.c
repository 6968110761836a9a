/* SPDX-License-Identifier: BSD-2-Clause */
/* Runtime services are called in physical mode: nobody calls SetVirtualAddressMap. */
#include "runtime.h"

#include "app.h"
#include "door.h"

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
	if (door.is_gone())
		steps_note("calling a runtime service");
	return runtime_call_for(call, ctx, 0) == ARCH_TRIED_RETURNED;
}

/* Access to a register that does not exist may fault: each call is guarded. */

struct calling {
	enum config_service service;
	uint8_t value;
	struct service_call *out;
};

const char *runtime_device_open(void *ctx, enum config_service service)
{
	const struct app *a = ctx;
	const struct acpi_info *acpi = &a->machine.acpi;
	uint64_t smi = a->options.config.smi.value;

	if (service < SERVICE_RTC || service == SERVICE_SET_VARIABLE)
		return "there is no firmware that has runtime services";
	if (service == SERVICE_SMI && acpi->smi_cmd &&
	    (smi == acpi->acpi_enable || smi == acpi->acpi_disable))
		return "this value switches ACPI mode on or off";
	return arch_service_open(service, acpi);
}

static void call_now(void *ctx)
{
	struct calling *c = ctx;

	c->out->start = clock_now();
	c->out->status = arch_service_call(c->service, c->value);
	c->out->end = clock_now();
}

void runtime_device_call(void *ctx, enum config_service service, struct service_call *out)
{
	const struct app *a = ctx;
	struct calling c = { service, (uint8_t)a->options.config.smi.value, out };

	if (!arch_try(call_now, &c)) {
		out->end = clock_now();
		out->fault = arch_fault_text(&a->platform.cpu[0]);
	}
	arch_mask_interrupts();
}

static void nothing(void *ctx, enum config_service service)
{
	(void)ctx, (void)service;
}

void runtime_device_fill(void *ctx, struct service_room *room)
{
	room->open = runtime_device_open;
	room->call = runtime_device_call;
	room->close = nothing;
	room->ctx = ctx;
}
