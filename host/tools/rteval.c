/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rteval's summary of a cyclictest or timerlat of its own, as XML (summary.xml) and as the text
 * that it prints of that: samples and the longest latency in us, of the system and per core. Only
 * its sections of these are read, and of XML one tag after the other.
 */
#include "tool_format.h"

#include <string.h>

#define ALL_CORES TOOL_ANY_CPU

struct rteval {
	bool inside; /* a section that is read */
	bool xml, whole;
	bool analysis;            /* of a latency; its total is missing so far */
	uint32_t cpu;             /* of the figures that follow; ALL_CORES: the system's */
	uint64_t samples, max_us; /* the system's; TOOL_NONE: not printed */
};

static void start(struct tool_parse *p)
{
	*(struct rteval *)p->state =
		(struct rteval){ .cpu = ALL_CORES, .samples = TOOL_NONE, .max_us = TOOL_NONE };
}

/* The core of the figures that follow, which a row names, or all. */
static void take_core(struct tool_parse *p, const uint64_t *n)
{
	struct rteval *r = p->state;

	r->cpu = n[0] < UINT32_MAX ? (uint32_t)n[0] : ALL_CORES - 1;
}

static void take_system(struct tool_parse *p, const uint64_t *n)
{
	(void)n;
	((struct rteval *)p->state)->cpu = ALL_CORES;
}

static void take_samples(struct tool_parse *p, const uint64_t *n)
{
	struct rteval *r = p->state;
	struct tool_core *core = r->cpu == ALL_CORES ? NULL : tool_core(p, r->cpu);

	if (core)
		core->events = range_add(core->events, range_exact(n[0]));
	else
		r->samples = n[0];
}

static void take_max(struct tool_parse *p, const uint64_t *n)
{
	struct rteval *r = p->state;
	struct tool_core *core = r->cpu == ALL_CORES ? NULL : tool_core(p, r->cpu);

	if (core)
		core->max_ns = range_max(core->max_ns, range_cut(n[0], NS_PER_US));
	else
		r->max_us = n[0];
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

static void take_stop(struct tool_parse *p, const uint64_t *n)
{
	end_analysis(p);
	((struct rteval *)p->state)->analysis = true;
	take_core(p, n);
}

/* Hundredths of a us. */
static void take_latency(struct tool_parse *p, const uint64_t *n)
{
	struct tool_core *core = tool_core(p, ((struct rteval *)p->state)->cpu);

	p->tool->notes |= TOOL_STOPPED;
	if (core)
		core->max_ns = range_max(core->max_ns, range_cut(n[0] / 10, 10));
}

/* The total: without 100 % a latency is a part. */
static void take_total(struct tool_parse *p, const uint64_t *n)
{
	((struct rteval *)p->state)->analysis = false;
	take_latency(p, n);
}

static void take_idle(struct tool_parse *p, const uint64_t *n)
{
	if (n[1] != TOOL_NONE)
		take_core(p, n + 1);
	take_latency(p, n);
}

/* ---- Lines ---- */

static const struct tool_row text_rows[] = {
	{ "CPU core ", "%u", take_core, 0 },
	{ "## CPU ", "%u", take_stop, 0 },
	{ "System:", "", take_system, 0 },
	{ "Samples:", "%u", take_samples, 0 },
	{ "Max:", "%u", take_max, 0 },
	{ "*Thread latency:%3 us (100", "", take_total, 0 },
	{ "*IRQ latency:%3 us (100", "", take_total, 0 },
	{ "Max timerlat IRQ latency from idle:", "%3 us{ in cpu %u}", take_idle, 0 },
	{ .key = NULL },
};

static const struct tool_row xml_rows[] = {
	{ "<core id=\"", "%u", take_core, 0 },
	{ "</core>", "", take_system, 0 },
	{ "<samples>", "%u<", take_samples, 0 },
	{ "<maximum unit=\"us\">", "%u<", take_max, 0 },
	{ .key = NULL },
};

static void parse_text(struct tool_parse *p, const char *line)
{
	struct rteval *r = p->state;
	const char *at = line;

	if (scan_literal(&at, "Command:")) {
		r->inside = strstr(at, "cyclictest") || strstr(at, "timerlat");
		r->cpu = ALL_CORES;
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
static void finish(struct tool_parse *p)
{
	const struct rteval *r = p->state;
	struct tool_core *core;

	end_analysis(p);
	if (r->xml && !r->whole)
		tool_cut(p, "\"</rteval>\"");
	if (p->tool->cores || r->samples == TOOL_NONE)
		return;
	core = tool_core(p, TOOL_ANY_CPU);
	core->events = range_exact(r->samples);
	if (r->max_us != TOOL_NONE)
		core->max_ns = range_cut(r->max_us, NS_PER_US);
}

const struct tool_format tool_rteval = {
	.name = "rteval",
	.opens = { "rteval (v", "<rteval version=" },
	.state_bytes = sizeof(struct rteval),
	.markup = TOOL_MARKUP,
	.notes = TOOL_WAKEUP,
	.start = start,
	.parse = parse,
	.finish = finish,
};
