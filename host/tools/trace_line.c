/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Beginning of a trace's line before the event: of tracefs (with any columns of flags, also in
 * latency-format) and of `trace-cmd report`. Task, core and time are found by their form and not by
 * their columns.
 */
#include "tool_format.h"

#include <string.h>

/* [001], or 13 with flags glued to it; a thread group may precede it: (-----) or (  831). */
static bool take_cpu(const char **at, uint64_t *cpu)
{
	const char *from = *at;

	if (scan_literal(&from, "(")) {
		from += strspn(from, " -0123456789");
		if (*from++ != ')')
			return false;
	}
	if (scan_literal(&from, "[")) {
		if (!scan_u64(&from, cpu) || *from != ']')
			return false;
		*at = from + 1;
		return true;
	}
	if (*from != ' ' || !scan_u64(&from, cpu) || *from == '\0' || !strchr(".dDXbB", *from))
		return false;
	*at = from;
	return true;
}

/*
 * Read task and core; what follows the time stamp and its colon is the event. Names of tasks have
 * dashes and blanks of their own: the right one has a core behind it. NULL: there is none; *torn if
 * it begins like a record, as "sh-12 [0".
 */
static const char *read_line(struct tool_parse *p, const char *line, bool *torn)
{
	*torn = false;
	for (const char *at = strchr(line, '-'); at; at = strchr(at + 1, '-')) {
		const char *from = at + 1;

		if (*from == ' ' || !scan_u64(&from, &p->v.pid))
			continue;
		if (take_cpu(&from, &p->v.cpu)) {
			*torn = !scan_past(&from, ":");
			return *torn ? NULL : from;
		}
		*torn = *torn || scan_literal(&from, "[");
	}
	return NULL;
}

/* An event that is named, as those of other subsystems are. */
static bool is_named(const char *event)
{
	size_t bytes;

	event += strspn(event, " ");
	bytes = strspn(event, "abcdefghijklmnopqrstuvwxyz_0123456789");
	return bytes && (*event < '0' || *event > '9') && event[bytes] == ':';
}

/* A row of the format's own, also where what was cut is before it: "sched_switcirq_noise:". */
static bool has_row(const struct tool_format *format, const char *event)
{
	bool has = false;

	for (size_t i = 0; i < TOOL_BODY_MAX && format->body[i]; i++)
		has = has || strstr(event, format->body[i]);
	return has;
}

/* Lines about the trace itself: comments, and reports of lost events. */
static bool take_remark(struct tool_parse *p, const char *line)
{
	bool lost = strncmp(line, "CPU:", 4) == 0 && strstr(line, " EVENTS");
	const char *at = line;
	struct tool_values v;

	/* "# entries-in-buffer/entries-written: 4/9   #P:2": five were written over. */
	if (tool_scan(&at, "# entries-in-buffer/entries-written:%u(first)/%u(second)", &v)) {
		p->entries = v.first;
		lost = v.second > v.first;
	}
	if (lost)
		p->tool->notes |= TOOL_LOST;
	if (strstr(line, "is tainted!") || strstr(line, "hwlat_detector: "))
		p->tool->notes |= TOOL_TAINTED;
	at = line;
	tool_scan(&at, *line == '#' ? "*#P:%u(cpus)" : "cpus=%u(cpus)", &p->v);
	/* Another tracer's trace follows. */
	if (p->tool->rows && strncmp(line, "# tracer: ", 10) == 0)
		p->rest = "";
	return lost || *line == '#' || strncmp(line, "cpus=", 5) == 0 || scan_end(line) ||
	       strstr(line, "hwlat_detector: ");
}

void tool_trace_parse(struct tool_parse *p, const char *line)
{
	const char *event;
	bool torn;

	if (take_remark(p, line))
		return;
	event = read_line(p, line, &torn);
	/* Numbers alone are the option `raw`, unless other rows precede them. */
	if (!event) {
		if (torn || (!p->tool->rows && !line[strspn(line, " 0123456789")]))
			tool_wrong(p, line);
		return;
	}
	p->entries -= p->entries > 0;
	if (tool_take_row(p, p->format->row, event))
		return;
	if (tool_scan(&event, "*_main: stop", NULL))
		p->tool->notes |= TOOL_STOPPED;
	else if (!is_named(event) || has_row(p->format, event))
		tool_wrong(p, line);
}
