/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The serial port, which has text for people and the link of records. It is the first that answers
 * of those that the configuration and the firmware name, and COM1.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "core/records/record.h"
#include "drivers/uart.h"

#define OUTPUT_PORTS_MAX (ACPI_SERIALS_MAX + 2)
#define OUTPUT_NAME_MAX  96

/* A port that was probed. */
struct output_tried {
	struct serial_port port;
	enum uart_answer answer;
	const char *why; /* what it lacks; NULL: nothing */
};

struct output {
	struct uart uart;
	struct record_link link; /* its sid is the run's */
	struct output_tried tried[OUTPUT_PORTS_MAX];
	unsigned ports;                    /* number of ports in `tried` */
	const struct output_tried *chosen; /* NULL: none answers, or none is wanted */
	char name[OUTPUT_NAME_MAX];        /* name of the chosen port */
};

/* The outputs besides the serial port, as bits. */
enum output_else { OUTPUT_SCREEN = 1, OUTPUT_FILE = 2, OUTPUT_VARIABLES = 4, OUTPUT_NETWORK = 8 };

/* Choose and open a port, and begin the report. Called again when the configuration has changed. */
void output_open(struct output *o);

/* Print the choice on the firmware's console, and why other ports are not used. */
void output_show(const struct output *o);

/*
 * Log the same. Without a port, also log where output goes: `elsewhere` has bits of enum
 * output_else.
 */
void output_log(const struct output *o, unsigned elsewhere);

/* True if records go to the port, whose link then is the report's first. */
bool output_has_link(const struct output *o);

/* Drop the report's other links, which may need the firmware. */
void output_alone(struct output *o);
