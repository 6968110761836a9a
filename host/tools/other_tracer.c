/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces and tables that look like a known tool's but are of others: they are named. */
#include "tool_format.h"

#include <string.h>

static enum tool_match match(const char *line)
{
	return (strncmp(line, "# tracer: ", 10) == 0 && strcmp(line + 10, "hwlat") != 0 &&
		strcmp(line + 10, "osnoise") != 0) ||
			       strncmp(line, "# RTLA timerlat", 15) == 0 ||
			       strstr(line, "Timer Latency  ")
		       ? TOOL_TITLE
		       : TOOL_NO;
}

static void start(struct tool_parse *p)
{
	p->tool->tool = "another tracer";
}

static void parse(struct tool_parse *p, const char *line)
{
	if (match(line) == TOOL_TITLE && !p->reports) {
		line += strspn(line, " #");
		tool_report(p,
			    "\"%.60s\": it does not measure gaps; of tracers hwlat and osnoise do",
			    line);
	}
}

const struct tool_format tool_other_tracer = {
	.name = "another tracer",
	.match = match,
	.start = start,
	.parse = parse,
};
