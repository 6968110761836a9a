/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rteval's summary of a cyclictest or timerlat of its own, as XML (summary.xml) and as the text
 * that it prints of that: samples and the longest latency in us, of the system and per core. Only
 * its sections of these are read, and of XML one tag after the other.
 */
#include "tool_format.h"

#include <string.h>

struct rteval {
	bool inside; /* a section that is read */
	bool xml, whole;
	bool analysis; /* of the latency that stopped rtla; its total is missing so far */
};

/* The figures that follow are the system's; other rows name the core of theirs. */
static void take_system(struct tool_parse *p)
{
	p->v.cpu = TOOL_ANY_CPU;
}

static void take_samples(struct tool_parse *p)
{
	struct tool_core *core = tool_core(p, tool_or(p->v.cpu, TOOL_ANY_CPU));

	if (core)
		core->events = range_add(core->events, range_exact(p->v.count));
}

static void take_max(struct tool_parse *p)
{
	struct tool_core *core = tool_core(p, tool_or(p->v.cpu, TOOL_ANY_CPU));

	if (core)
		core->max_ns = range_max(core->max_ns, range_cut(p->v.max, NS_PER_US));
}

/* ---- Analyses of the latency that stopped rtla ---- */

/* The previous analysis, or the report, ends. */
static void end_analysis(struct tool_parse *p)
{
	struct rteval *r = p->state;

	if (r->analysis) {
		tool_cut(p, "latency of 100 %");
		p->tool->notes |= TOOL_DAMAGED;
	}
	r->analysis = false;
}

static void take_stop(struct tool_parse *p)
{
	end_analysis(p);
	((struct rteval *)p->state)->analysis = true;
}

/* Of the core that the row names, or the analysis. Without 100 % a latency is a part. */
static void take_latency(struct tool_parse *p)
{
	struct rteval *r = p->state;
	struct tool_core *core = tool_core(p, tool_or(p->v.cpu, TOOL_ANY_CPU));

	r->analysis = r->analysis && !p->arg;
	p->tool->notes |= TOOL_STOPPED;
	if (core)
		core->max_ns = range_max(core->max_ns, range_cut(p->v.max, 10));
}

/* ---- Lines ---- */

static const struct tool_row text_rows[] = {
	{ "CPU core ", "%u(cpu)", NULL, 0 },
	{ "## CPU ", "%u(cpu)", take_stop, 0 },
	{ "System:", "", take_system, 0 },
	{ "Samples:", "%u(count)", take_samples, 0 },
	{ "Max:", "%u(max)", take_max, 0 },
	{ "*Thread latency:%2(max) us (100", "", take_latency, true },
	{ "*IRQ latency:%2(max) us (100", "", take_latency, true },
	{ "Max timerlat IRQ latency from idle:%2(max) us in cpu", "%u(cpu)", take_latency, false },
	{ "Max timerlat IRQ latency from idle:", "%2(max) us", take_latency, false },
	{ .key = NULL },
};

static const struct tool_row xml_rows[] = {
	{ "<core id=\"", "%u(cpu)", NULL, 0 },
	{ "</core>", "", take_system, 0 },
	{ "<samples>", "%u(count)<", take_samples, 0 },
	{ "<maximum unit=\"us\">", "%u(max)<", take_max, 0 },
	{ .key = NULL },
};

static void parse_text(struct tool_parse *p, const char *line)
{
	struct rteval *r = p->state;
	const char *at = line;

	if (scan_literal(&at, "Command:")) {
		r->inside = strstr(at, "cyclictest") || strstr(at, "timerlat");
		take_system(p);
	} else if (scan_literal(&at, "=====")) {
		r->inside = false;
	} else if (r->inside) {
		tool_take_row(p, text_rows, line);
	}
}

static void parse_tag(struct tool_parse *p, const char *at)
{
	struct rteval *r = p->state;

	r->xml = r->xml || strncmp(at, "<rteval ", 8) == 0;
	r->whole = r->whole || strncmp(at, "</rteval>", 9) == 0;
	if (scan_literal(&at, "<cyclictest ") || scan_literal(&at, "<timerlat "))
		r->inside = true;
	else if (scan_literal(&at, "</cyclictest>") || scan_literal(&at, "</timerlat>"))
		r->inside = false;
	else if (r->inside)
		tool_take_row(p, xml_rows, at);
}

static void parse(struct tool_parse *p, const char *line)
{
	const char *tag = strchr(line, '<');

	if (!tag)
		parse_text(p, line);
	for (; tag; tag = strchr(tag + 1, '<'))
		parse_tag(p, tag);
}

/* What it has of the system is that of its cores, if it has these. */
static void drop_system(struct tool *tool)
{
	size_t cores = 0;

	for (size_t i = 0; i < tool->cores && tool->cores > 1; i++) {
		if (tool->core[i].cpu != TOOL_ANY_CPU)
			tool->core[cores++] = tool->core[i];
	}
	tool->cores = cores ? cores : tool->cores;
}

static void finish(struct tool_parse *p)
{
	const struct rteval *r = p->state;

	end_analysis(p);
	if (r->xml && !r->whole)
		tool_cut(p, "\"</rteval>\"");
	drop_system(p->tool);
}

const struct tool_format tool_rteval = {
	.name = "rteval",
	.opens = { "rteval (v", "<rteval version=" },
	.state_bytes = sizeof(struct rteval),
	.markup = TOOL_MARKUP,
	.notes = TOOL_WAKEUP,
	.parse = parse,
	.finish = finish,
};
