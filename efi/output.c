/* SPDX-License-Identifier: BSD-2-Clause */
/* Serial output. */
#include "output.h"

#include "arch/arch.h"
#include "core/lib/steps.h"

#define GAPS_ON_SERIAL 200

/*
 * The divisor is for an input clock of 1.8432 MHz: those of ports in I/O space have it. Elsewhere,
 * and where the firmware describes its console, only an explicit key changes the rate.
 */
static bool wants_rate(const struct output *o)
{
	const struct config *c = o->config;

	return config_where(c, "baud").source || c->serial.kind == SERIAL_IO ||
	       (c->serial.kind != SERIAL_MMIO32 && !o->machine->acpi.has_spcr);
}

static void choose_port(struct output *o)
{
	const struct config *c = o->config;
	const struct acpi_info *acpi = &o->machine->acpi;
	const struct acpi_gas *spcr = &acpi->spcr_base;
	struct uart *u = &o->uart;

	*u = (struct uart){
		.base = UART_COM1,
		.stride = 1,
		.baud = wants_rate(o) ? c->baud : 0,
		.hz = o->machine->clock.hz,
	};
	if (c->serial.kind == SERIAL_IO || c->serial.kind == SERIAL_MMIO32) {
		u->base = c->serial.base;
		u->mmio = c->serial.kind == SERIAL_MMIO32;
		u->stride = u->mmio ? 4 : 1;
	} else if (acpi->has_spcr) {
		u->base = spcr->address;
		u->pl011 = acpi->spcr_is_pl011;
		u->mmio = spcr->space == ACPI_SPACE_MEMORY;
		if (u->mmio && (spcr->access == ACPI_ACCESS_DWORD || spcr->bit_width == 32))
			u->stride = 4;
	}
}

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	struct output *o = (struct output *)(void *)((char *)link - offsetof(struct output, link));

	steps_go_on();
	uart_write(&o->uart, line, bytes);
}

static void write_text(void *ctx, const char *line, size_t bytes)
{
	struct output *o = ctx;

	steps_go_on();
	uart_write(&o->uart, line, bytes);
	uart_write(&o->uart, "\r\n", 2);
}

static void print_here(struct output *o)
{
	o->report->line = write_text;
	o->report->ctx = o;
}

bool output_has_link(const struct output *o)
{
	return o->report->links && o->report->link[0].to == &o->link;
}

void output_alone(struct output *o)
{
	o->report->links = output_has_link(o);
	print_here(o);
}

void output_open(struct output *o)
{
	struct report *r = o->report;

	r->links = 0;
	o->link.write = write_record;
	o->link.sid = arch_entropy();
	if (r->hashed)
		record_hash(&o->link);
	print_here(o);
	if (o->config->serial.kind == SERIAL_OFF)
		return;
	choose_port(o);
	if (!uart_open(&o->uart))
		return;
	r->link[r->links++] = (struct report_link){ .to = &o->link,
						    .gaps_default = GAPS_ON_SERIAL };
	/* Off the line on which the firmware left its cursor. */
	uart_write(&o->uart, "\r\n", 2);
}
