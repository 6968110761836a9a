/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to a register that does not exist may fault: each call is guarded. */
#include "device_services.h"

#include "app.h"

#include "arch/arch.h"

struct calling {
	enum config_service service;
	uint8_t value;
	struct service_call *out;
};

const char *device_services_open(void *ctx, enum config_service service)
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

void device_services_call(void *ctx, enum config_service service, struct service_call *out)
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

void device_services_fill(void *ctx, struct service_room *room)
{
	room->open = device_services_open;
	room->call = device_services_call;
	room->close = nothing;
	room->ctx = ctx;
}
