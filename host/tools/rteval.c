/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rteval's summary of a cyclictest or timerlat of its own, as XML (summary.xml) and as the text
 * that it prints of that: samples and the longest latency in us, of the system and per core. Only
 * its sections of these are read, and of XML one tag after the other.
 */
#include "tool_format.h"

#include <stdio.h>
#include <string.h>

#define TAG_BYTES 128 /* a tag and its figure are shorter */

struct rteval {
	bool inside;   /* a section that is read */
	bool cut;      /* XML that has not ended */
	bool analysis; /* in the analysis of rtla's stop; its total is missing so far */
};

/* The figures that follow are the system's; other rows name the core of theirs. */
static void take_system(struct tool_parse *p)
{
	p->v.cpu = TOOL_NONE;
}

static void take_samples(struct tool_parse *p)
{
	struct tool_core *core = tool_core(p, p->v.cpu);

	core->events = range_add(core->events, range_exact(p->v.count));
}

/* ---- Analyses of the latency that stopped rtla ---- */

/* The previous analysis, or the report, ends. */
static void end_analysis(struct tool_parse *p)
{
	struct rteval *r = p->state;

	if (r->analysis)
		tool_refuse(p, "rteval: truncated before its latency of 100 %%");
	r->analysis = false;
}

static void take_stop(struct tool_parse *p)
{
	end_analysis(p);
	((struct rteval *)p->state)->analysis = true;
}

/* `arg`: what a latency is a multiple of, ns; 10 in an analysis, in which one of 100 % is last. */
static void take_max(struct tool_parse *p)
{
	struct tool_core *core = tool_core(p, p->v.cpu);

	core->max_ns = range_max(core->max_ns, range_cut(p->v.max, p->arg));
	if (p->arg < NS_PER_US)
		p->tool->notes |= TOOL_STOPPED;
}

static void take_total(struct tool_parse *p)
{
	((struct rteval *)p->state)->analysis = false;
	take_max(p);
}

/* ---- Lines ---- */

static const struct tool_row rows[] = {
	{ "CPU core ", "%u(cpu)", NULL, 0 },
	{ "## CPU ", "%u(cpu)", take_stop, 0 },
	{ "System:", "", take_system, 0 },
	{ "Samples:", "%u(count)", take_samples, 0 },
	{ "Max:", "%u(max)", take_max, NS_PER_US },
	{ "*Thread latency:%2(max) us (100", "", take_total, 10 },
	{ "*IRQ latency:%2(max) us (100", "", take_total, 10 },
	{ "Max timerlat IRQ latency from idle:%2(max) us in cpu", "%u(cpu)", take_max, 10 },
	{ "Max timerlat IRQ latency from idle:", "%2(max) us", take_max, 10 },
	{ "<core id=\"", "%u(cpu)", NULL, 0 },
	{ "</core>", "", take_system, 0 },
	{ "<samples>", "%u(count)<", take_samples, 0 },
	{ "<maximum unit=\"us\">", "%u(max)<", take_max, NS_PER_US },
	{ .key = NULL },
};

/* A line, or a tag in it, in which a section begins or ends; else what is in a section. */
static void parse_part(struct tool_parse *p, const char *at)
{
	struct rteval *r = p->state;

	r->cut = (r->cut || scan_literal(&at, "<rteval ")) && !scan_literal(&at, "</rteval>");
	if (scan_literal(&at, "Command:")) {
		r->inside = strstr(at, "cyclictest") || strstr(at, "timerlat");
		take_system(p);
	} else if (scan_literal(&at, "<cyclictest ") || scan_literal(&at, "<timerlat ")) {
		r->inside = true;
	} else if (scan_literal(&at, "=====") || scan_literal(&at, "</cyclictest>") ||
		   scan_literal(&at, "</timerlat>")) {
		r->inside = false;
	} else if (r->inside) {
		tool_take_row(p, rows, at);
	}
}

static void rteval_parse(struct tool_parse *p, const char *line)
{
	const char *tag = strchr(line, '<');

	if (!tag)
		parse_part(p, line);
	/* A line may be a whole document: no row is looked for beyond its tag. */
	for (; tag; tag = strchr(tag + 1, '<')) {
		char part[TAG_BYTES];

		snprintf(part, sizeof(part), "%.*s", TAG_BYTES - 1, tag);
		parse_part(p, part);
	}
}

static void rteval_finish(struct tool_parse *p)
{
	struct tool *tool = p->tool;
	size_t cores = 0;

	end_analysis(p);
	if (((struct rteval *)p->state)->cut)
		tool_cut(p, "\"</rteval>\"");
	/* Figures of the system repeat those of its cores, if it has these. */
	for (size_t i = 0; i < tool->cores && tool->cores > 1; i++) {
		if (tool->core[i].cpu != TOOL_ANY_CPU)
			tool->core[cores++] = tool->core[i];
	}
	tool->cores = cores ? cores : tool->cores;
}

const struct tool_format tool_rteval = {
	.name = "rteval",
	.opens = { "rteval (v", "<rteval version=" },
	.state_bytes = sizeof(struct rteval),
	.markup = TOOL_MARKUP,
	.notes = TOOL_WAKEUP,
	.parse = rteval_parse,
	.finish = rteval_finish,
};
