/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands before an event in a trace: of tracefs (with whatever columns of flags
 * the kernel has, also in latency-format) and of `trace-cmd report`.
 */
#pragma once

#include "tool_format.h"

#include <stdbool.h>
#include <stdint.h>

struct trace_line {
	uint64_t pid;
	uint32_t cpu;
	const char *task_end; /* behind its pid */
	const char *event;    /* behind the time stamp and its colon */
};

/* False for a line that is no event. */
bool trace_line_read(const char *line, struct trace_line *t);

/*
 * A line of a trace, whose events are the rows of its format: of others' events only those without
 * a name are refused. Remarks about the trace itself are noted.
 */
void trace_parse(struct tool_parse *p, const char *line);
