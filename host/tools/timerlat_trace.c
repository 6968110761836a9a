/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timerlat tracer (kernel/trace/trace_osnoise.c), as tracefs and trace-cmd print it: how late a
 * timer's interrupt, a kernel thread and, with rtla's -u, a user's thread were, each time. Like
 * rtla's summary of it, it bounds the longest gap from above. The tracepoint timerlat_sample may
 * repeat what the tracer's own line has.
 */
#include "tool_format.h"

#define CONTEXTS 3

/* Latencies of a core: how many per context, and the number of the last. */
struct latencies {
	uint64_t count[CONTEXTS], last[CONTEXTS];
};

/* The context is printed, or the row's. */
static void timerlat_trace_take(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	uint64_t context = p->arg < CONTEXTS ? p->arg : v->context;
	struct tool_core *core = tool_core(p, p->v.cpu);
	struct latencies *of = core->more;

	if (context >= CONTEXTS) {
		tool_wrong(p, p->row);
		return;
	}
	of->count[context] += !of->count[context] || of->last[context] != v->number;
	of->last[context] = v->number;
	core->events = range_max(core->events, range_exact(of->count[context]));
	core->max_ns = range_max(core->max_ns, range_exact(v->ns));
}

static const struct tool_row rows[] = {
	{ "#%u(number) context irq ", "timer_latency %u(ns) ns$", timerlat_trace_take, 0 },
	{ "#%u(number) context thread ", "timer_latency %u(ns) ns$", timerlat_trace_take, 1 },
	{ "#%u(number) context user-ret ", "timer_latency %u(ns) ns$", timerlat_trace_take, 2 },
	{ "#", "%u context irq timer_latency %u ns$", NULL, 0 },
	{ "timerlat:", "seq:%u(number) context:%u(context) timer_latency:%u(ns)$",
	  timerlat_trace_take, CONTEXTS },
	{ "timerlat_sample:", "timer_latency=%u(ns) seqnum=%u(number) context=%u(context)$",
	  timerlat_trace_take, CONTEXTS },
	{ .key = NULL },
};

const struct tool_format tool_timerlat = {
	.name = "timerlat",
	.opens = { "# tracer: timerlat$" },
	.body = { "timer_latency", "timerlat: seq:", "timerlat_sample:" },
	.trace = true,
	.mixed = true,
	.core_bytes = sizeof(struct latencies),
	.notes = TOOL_WAKEUP,
	.row = rows,
	.parse = tool_trace_parse,
};
