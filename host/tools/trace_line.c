/* SPDX-License-Identifier: BSD-2-Clause */
/* Task, core and time of a line of a trace, by what they look like and not by their columns. */
#include "tool_frame.h"
#include "trace_line.h"

#include <string.h>

/* [001], or 13 with flags glued to it. */
static bool take_cpu(const char **at, uint32_t *cpu)
{
	const char *from = *at;

	if (scan_literal(&from, "(") && !scan_past(&from, ")"))
		return false; /* the column of thread groups does not end */
	if (scan_literal(&from, "[")) {
		if (!scan_u32(&from, cpu) || *from != ']')
			return false;
		*at = from + 1;
		return true;
	}
	if (*from != ' ' || !scan_u32(&from, cpu) || *from == '\0' || !strchr(".dDXbB", *from))
		return false;
	*at = from;
	return true;
}

/* Names of tasks have dashes and blanks of their own: the right one has a core behind it. */
bool trace_line_read(const char *line, struct trace_line *t)
{
	for (const char *at = strchr(line, '-'); at; at = strchr(at + 1, '-')) {
		const char *from = at + 1;

		if (*from == ' ' || !scan_u64(&from, &t->pid))
			continue;
		t->task_end = from;
		if (!take_cpu(&from, &t->cpu))
			continue;
		if (!scan_past(&from, ":"))
			return false;
		t->event = from;
		return true;
	}
	return false;
}

const char *trace_header(const char *line, const char *tracer)
{
	const char *at = tool_frame_word(line, "# tracer: ");
	const char *from = at;

	return at && scan_past(&from, "# tracer: ") && scan_literal(&from, tracer) && scan_end(from)
		       ? at
		       : NULL;
}

/* sh-12 [0 */
bool trace_is_record(const char *line)
{
	for (const char *at = strchr(line, '-'); at; at = strchr(at + 1, '-')) {
		const char *from = at + 1;
		uint64_t pid;
		uint32_t cpu;

		if (*from != ' ' && scan_u64(&from, &pid) &&
		    (take_cpu(&from, &cpu) || scan_literal(&from, "[")))
			return true;
	}
	return false;
}

bool trace_is_named(const char *event)
{
	size_t bytes;

	event += strspn(event, " ");
	bytes = strspn(event, "abcdefghijklmnopqrstuvwxyz_0123456789");
	return bytes && (*event < '0' || *event > '9') && event[bytes] == ':';
}

/* "# entries-in-buffer/entries-written: 4/9   #P:2": five were written over. */
static bool was_overwritten(const char *line)
{
	uint64_t held, written;

	return tool_take(&line, "# entries-in-buffer/entries-written:", &held) &&
	       tool_take(&line, "/", &written) && written > held;
}

bool trace_remark(struct tool_parse *p, const char *line)
{
	bool lost = strncmp(line, "CPU:", 4) == 0 && strstr(line, " EVENTS");

	if (lost || was_overwritten(line))
		p->tool->notes |= TOOL_LOST;
	if (strstr(line, "is tainted!") || strstr(line, "hwlat_detector: "))
		p->tool->notes |= TOOL_TAINTED;
	return lost || *line == '#' || strncmp(line, "cpus=", 5) == 0 || scan_end(line) ||
	       strstr(line, "hwlat_detector: ");
}
