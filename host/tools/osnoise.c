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

#include <stdlib.h>
#include <string.h>

#define PENDING_MAX 65536 /* causes within one noise */

/* A period's figures, in us, and how often each cause interfered. */
enum { RUNTIME, NOISE, MAX, COUNTS, FIGURES = COUNTS + TOOL_CAUSES };

/* Interference reported by a tracepoint. */
struct span {
	uint64_t start_ns, ns;
	enum tool_cause cause;
};

/* Tracepoints are summed in the core itself. */
struct osnoise_core {
	uint64_t lines, last[FIGURES], total[FIGURES];
	bool assumed;                 /* the runtime of a line is */
	uint64_t samples, interfered; /* noises, and those with a cause */
	uint64_t first_ns, last_ns;   /* begin and end of the noises */
	struct tool_core at_line;     /* the tracepoints' figures up to the last line of figures */
	uint64_t samples_at_line, interfered_at_line;
	struct span *cause; /* since the last noise */
	size_t pending;
};

/* ---- Lines of figures ---- */

/* trace-cmd has no runtime, which is `arg` us unless set otherwise; 0: it is printed. */
static void take_figures(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	uint64_t line[FIGURES] = { p->arg ?: v->runtime, v->noise, v->max };
	struct tool_core *core = tool_core(p, v->cpu);
	struct osnoise_core *o = core->more;

	if (v->noise > line[RUNTIME] || v->max > v->noise)
		tool_wrong(p, p->row);
	tool_causes(v, line + COUNTS);
	/* The tracepoint osnoise_sample repeats what the tracer's own line has reported. */
	if (o->lines && o->samples && o->samples == o->samples_at_line && v->noise &&
	    memcmp(o->last, line, sizeof(line)) == 0)
		return;
	o->lines++;
	memcpy(o->last, line, sizeof(line));
	for (unsigned f = 0; f < FIGURES; f++)
		o->total[f] = f == MAX ? arith_max(o->total[f], line[f])
				       : arith_sum(o->total[f], line[f]);
	o->assumed = o->assumed || p->arg;
	o->at_line = *core;
	o->samples_at_line = o->samples;
	o->interfered_at_line = o->interfered;
}

/* ---- Tracepoints ---- */

/* One noise, when it is over: causes that began within it were printed before. */
static void take_sample(struct tool_parse *p)
{
	uint64_t start = p->v.s, ns = p->v.ns, end = arith_sum(start, ns);
	struct tool_core *core = tool_core(p, p->v.cpu);
	struct osnoise_core *o = core->more;

	for (size_t i = 0; i < o->pending; i++) {
		const struct span *c = &o->cause[i];

		if (c->start_ns < start || c->start_ns >= end || c->ns > ns)
			continue;
		core->cause_ns[c->cause] = range_add(core->cause_ns[c->cause], range_exact(c->ns));
	}
	o->pending = 0;
	o->interfered += p->v.count != 0;
	if (!o->samples++)
		o->first_ns = start;
	o->last_ns = arith_max(o->last_ns, end);
	p->v.min = arith_min(p->v.min, ns);
	tool_count(core, ns, ns, 1);
}

/* A cause within a noise, which is printed before it. */
static void take_cause(struct tool_parse *p)
{
	const struct span s = { p->v.s, p->v.ns, (enum tool_cause)p->arg };
	struct osnoise_core *o = tool_core(p, p->v.cpu)->more;

	if (o->pending < PENDING_MAX)
		*MEMORY_ADD(o->cause, o->pending) = s;
}

/* ---- The end ---- */

/* Sums of lines: each was cut to whole us. */
static struct range uncut(uint64_t us, uint64_t lines)
{
	return range_of(arith_times(us, NS_PER_US),
			arith_sum(arith_times(us, NS_PER_US), arith_times(lines, NS_PER_US - 1)));
}

/* The tracepoints of causes may be off, while those of noise are on. */
static void rule_out_causes(struct tool_core *core, uint64_t interfered)
{
	bool timed = !interfered;

	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		timed = timed || core->cause_ns[c].known;
	for (unsigned c = 0; c < TOOL_CAUSES && timed; c++)
		range_count_none(&core->cause_ns[c]);
}

static void finish_lines(struct tool *tool, struct tool_core *core, const struct osnoise_core *o)
{
	struct range noise = uncut(o->total[NOISE], o->lines);
	uint64_t ns = o->at_line.sum_ns.low;

	if (o->samples_at_line && ns >= noise.low && ns <= noise.high) {
		*core = o->at_line;
		rule_out_causes(core, o->interfered_at_line);
	} else {
		/* Tracepoints that do not add up to the lines: some are missing. */
		if (o->samples_at_line)
			tool->notes |= TOOL_LOST;
		*core = (struct tool_core){ .cpu = core->cpu, .more = core->more };
		core->sum_ns = noise;
		core->max_ns = uncut(o->total[MAX], 1);
		tool_count_causes(core, o->total + COUNTS);
	}
	tool_exposure(core, range_exact(arith_times(o->total[RUNTIME], NS_PER_US)), TOOL_STATED);
	if (o->assumed)
		tool_exposure_assume(core, core->exposure_ns.low);
}

/* The threshold is no higher than the shortest noise. */
static void osnoise_finish(struct tool_parse *p)
{
	uint64_t shortest = arith_min(p->v.min, OSNOISE_THRESHOLD_OLD_NS);

	for (size_t i = 0; i < p->tool->cores; i++) {
		struct tool_core *core = &p->tool->core[i];
		struct osnoise_core *o = core->more;

		free(o->cause);
		if (o->lines) {
			finish_lines(p->tool, core, o);
			continue;
		}
		rule_out_causes(core, o->interfered);
		tool_count_none(core);
		if (o->samples)
			tool_exposure_assume(core, o->last_ns - o->first_ns);
	}
	tool_threshold(p->tool, range_of(arith_min(OSNOISE_THRESHOLD_NS, shortest), shortest),
		       TOOL_ASSUMED);
}

static const struct tool_row rows[] = {
	{ "%u(runtime)", "%u(noise) %5 %u(max) %u %u(nmi) %u(irq) %u(softirq) %u(task)$",
	  take_figures, 0 },
	{ "osnoise:",
	  "noise:%u(noise) max_sample:%u(max) hw:%u nmi:%u(nmi) irq:%u(irq) "
	  "softirq:%u(softirq) thread:%u(task)$",
	  take_figures, 1000000 },
	{ "osnoise_sample:",
	  "runtime=%u(runtime) noise=%u(noise) max_sample=%u(max) hw_count=%u "
	  "irq_count=%u(irq) nmi_count=%u(nmi) softirq_count=%u(softirq) thread_count=%u(task)$",
	  take_figures, 0 },
	/* Older documents spell it with a plural s. */
	{ "sample_threshold:", "start %9(s) duration %u(ns) ns interference{s} %u(count)$",
	  take_sample, 0 },
	{ "nmi_noise:", "* start %9(s) duration %u(ns) ns$", take_cause, TOOL_NMI },
	{ "irq_noise:", "* start %9(s) duration %u(ns) ns$", take_cause, TOOL_IRQ },
	{ "softirq_noise:", "* start %9(s) duration %u(ns) ns$", take_cause, TOOL_SOFTIRQ },
	{ "thread_noise:", "* start %9(s) duration %u(ns) ns$", take_cause, TOOL_THREAD },
	{ .key = NULL },
};

const struct tool_format tool_osnoise = {
	.name = "osnoise",
	.opens = { "# tracer: osnoise$" },
	.body = { "sample_threshold:", "nmi_noise:", "irq_noise:", "softirq_noise:",
		  "thread_noise:", "osnoise_sample:", "max_sample:" },
	.trace = true,
	.mixed = true,
	.core_bytes = sizeof(struct osnoise_core),
	.row = rows,
	.parse = tool_trace_parse,
	.finish = osnoise_finish,
};
