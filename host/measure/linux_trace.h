/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux traced around the gap that ended a run: events in a ring buffer that stops with the
 * run, by the TSC. Source: Linux, Documentation/trace/ftrace.rst, "trace_clock", x86-tsc.
 */
#pragma once

#include "tracefs.h"

#include "core/config/config.h"
#include "core/run/run.h"

#include <stdbool.h>

struct linux_trace {
	struct tracefs fs;
	bool on;
};

/*
 * Start tracing if the configuration has a limit that stops the run; `given` as for tracefs_find().
 * What is missing is reported: the run goes on without. linux_trace_close() is due in any case.
 */
void linux_trace_open(struct linux_trace *t, const struct config *config, const char *given,
		      struct report *report);

/* The window is over: if a core ended it, what was traced up to now stays. */
void linux_trace_window(struct linux_trace *t, const struct run *run);

/* After the stage: log records of what was traced, if a limit stopped it. */
void linux_trace_keep(const struct linux_trace *t, const struct run *run);

/* Restore tracefs; false, with a sentence on standard error, if something could not be. */
bool linux_trace_close(struct linux_trace *t);
