/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timerlat tracer (kernel/trace/trace_osnoise.c), as tracefs and trace-cmd print it: how late a
 * timer's interrupt, a kernel thread and, with rtla's -u, a user's thread were, each time. Like
 * rtla's summary of it, it bounds the longest gap from above. The tracepoint timerlat_sample may
 * repeat what the tracer's own line has.
 */
#include "tool_format.h"

#include "host/lib/memory.h"

#include <string.h>

#define CONTEXTS 3

/* Of a core: how many of each context, and the number of the last. */
struct latencies {
	uint64_t count[CONTEXTS], last[CONTEXTS];
};

static void take_latency(struct tool_parse *p, uint64_t number, uint64_t context, uint64_t ns)
{
	struct tool_core *core = context < CONTEXTS ? tool_core(p, p->cpu) : NULL;
	struct latencies *of;

	if (context >= CONTEXTS)
		tool_wrong(p, p->row, "the context irq (0), thread (1) or user-ret (2)");
	if (!core)
		return;
	if (!core->more)
		core->more = memory_new(1, sizeof(*of));
	of = core->more;
	of->count[context] += !of->count[context] || of->last[context] != number;
	of->last[context] = number;
	core->events = range_max(core->events, range_exact(of->count[context]));
	core->max_ns = range_max(core->max_ns, range_exact(ns));
}

/* The context is the row's. */
static void take_text(struct tool_parse *p, const uint64_t *n)
{
	take_latency(p, n[0], p->arg, n[1]);
}

static void take_trace_cmd(struct tool_parse *p, const uint64_t *n)
{
	take_latency(p, n[0], n[1], n[2]);
}

static void take_tracepoint(struct tool_parse *p, const uint64_t *n)
{
	take_latency(p, n[1], n[2], n[0]);
}

static const struct tool_row rows[] = {
	{ "#%u context irq ", "timer_latency %u ns$", take_text, 0 },
	{ "#%u context thread ", "timer_latency %u ns$", take_text, 1 },
	{ "#%u context user-ret ", "timer_latency %u ns$", take_text, 2 },
	{ "#", "%u context irq timer_latency %u ns$", take_text, 0 },
	{ "timerlat:", "seq:%u context:%u timer_latency:%u$", take_trace_cmd, 0 },
	{ "timerlat_sample:", "timer_latency=%u seqnum=%u context=%u$", take_tracepoint, 0 },
	{ .key = NULL },
};

const struct tool_format tool_timerlat = {
	.name = "timerlat",
	.opens = { "# tracer: timerlat$" },
	.body = { "context *timer_latency", "timerlat: seq:", "timerlat_sample:" },
	.trace = true,
	.mixed = true,
	.notes = TOOL_WAKEUP,
	.row = rows,
	.parse = tool_trace_parse,
};

/* ---- Traces of something else, which are named ---- */

static void parse_other(struct tool_parse *p, const char *line)
{
	p->tool->tool = "another tracer";
	if (!p->tool->rows++)
		tool_report(
			p,
			"\"%.60s\": it does not measure gaps; hwlat, osnoise and timerlat are read",
			line + strspn(line, " #"));
}

const struct tool_format tool_other_tracer = {
	.name = "another tracer",
	.body = { "# tracer: " },
	.parse = parse_other,
};
