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

/* Where the header of this tracer's trace begins; NULL: not in this line. */
const char *trace_header(const char *line, const char *tracer);

/* A record of a trace, if one that is torn: it has a task and a core. */
bool trace_is_record(const char *line);

/* An event that is named, as those of other subsystems are. */
bool trace_is_named(const char *event);

/*
 * Lines about the trace itself: comments, and reports of lost events, which are noted.
 * True where there is nothing else in the line.
 */
bool trace_remark(struct tool_parse *p, const char *line);
