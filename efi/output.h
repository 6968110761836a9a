/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial port: text for people and the serial link of records. */
#pragma once

#include "machine.h"

#include "core/config/config.h"
#include "core/records/record.h"
#include "core/report/report.h"
#include "drivers/uart.h"

struct output {
	const struct config *config;
	const struct machine *machine;
	struct report *report;
	struct uart uart;
	struct record_link link; /* its sid is the run's */
};

/* Open the port of the configuration, or SPCR's, or COM1, and begin the report; again, when the
 * configuration has changed. */
void output_open(struct output *o);

/* Do records go to the port? Then it is the report's first link. */
bool output_has_link(const struct output *o);

/* From now on the report goes nowhere else: other links may need the firmware. */
void output_alone(struct output *o);
