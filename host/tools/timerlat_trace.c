/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timerlat tracer (kernel/trace/trace_osnoise.c), as tracefs and trace-cmd print it: how late a
 * timer's interrupt, a kernel thread and, with rtla's -u, a user's thread were, each time. Like
 * rtla's summary of it, it bounds the longest gap from above. The tracepoint timerlat_sample may
 * repeat what the tracer's own line has.
 */
#include "tool_format.h"
#include "tool_frame.h"
#include "trace_line.h"
#include "host/lib/memory.h"

#include <string.h>

#define CONTEXTS 3

static const char *const contexts[CONTEXTS] = { "irq", "thread", "user-ret" };

struct latency {
	uint64_t number, context, ns;
};

/* Of a core: how many of each context, and the number of the last. */
struct latencies {
	uint64_t count[CONTEXTS], last[CONTEXTS];
};

static enum tool_match find(const char *line, const char **at)
{
	*at = trace_header(line, "timerlat");
	if (*at)
		return TOOL_OPENING;
	*at = *line != '#' && strstr(line, "context") ? strstr(line, "timer_latency") : NULL;
	if (*at)
		*at = line;
	return tool_match_at(*at, TOOL_BODY);
}

static bool take_context(const char **at, uint64_t *context)
{
	for (*context = 0; *context < CONTEXTS; ++*context) {
		if (scan_literal(at, contexts[*context]))
			return true;
	}
	return false;
}

/* #1     context    irq timer_latency       932 ns */
static bool read_text(const char *at, struct latency *l)
{
	return tool_take(&at, "#", &l->number) && scan_literal(&at, "context") &&
	       take_context(&at, &l->context) && tool_take(&at, "timer_latency", &l->ns) &&
	       scan_literal(&at, "ns") && scan_end(at);
}

/* timerlat: seq:1 context:0 timer_latency:932 */
static bool read_trace_cmd(const char *at, struct latency *l)
{
	return scan_literal(&at, "timerlat:") && tool_take(&at, "seq:", &l->number) &&
	       tool_take(&at, "context:", &l->context) &&
	       tool_take(&at, "timer_latency:", &l->ns) && scan_end(at);
}

/* timerlat_sample: timer_latency=932 seqnum=1 context=0 */
static bool read_tracepoint(const char *at, struct latency *l)
{
	return scan_literal(&at, "timerlat_sample:") && tool_take(&at, "timer_latency=", &l->ns) &&
	       tool_take(&at, "seqnum=", &l->number) && tool_take(&at, "context=", &l->context) &&
	       scan_end(at);
}

/* With the option `raw`: pid, core and time stamp; number, context and latency. */
static bool read_raw(const char *line, struct latency *l, uint32_t *cpu)
{
	uint64_t n[7];

	if (tool_numbers(line, n, 7) != 6 || n[1] > UINT32_MAX)
		return false;
	*cpu = (uint32_t)n[1];
	*l = (struct latency){ n[3], n[4], n[5] };
	return true;
}

static void take_latency(struct tool_parse *p, uint32_t cpu, const struct latency *l)
{
	struct tool_core *core = tool_core(p, cpu);
	struct latencies *of;

	if (!core)
		return;
	if (!core->more)
		core->more = memory_new(1, sizeof(*of));
	of = core->more;
	of->count[l->context] += !of->count[l->context] || of->last[l->context] != l->number;
	of->last[l->context] = l->number;
	core->events = range_max(core->events, range_exact(of->count[l->context]));
	core->max_ns = range_max(core->max_ns, range_exact(l->ns));
	p->tool->rows++;
}

static void parse(struct tool_parse *p, const char *line)
{
	static const char wanted[] = "#N context irq|thread|user-ret timer_latency N ns, or a "
				     "tracepoint";
	struct latency l = { .context = CONTEXTS };
	struct trace_line t;
	uint32_t cpu;

	if (trace_remark(p, line))
		return;
	if (read_raw(line, &l, &cpu)) {
		t.cpu = cpu;
	} else if (!trace_line_read(line, &t)) {
		if (trace_is_record(line))
			tool_wrong(p, line, "TASK-PID [CPU] TIMESTAMP: #N context ...");
		return;
	} else if (scan_literal(&(const char *){ t.event }, "timerlat_main: stop")) {
		p->tool->notes |= TOOL_STOPPED;
		return;
	} else if (!read_text(t.event, &l) && !read_trace_cmd(t.event, &l) &&
		   !read_tracepoint(t.event, &l)) {
		if (strstr(t.event, "timer_latency") || !trace_is_named(t.event))
			tool_wrong(p, line, wanted);
		return;
	}
	if (l.context < CONTEXTS)
		take_latency(p, t.cpu, &l);
	else
		tool_wrong(p, line, wanted);
}

const struct tool_format tool_timerlat = {
	.name = "timerlat",
	.find = find,
	.trace = true,
	.mixed = true,
	.notes = TOOL_WAKEUP,
	.parse = parse,
};
