/* SPDX-License-Identifier: BSD-2-Clause */
/* hwlat and osnoise, run by their own interface one after the other, and their output kept. */
#pragma once

#include "linux_options.h"

#include "core/report/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct linux_tracers {
	char root[256];    /* of tracefs; "": none */
	uint32_t run;      /* those to run, 1 << enum config_tracer */
	bool must;         /* asked for by name: it is an error when one gives nothing */
	char missing[300]; /* why some that might run do not; "" */
};

/*
 * Which can run here. In c->tracers are then those that will. False, with a sentence on
 * standard error, when one that was asked for by name cannot.
 */
bool linux_tracers_find(struct linux_tracers *t, struct config *c, const char *given);

/* What was found, as a log record. */
void linux_tracers_report(const struct linux_tracers *t, struct report *report);

/*
 * Run them for the configuration's duration each, on its cores and with its threshold; each
 * one's output goes to `out` behind a line that states how it ran; a line for people to
 * `people`. Ends early on a signal (signals.h), with what there is. Returns an
 * exit code: 0; 2 for what could not be put back and for a tracer that was asked for and
 * gave nothing; 3 for what was cut short or, with tracers=auto, gave nothing.
 */
int linux_tracers_run(const struct linux_tracers *t, const struct config *config, FILE *out,
		      FILE *people);
