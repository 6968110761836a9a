/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool_formats.h"

#include "tool_frame.h"

#include <string.h>

/* Traces that look like a tool's, of those that measure something else, are named. */
static enum tool_match find_other(const char *line, const char **at)
{
	*at = tool_frame_word(line, "# tracer: ");
	return tool_match_at(*at, TOOL_TITLE);
}

static void start_other(struct tool_parse *p)
{
	p->tool->tool = "another tracer";
}

static void parse_other(struct tool_parse *p, const char *line)
{
	if (!p->tool->rows++)
		tool_report(
			p,
			"\"%.60s\": it does not measure gaps; hwlat, osnoise and timerlat are read",
			line + strspn(line, " #"));
}

static const struct tool_format other_tracer = {
	.name = "another tracer",
	.find = find_other,
	.start = start_other,
	.parse = parse_other,
};

/* A line is offered from the top. */
const struct tool_format *const tool_formats[] = {
	&tool_hwlat,      &tool_osnoise,      &tool_timerlat,      &other_tracer,
	&tool_rtla_top,   &tool_rtla_hist,    &tool_hwlatdetect,   &tool_oslat,
	&tool_rt_json,    &tool_sysjitter,    &tool_sysjitter_raw, &tool_detour,
	&tool_cyclictest, &tool_timerlat_top, &tool_timerlat_hist, &tool_fwq,
	&tool_psnap,      &tool_ftq,          &tool_jhiccup,       &tool_rteval,
	&tool_stress_ng,  &tool_turbostat,
};

const size_t tool_formats_count = sizeof(tool_formats) / sizeof(tool_formats[0]);
