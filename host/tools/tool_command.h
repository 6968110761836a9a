/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds command lines that stand in a log before a tool's output: the tool's name anywhere in a
 * line, behind whatever starts it, and those of its options that change the meaning of its figures.
 */
#pragma once

#include "tool.h"

struct tool_format;

struct tool_command {
	const char *tool;            /* NULL: none, or not a tool's */
	char text[TOOL_COMMAND_MAX]; /* for people; "": a prompt alone */
	bool histogram;              /* of rtla: `hist`, not a table */
	bool ns;                     /* figures are in ns, not in us */
	bool no_summary;             /* a histogram ends with its "over:" */
	bool no_header;              /* a histogram begins with its buckets */
	bool odd;                    /* a value is none: nothing of it is taken for granted */
	struct maybe threshold_ns, runtime_ns, period_ns, duration_ns;
	bool has_cpus;
	struct cpulist cpus;
};

/*
 * Read the command in the line: behind a prompt "user@host:~#" any, elsewhere one of the tools'.
 * False: there is none.
 */
bool tool_command_read(const char *line, struct tool_command *c);

/* The format of a command that prints a histogram without a header; NULL: it does not. */
const struct tool_format *tool_command_untitled(const struct tool_command *c);

/* Add the command to what is stated otherwise, which counts, of an output of that format. */
void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated);
