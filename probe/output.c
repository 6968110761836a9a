/* SPDX-License-Identifier: BSD-2-Clause */
/* Choosing the serial port, and output to it. */
#include "probe/app.h"
#include "probe/door.h"

#include "arch/arch.h"
#include "core/lib/steps.h"

#define GAPS_ON_SERIAL 200

#define LINE_MAX 300

/* Choice */

/*
 * The baud divisor assumes an input clock of 1.8432 MHz, which ports in I/O space have. The rate of
 * other ports, and of one that the firmware has set up for its console, is changed only if the key
 * `baud` is set.
 */
static bool wants_rate(const struct serial_port *p)
{
	return config_where(&app->options.config, "baud").source || (!p->mmio && !p->is_set_up);
}

/*
 * Get the port that `serial` names, if it may be used. A fault may open the output before the key
 * is checked, and then Secure Boot may forbid that address.
 */
static bool take_configured(const struct options *o, struct serial_port *p)
{
	return o->may_write && config_serial(&o->config, p);
}

static void probe(void *tried)
{
	struct output_tried *t = tried;

	if (uart_probe(&app->output.uart, &t->why))
		t->why = NULL;
}

static bool is_memory(const struct serial_port *p)
{
	return p->mmio && memory_map_usable(&app->machine.map, p->base, p->base + uart_bytes(p));
}

/* COM1 is tried without anybody naming it, so it is not reported if it does not answer. */
static const struct serial_port com1 = { SERIAL_PORT_16550, "16550", "default", false,
					 SERIAL_PORT_COM1,  1,       1,         false };

/* Probe a port, which becomes o->uart's. Returns true if it answers; else it is listed. */
static bool try_port(struct output *o, const struct serial_port *p)
{
	struct output_tried *t = &o->tried[o->ports];

	for (unsigned i = 0; i < o->ports; i++)
		if (o->tried[i].port.mmio == p->mmio && o->tried[i].port.base == p->base)
			return false;
	*t = (struct output_tried){ *p, "takes an exception when it is read" };
	o->uart = (struct uart){ .port = *p, .hz = app->machine.clock.hz };
	if (is_memory(p))
		t->why = "is memory, by the firmware's map";
	else
		arch_guard_quietly(probe, t);
	o->ports += t->why != NULL;
	return !t->why;
}

/* Find the first port that answers. False: none does, or none is wanted. */
static bool choose_port(struct output *o)
{
	const struct serial_port *named = &app->machine.acpi.serial;
	struct serial_port p;

	o->ports = 0;
	o->uart.present = false;
	if (app->options.config.serial.kind == SERIAL_OFF)
		return false;
	if (take_configured(&app->options, &p) && try_port(o, &p))
		return true;
	return (named->kind && try_port(o, named)) || try_port(o, &com1);
}

/* Words */

static void show_line(bool in_log, const char *level, const char *line)
{
	if (in_log)
		report_log(&app->report, level, "%s", line);
	else
		door.print(line);
}

void output_show(const struct output *o, bool in_log)
{
	TEXT_DEFINE(line, LINE_MAX);

	for (const struct output_tried *t = o->tried; t < o->tried + o->ports; t++) {
		if (t->port.from == com1.from)
			continue;
		text_reset(&line);
		text_add(&line, "serial port ");
		serial_port_print(&line, &t->port);
		text_add(&line, ": %s; not used", t->why);
		show_line(in_log, "warning", line.buf);
	}
	text_reset(&line);
	text_add(&line, "serial output: %s",
		 o->is_chosen                                    ? o->name
		 : app->options.config.serial.kind == SERIAL_OFF ? "off"
								 : "none: no port answers");
	show_line(in_log, "info", line.buf);
}

/* Output */

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
	save_text(&app->save, line, bytes);
}

static void print_here(struct output *o)
{
	app->report.line = write_text;
	app->report.ctx = o;
}

bool output_has_link(const struct output *o)
{
	return app->report.links && app->report.link[0].to == &o->link;
}

void output_alone(struct output *o)
{
	app->report.links = output_has_link(o);
	app->save.takes_text = false;
	print_here(o);
}

static void open_port(struct output *o)
{
	struct text t;

	text_init(&t, o->name, sizeof(o->name));
	serial_port_print(&t, &o->uart.port);
	o->uart.baud = wants_rate(&o->uart.port) ? (uint32_t)app->options.config.baud : 0;
	uart_open(&o->uart);
}

void output_open(struct output *o)
{
	struct report *r = &app->report;

	r->links = 0;
	o->link.write = write_record;
	o->link.sid = arch_entropy();
	print_here(o);
	o->is_chosen = choose_port(o);
	if (!o->is_chosen)
		return;
	open_port(o);
	report_add_link(r, (struct report_link){ .to = &o->link, .gaps_default = GAPS_ON_SERIAL });
	/* Leave the line on which the firmware has left its cursor. */
	uart_write(&o->uart, "\r\n", 2);
}
