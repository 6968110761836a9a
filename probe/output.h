/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The serial port: text for people and the serial link of records. It is the first that answers of
 * those that the configuration and the firmware name, and COM1.
 */
#pragma once

#include "machine.h"

#include "core/config/config.h"
#include "core/records/record.h"
#include "core/report/report.h"
#include "drivers/uart.h"

#define OUTPUT_PORTS_MAX (ACPI_SERIALS_MAX + 2)
#define OUTPUT_NAME_MAX  96

/* A port that was asked. */
struct output_tried {
	struct serial_port port;
	enum uart_answer answer;
	const char *why; /* what it lacks; NULL: nothing */
};

struct output {
	const struct config *config;
	const struct machine *machine;
	struct report *report;
	struct uart uart;
	struct record_link link; /* its sid is the run's */
	struct output_tried tried[OUTPUT_PORTS_MAX];
	unsigned ports;                    /* that were asked */
	const struct output_tried *chosen; /* NULL: none answers, or none is wanted */
	char name[OUTPUT_NAME_MAX];        /* of the one chosen */
};

/* Where else output goes: bits. */
enum output_else { OUTPUT_SCREEN = 1, OUTPUT_FILE = 2, OUTPUT_VARIABLES = 4, OUTPUT_NETWORK = 8 };

/* Choose and open a port, and begin the report; again, when the configuration has changed. */
void output_open(struct output *o);

/* Print which port it is, and which were not used and why, on the firmware's console. */
void output_show(const struct output *o);

/* Log the same; and where output goes, bits of enum output_else, if not to a port. */
void output_log(const struct output *o, unsigned elsewhere);

/* Do records go to the port? Then it is the report's first link. */
bool output_has_link(const struct output *o);

/* From now on the report goes nowhere else: other links may need the firmware. */
void output_alone(struct output *o);
