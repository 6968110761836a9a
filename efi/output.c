/* SPDX-License-Identifier: BSD-2-Clause */
/* Serial output. */
#include "output.h"

#include "core/lib/mem.h"

#define GAPS_ON_SERIAL 200
#define ACCESS_DWORD   3 /* acpi_gas.access */

static void choose_port(struct app *app)
{
	const struct config *c = &app->config;
	const struct acpi_gas *spcr = &app->acpi.spcr_base;
	struct uart *u = &app->uart;

	*u = (struct uart){ .base = UART_COM1, .stride = 1, .baud = c->baud, .hz = app->clock.hz };
	if (c->serial.kind == SERIAL_IO || c->serial.kind == SERIAL_MMIO32) {
		u->base = c->serial.base;
		u->mmio = c->serial.kind == SERIAL_MMIO32;
		u->stride = u->mmio ? 4 : 1;
	} else if (app->acpi.has_spcr) {
		u->base = spcr->address;
		u->mmio = spcr->space == ACPI_SPACE_MEMORY;
		if (u->mmio && (spcr->access == ACCESS_DWORD || spcr->bit_width == 32))
			u->stride = 4;
		/* The firmware has set the rate it announces; only an explicit key changes it. */
		if (!config_where(c, "baud").source)
			u->baud = app->acpi.spcr_baud;
	}
}

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	struct app *app = (struct app *)(void *)((char *)link - offsetof(struct app, serial));

	uart_write(&app->uart, line, bytes);
}

static void write_text(void *ctx, const char *line, size_t bytes)
{
	struct app *app = ctx;

	uart_write(&app->uart, line, bytes);
	uart_write(&app->uart, "\r\n", 2);
}

void output_open(struct app *app)
{
	struct report *r = &app->report;

	r->links = 0;
	app->serial.write = write_record;
	app->serial.sid = arch_entropy();
	r->config = &app->config;
	r->platform = &app->platform;
	r->line = write_text;
	r->ctx = app;
	if (app->config.serial.kind == SERIAL_OFF)
		return;
	choose_port(app);
	if (!uart_open(&app->uart))
		return;
	r->link[r->links] = &app->serial;
	r->gaps_default[r->links++] = GAPS_ON_SERIAL;
	/* Off the line on which the firmware left its cursor. */
	uart_write(&app->uart, "\r\n", 2);
}
