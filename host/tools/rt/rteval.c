/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rteval's summary of a cyclictest or timerlat of its own, as XML (summary.xml) and as the text
 * that it prints of that: samples and the longest latency in us, of the system and per core. Only
 * its sections of these are read, and of XML one tag after the other.
 */
#include "host/tools/tool_format.h"
#include "host/tools/tool_frame.h"

#include <string.h>

#define ALL_CORES TOOL_ANY_CPU

struct rteval {
	bool inside; /* a section that is read */
	bool xml, whole;
	bool analysed;                /* false: an analysis of a latency has begun, and not ended */
	uint32_t cpu;                 /* of the figures that follow; ALL_CORES: the system's */
	struct maybe samples, max_us; /* the system's */
};

static enum tool_match find(const char *line, const char **at)
{
	static const char *const openings[] = { "rteval (v", "<rteval version=" };

	for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		*at = tool_frame_word(line, openings[i]);
		if (*at)
			return TOOL_OPENING;
	}
	return TOOL_NO;
}

static void start(struct tool_parse *p)
{
	*(struct rteval *)p->state = (struct rteval){ .cpu = ALL_CORES, .analysed = true };
}

static struct tool_core *core_of(struct tool_parse *p)
{
	const struct rteval *r = p->state;

	p->tool->rows++;
	return tool_core(p, r->cpu);
}

static void take_samples(struct tool_parse *p, const char *line, const char *at)
{
	struct rteval *r = p->state;
	struct tool_core *core;
	struct maybe samples;

	if (!scan_maybe(&at, &samples))
		tool_wrong(p, line, "a number of samples");
	else if (r->cpu == ALL_CORES)
		r->samples = samples;
	else if ((core = core_of(p)))
		core->events = range_add(core->events, range_exact(samples.value));
}

static void take_max(struct tool_parse *p, const char *line, const char *at)
{
	struct rteval *r = p->state;
	struct tool_core *core;
	struct maybe us;

	if (!scan_maybe(&at, &us))
		tool_wrong(p, line, "a number of us");
	else if (r->cpu == ALL_CORES)
		r->max_us = us;
	else if ((core = core_of(p)))
		core->max_ns = range_max(core->max_ns, range_cut(us.value, NS_PER_US));
}

/*
 * rtla prints an analysis of the latency that stopped it, after "## CPU 2 hit stop tracing,
 * analyzing it ##". Its last line is the total, "Thread latency:     123.31 us (100 %)" or the same
 * of an IRQ; "IRQ latency:" without 100 % is a part.
 */
static void take_stop(struct tool_parse *p, const char *line)
{
	static const char *const marks[] = { "IRQ latency from idle:", "Thread latency:",
					     "IRQ latency:" };
	struct rteval *r = p->state;
	struct tool_core *core;
	uint64_t ns;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = line;

		if (!scan_past(&at, marks[i]) || !scan_fixed(&at, 3, &ns) ||
		    !scan_literal(&at, "us") || (i && !scan_literal(&at, "(100")))
			continue;
		if (i)
			r->analysed = true;
		else if (scan_past(&at, "in cpu"))
			scan_u32(&at, &r->cpu);
		if (!(core = core_of(p)))
			continue;
		core->max_ns = range_max(core->max_ns, range_cut(ns / 10, 10));
		p->tool->notes |= TOOL_STOPPED;
	}
}

/* A new analysis begins, or the report ends: report it if the previous analysis has no total. */
static void check_analysis_ended(struct tool_parse *p)
{
	struct rteval *r = p->state;

	if (!r->analysed) {
		tool_cut(p, "latency of 100 %");
		p->tool->notes |= TOOL_DAMAGED;
	}
	r->analysed = true;
}

/* CPU core 3       Priority: 95 */
static void parse_text(struct tool_parse *p, const char *line)
{
	struct rteval *r = p->state;
	const char *at = line;

	if (scan_literal(&at, "Command:")) {
		r->inside = strstr(at, "cyclictest") || strstr(at, "timerlat");
		r->cpu = ALL_CORES;
	} else if (scan_literal(&at, "=====")) {
		r->inside = false;
	}
	if (!r->inside)
		return;
	if (scan_literal(&at, "CPU core ")) {
		scan_u32(&at, &r->cpu);
	} else if (scan_literal(&at, "## CPU ")) {
		check_analysis_ended(p);
		r->analysed = !scan_u32(&at, &r->cpu);
	} else if (scan_literal(&at, "System:")) {
		r->cpu = ALL_CORES;
	} else if (scan_literal(&at, "Samples:")) {
		take_samples(p, line, at);
	} else if (scan_literal(&at, "Max:")) {
		take_max(p, line, at);
	} else {
		take_stop(p, line);
	}
}

static void parse_tag(struct tool_parse *p, const char *line, const char *at)
{
	struct rteval *r = p->state;

	r->xml = r->xml || scan_literal(&at, "<rteval ");
	r->whole = r->whole || scan_literal(&at, "</rteval>");
	if (scan_literal(&at, "<cyclictest ") || scan_literal(&at, "<timerlat "))
		r->inside = true;
	else if (scan_literal(&at, "</cyclictest>") || scan_literal(&at, "</timerlat>"))
		r->inside = false;
	else if (!r->inside)
		return;
	else if (scan_literal(&at, "<core id=\""))
		scan_u32(&at, &r->cpu);
	else if (scan_literal(&at, "</core>"))
		r->cpu = ALL_CORES;
	else if (scan_literal(&at, "<samples>"))
		take_samples(p, line, at);
	else if (scan_literal(&at, "<maximum unit=\"us\">"))
		take_max(p, line, at);
}

static void parse(struct tool_parse *p, const char *line)
{
	const char *tag = strchr(line, '<');

	if (!tag)
		parse_text(p, line);
	for (; tag; tag = strchr(tag + 1, '<'))
		parse_tag(p, line, tag);
}

/* What it has of the system is that of its cores, if it has these. */
static void finish(struct tool_parse *p)
{
	const struct rteval *r = p->state;
	struct tool_core *core;

	check_analysis_ended(p);
	if (r->xml && !r->whole)
		tool_cut(p, "\"</rteval>\"");
	if (p->tool->cores || !r->samples.known)
		return;
	core = tool_core(p, TOOL_ANY_CPU);
	core->events = range_exact(r->samples.value);
	if (r->max_us.known)
		core->max_ns = range_cut(r->max_us.value, NS_PER_US);
}

const struct tool_format tool_rteval = {
	.name = "rteval",
	.find = find,
	.state_bytes = sizeof(struct rteval),
	.encoded = true,
	.notes = TOOL_WAKEUP,
	.start = start,
	.parse = parse,
	.finish = finish,
};
