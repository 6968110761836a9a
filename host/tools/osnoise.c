/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The osnoise tracer (kernel/trace/trace_osnoise.c): its line per period and core, and
 * its tracepoints, as tracefs and trace-cmd print them. The lines count what interfered
 * and sum all noise in whole us; the tracepoints time each noise and each cause, net
 * of what interrupted it, in ns. Where a file has both, tracepoints up to a core's
 * last line are taken, so that they belong to the exposure that the lines state.
 */
#include "tool_format.h"

#include "host/lib/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PENDING_MAX 65536 /* causes within one noise */

/* A period's figures, in us, and how often each cause interfered. */
enum { RUNTIME, NOISE, MAX, COUNTS, FIGURES = COUNTS + TOOL_CAUSES };

/* A span of time that a tracepoint reports. */
struct span {
	uint64_t start_ns, ns;
	enum tool_cause cause; /* not of a sample */
	char name[TOOL_NAME_MAX];
};

/* Tracepoints, summed. */
struct points {
	struct tool_core sum;
	uint64_t samples, shortest_ns, interfered, first_ns, last_ns;
};

struct osnoise_core {
	uint64_t lines, last[FIGURES], total[FIGURES];
	bool assumed;               /* the runtime of a line is */
	struct points now, at_line; /* all; up to the last line of figures */
	struct span *cause;         /* since the last noise */
	size_t pending;
};

static struct osnoise_core *of(struct tool_core *core)
{
	if (!core->more) {
		struct osnoise_core *o = memory_new(1, sizeof(*o));

		o->now.sum.floor_ns = core->floor_ns;
		core->more = o;
	}
	return core->more;
}

/* ---- Lines of figures ---- */

enum { STATED, ASSUMED };

/* trace-cmd has no runtime, which is 1 s unless set otherwise. */
static void take_figures(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	bool assumed = p->arg == ASSUMED;
	uint64_t line[FIGURES] = { assumed ? 1000000 : v->runtime, v->noise, v->max };
	struct tool_core *core = tool_core(p, v->cpu);
	struct osnoise_core *o;

	if (!core)
		return;
	if (v->noise > line[RUNTIME] || v->max > v->noise) {
		tool_wrong(p, p->row,
			   "a runtime not below the noise, and that not below its maximum");
		return;
	}
	tool_causes(v, line + COUNTS);
	o = of(core);
	/* The tracepoint osnoise_sample repeats what the tracer's own line has reported. */
	if (o->lines && o->now.samples && o->now.samples == o->at_line.samples && v->noise &&
	    memcmp(o->last, line, sizeof(line)) == 0)
		return;
	o->lines++;
	memcpy(o->last, line, sizeof(line));
	for (unsigned f = 0; f < FIGURES; f++)
		o->total[f] = f == MAX ? arith_max(o->total[f], line[f])
				       : arith_sum(o->total[f], line[f]);
	o->assumed = o->assumed || assumed;
	o->at_line = o->now;
}

/* ---- Tracepoints ---- */

/* A noise is printed when it is over: causes that began within it were printed before. */
static void charge_pending(struct tool_core *core, const struct span *s)
{
	struct osnoise_core *o = of(core);
	uint64_t end = arith_sum(s->start_ns, s->ns);

	for (size_t i = 0; i < o->pending; i++) {
		const struct span *c = &o->cause[i];
		struct range *ns = &o->now.sum.cause_ns[c->cause];

		if (c->start_ns < s->start_ns || c->start_ns >= end || c->ns > s->ns)
			continue;
		*ns = range_add(*ns, range_exact(c->ns));
		if (c->name[0])
			tool_name(core, c->cause, c->name, c->ns);
	}
	o->pending = 0;
}

/* One noise, with how many interferences; the causes since the last one belong to it. */
static void take_sample(struct tool_parse *p)
{
	struct tool_core *core = tool_core(p, p->v.cpu);
	const struct span s = { .start_ns = p->v.s, .ns = p->v.ns };
	struct osnoise_core *o;

	if (!core)
		return;
	o = of(core);
	charge_pending(core, &s);
	o->now.interfered += p->v.count != 0;
	if (!o->now.samples++) {
		o->now.shortest_ns = s.ns;
		o->now.first_ns = s.start_ns;
	}
	o->now.shortest_ns = arith_min(o->now.shortest_ns, s.ns);
	o->now.last_ns = arith_max(o->now.last_ns, arith_sum(s.start_ns, s.ns));
	tool_count(&o->now.sum, s.ns, s.ns, 1);
}

/* "irq_noise: local_timer:236 start": without a task's number, or a softirq's. */
static void take_cause(struct tool_parse *p)
{
	struct span s = { .start_ns = p->v.s, .ns = p->v.ns };
	const char *event = p->row + strspn(p->row, " "), *start = strstr(event, " start ");
	const char *name = strchr(event, ':') + 1, *end = start;
	struct tool_core *core = tool_core(p, p->v.cpu);

	while (s.cause < TOOL_THREAD &&
	       strncmp(event, tool_cause_name(s.cause), strcspn(event, "_")) != 0)
		s.cause++;
	name += strspn(name, " ");
	while (s.cause != TOOL_IRQ && end > name && *end != ':')
		end--;
	end = end > name ? end : start;
	if (start && start > name)
		snprintf(s.name, sizeof(s.name), "%.*s", (int)(end - name), name);
	if (core && of(core)->pending < PENDING_MAX)
		*MEMORY_ADD(of(core)->cause, of(core)->pending) = s;
}

/* ---- The end ---- */

/* Sums of lines: each was cut to whole us. */
static struct range uncut(uint64_t us, uint64_t lines)
{
	return range_of(arith_times(us, NS_PER_US),
			arith_sum(arith_times(us, NS_PER_US), arith_times(lines, NS_PER_US - 1)));
}

/* The tracepoints of causes may be off, while those of noise are on. */
static void take_points(struct tool_core *core, const struct points *points)
{
	const struct tool_core *sum = &points->sum;
	bool timed = !points->interfered;

	core->above_ns = sum->above_ns;
	core->events = sum->events;
	core->max_ns = sum->max_ns;
	core->sum_ns = sum->sum_ns;
	memcpy(core->cause_ns, sum->cause_ns, sizeof(core->cause_ns));
	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		timed = timed || sum->cause_ns[c].known;
	for (unsigned c = 0; c < TOOL_CAUSES && timed; c++)
		range_count_none(&core->cause_ns[c]);
}

static void finish_lines(struct tool *tool, struct tool_core *core, struct osnoise_core *o)
{
	struct range noise = uncut(o->total[NOISE], o->lines);
	uint64_t ns = o->at_line.sum.sum_ns.low;

	tool_exposure(core, range_exact(arith_times(o->total[RUNTIME], NS_PER_US)), TOOL_STATED);
	if (o->at_line.samples && ns >= noise.low && ns <= noise.high) {
		take_points(core, &o->at_line);
	} else {
		/* Tracepoints that do not add up to the lines: some are missing. */
		if (o->at_line.samples)
			tool->notes |= TOOL_LOST;
		core->sum_ns = noise;
		core->max_ns = uncut(o->total[MAX], 1);
		tool_count_causes(core, o->total + COUNTS);
	}
	if (o->assumed)
		tool_exposure_assume(core, core->exposure_ns.low);
}

/* The threshold is no higher than the shortest noise. */
static void finish(struct tool_parse *p)
{
	struct tool *tool = p->tool;
	uint64_t shortest = OSNOISE_THRESHOLD_OLD_NS;

	for (size_t i = 0; i < tool->cores; i++) {
		struct tool_core *core = &tool->core[i];
		struct osnoise_core *o = of(core);

		free(o->cause);
		if (o->now.samples)
			shortest = arith_min(shortest, o->now.shortest_ns);
		if (o->lines) {
			finish_lines(tool, core, o);
			continue;
		}
		take_points(core, &o->now);
		tool_count_none(core);
		if (o->now.samples)
			tool_exposure_assume(core, o->now.last_ns - o->now.first_ns);
	}
	tool_threshold(tool, range_of(arith_min(OSNOISE_THRESHOLD_NS, shortest), shortest),
		       TOOL_ASSUMED);
}

#define CAUSE_ROW(key)                                                  \
	{                                                               \
		key, "* start %9(s) duration %u(ns) ns$", take_cause, 0 \
	}

static const struct tool_row rows[] = {
	{ "%u(runtime)", "%u(noise) %5 %u(max) %u %u(nmi) %u(irq) %u(softirq) %u(task)$",
	  take_figures, STATED },
	{ "osnoise:",
	  "noise:%u(noise) max_sample:%u(max) hw:%u nmi:%u(nmi) irq:%u(irq) "
	  "softirq:%u(softirq) thread:%u(task)$",
	  take_figures, ASSUMED },
	{ "osnoise_sample:",
	  "runtime=%u(runtime) noise=%u(noise) max_sample=%u(max) hw_count=%u "
	  "irq_count=%u(irq) nmi_count=%u(nmi) softirq_count=%u(softirq) thread_count=%u(task)$",
	  take_figures, STATED },
	/* Older documents spell it with a plural s. */
	{ "sample_threshold:", "start %9(s) duration %u(ns) ns interference{s} %u(count)$",
	  take_sample, 0 },
	CAUSE_ROW("nmi_noise:"),
	CAUSE_ROW("irq_noise:"),
	CAUSE_ROW("softirq_noise:"),
	CAUSE_ROW("thread_noise:"),
	{ .key = NULL },
};

const struct tool_format tool_osnoise = {
	.name = "osnoise",
	.opens = { "# tracer: osnoise$" },
	.body = { "sample_threshold:", "nmi_noise:", "irq_noise:", "softirq_noise:",
		  "thread_noise:", "osnoise_sample:", "max_sample:" },
	.trace = true,
	.mixed = true,
	.row = rows,
	.parse = tool_trace_parse,
	.finish = finish,
};
