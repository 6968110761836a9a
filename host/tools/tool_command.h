/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of `rtla osnoise`, where it stands in a log before its output, which leaves out
 * what was asked for.
 */
#pragma once

#include "tool.h"

struct tool_command {
	bool known, histogram; /* else a table: top, hwnoise */
	struct maybe threshold_ns, runtime_ns, period_ns, duration_ns;
	bool has_cpus;
	struct cpulist cpus;
};

/*
 * Take up the command in the line, if there is one. Where not all of it is understood, or it may go
 * on in the next line (`broken`), nothing is known.
 */
void tool_command_read(const char *line, bool broken, struct tool_command *c);

/* Add it to what is stated otherwise, which counts, of an output of that format. */
struct tool_format;
void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated);
