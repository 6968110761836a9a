/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The osnoise tracer (kernel/trace/trace_osnoise.c): its line per period and core, and
 * its tracepoints, as tracefs and trace-cmd print them. The lines count what interfered
 * and sum all noise in whole us; the tracepoints time each noise and each cause, net
 * of what interrupted it, in ns. Where a file has both, tracepoints up to a core's
 * last line are taken, so that they belong to the exposure that the lines state.
 */
#include "tool_format.h"
#include "tool_frame.h"
#include "trace_line.h"
#include "host/lib/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PENDING_MAX 65536 /* causes within one noise */

/* A period's figures. */
struct figures {
	uint64_t runtime_us, noise_us, max_us;
	uint64_t count[TOOL_CAUSES];
	bool assumed; /* the runtime is */
};

/* A span of time that a tracepoint reports. */
struct span {
	uint64_t start_ns, ns;
	enum tool_cause cause; /* not of a sample */
	char name[TOOL_NAME_MAX];
};

/* Tracepoints, summed. */
struct points {
	uint64_t samples, shortest_ns, interfered;
	size_t bins; /* of the core */
	struct tool_sum cause[TOOL_CAUSES];
	uint64_t first_ns, last_ns;
};

struct osnoise_core {
	uint64_t lines;
	struct figures total, last;
	uint64_t max_us;
	struct points now, at_line; /* all; up to the last line of figures */
	struct span *cause;         /* since the last noise */
	size_t pending;
};

static struct osnoise_core *of(struct tool_core *core)
{
	if (!core->more)
		core->more = memory_new(1, sizeof(struct osnoise_core));
	return core->more;
}

/* The tracepoint osnoise_sample repeats what the tracer's own line has reported. */
static bool is_repeated(const struct osnoise_core *o, const struct figures *l)
{
	return o->lines && o->now.samples && o->now.samples == o->at_line.samples && l->noise_us &&
	       memcmp(&o->last, l, sizeof(*l)) == 0;
}

static void add_line(struct tool_core *core, const struct figures *l)
{
	struct osnoise_core *o = of(core);

	if (is_repeated(o, l))
		return;
	o->lines++;
	o->last = *l;
	o->total.runtime_us = arith_sum(o->total.runtime_us, l->runtime_us);
	o->total.noise_us = arith_sum(o->total.noise_us, l->noise_us);
	o->total.max_us = arith_max(o->total.max_us, l->max_us);
	o->total.assumed = o->total.assumed || l->assumed;
	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		o->total.count[c] = arith_sum(o->total.count[c], l->count[c]);
	o->now.bins = core->bins;
	o->at_line = o->now;
}

static void add_cause(struct tool_core *core, const struct span *s)
{
	struct osnoise_core *o = of(core);

	if (o->pending == PENDING_MAX)
		return;
	*MEMORY_ADD(o->cause, o->pending) = *s;
}

/* A noise is printed when it is over: causes that began within it were printed before. */
static void charge_pending(struct tool_core *core, const struct span *s)
{
	struct osnoise_core *o = of(core);
	uint64_t end = arith_sum(s->start_ns, s->ns);

	for (size_t i = 0; i < o->pending; i++) {
		const struct span *c = &o->cause[i];

		if (c->start_ns < s->start_ns || c->start_ns >= end || c->ns > s->ns)
			continue;
		tool_charge(&o->now.cause[c->cause], range_exact(1), range_exact(c->ns));
		if (c->name[0])
			tool_name(core, c->cause, c->name, c->ns);
	}
	o->pending = 0;
}

/* One noise, with how many interferences; the causes since the last one belong to it. */
static void add_sample(struct tool_core *core, const struct span *s, uint64_t interference)
{
	struct osnoise_core *o = of(core);

	charge_pending(core, s);
	o->now.interfered += interference != 0;
	if (!interference)
		tool_charge(&o->now.cause[TOOL_HARDWARE], range_exact(1), range_exact(s->ns));
	if (!o->now.samples++) {
		o->now.shortest_ns = s->ns;
		o->now.first_ns = s->start_ns;
	}
	o->now.shortest_ns = arith_min(o->now.shortest_ns, s->ns);
	o->now.last_ns = arith_max(o->now.last_ns, arith_sum(s->start_ns, s->ns));
	tool_count(core, s->ns, s->ns, 1);
}

/* Keep only the bins that were there at the last line of figures. */
static void cut_bins(struct tool_core *core, size_t bins)
{
	struct tool_bin *bin = core->bin;
	size_t count = arith_min(bins, core->bins);

	core->bin = NULL;
	core->bins = 0;
	core->events = core->sum_ns = core->max_ns = (struct range){ 0 };
	for (size_t i = 0; i < count; i++)
		tool_count(core, bin[i].low, bin[i].high, bin[i].count);
	free(bin);
}

/* Sums of lines: each was cut to whole us. */
static struct range uncut(uint64_t us, uint64_t lines)
{
	return range_of(arith_times(us, NS_PER_US),
			arith_sum(arith_times(us, NS_PER_US), arith_times(lines, NS_PER_US - 1)));
}

/* Were the tracepoints of causes on, or those of noise alone? */
static bool has_causes(const struct points *points)
{
	bool any = !points->interfered;

	for (unsigned c = 0; c < TOOL_HARDWARE; c++)
		any = any || points->cause[c].events.known;
	return any;
}

static void time_causes(struct tool_core *core, const struct points *points)
{
	bool timed = has_causes(points);

	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		core->cause[c] = points->cause[c];
		if (!timed && c != TOOL_HARDWARE)
			continue;
		range_count_none(&core->cause[c].events);
		range_count_none(&core->cause[c].ns);
	}
}

static bool holds(struct range r, uint64_t value)
{
	return value >= r.low && value <= r.high;
}

static void finish_lines(struct tool *tool, struct tool_core *core, struct osnoise_core *o)
{
	struct range noise = uncut(o->total.noise_us, o->lines);

	tool_exposure(core, range_exact(arith_times(o->total.runtime_us, NS_PER_US)), TOOL_STATED);
	cut_bins(core, o->at_line.bins);
	if (o->at_line.samples && holds(noise, core->sum_ns.low)) {
		time_causes(core, &o->at_line);
		return;
	}
	/* Tracepoints that do not add up to the lines: some are missing. */
	if (o->at_line.samples)
		tool->notes |= TOOL_LOST;
	cut_bins(core, 0);
	core->sum_ns = noise;
	core->max_ns = uncut(o->total.max_us, 1);
	tool_count_causes(core, o->total.count);
}

/*
 * Combine what was read. Returns an upper bound of the threshold: the shortest noise seen, or
 * OSNOISE_THRESHOLD_OLD_NS.
 */
static uint64_t finish_core(struct tool *tool, struct tool_core *core)
{
	struct osnoise_core *o = of(core);
	uint64_t shortest = OSNOISE_THRESHOLD_OLD_NS;

	free(o->cause);
	if (o->now.samples)
		shortest = arith_min(shortest, o->now.shortest_ns);
	if (o->lines) {
		finish_lines(tool, core, o);
		if (o->total.assumed)
			tool_exposure_assume(core, core->exposure_ns.low);
		return shortest;
	}
	time_causes(core, &o->now);
	tool_count_none(core);
	if (o->now.samples)
		tool_exposure_assume(core, o->now.last_ns - o->now.first_ns);
	return shortest;
}

/* ---- Lines and tracepoints ---- */

/* The first of the tracer's own events; softirq_noise has the end of irq_noise. */
static const char *find_mark(const char *line)
{
	static const char *const marks[] = {
		"sample_threshold:", "nmi_noise:",      "irq_noise:",
		"thread_noise:",     "osnoise_sample:", "max_sample:"
	};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(line, marks[i]);

		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

static enum tool_match find(const char *line, const char **at)
{
	*at = trace_header(line, "osnoise");
	if (*at)
		return TOOL_OPENING;
	*at = *line == '#' ? NULL : find_mark(line);
	if (*at)
		*at = line;
	return tool_match_at(*at, TOOL_BODY);
}

/* The share available follows from runtime and noise: not needed, but it must be one. */
static bool take_share(const char **at)
{
	uint64_t share;

	return scan_fixed(at, 5, &share);
}

/* RUNTIME NOISE AVAILABLE MAX HW NMI IRQ SIRQ THREAD */
static bool read_line(const char *at, struct figures *l)
{
	uint64_t *counts = l->count;

	return scan_u64(&at, &l->runtime_us) && scan_u64(&at, &l->noise_us) && take_share(&at) &&
	       scan_u64(&at, &l->max_us) && scan_u64(&at, &counts[TOOL_HARDWARE]) &&
	       scan_u64(&at, &counts[TOOL_NMI]) && scan_u64(&at, &counts[TOOL_IRQ]) &&
	       scan_u64(&at, &counts[TOOL_SOFTIRQ]) && scan_u64(&at, &counts[TOOL_THREAD]) &&
	       scan_end(at);
}

/* trace-cmd; the runtime is not printed, and is one second unless set otherwise. */
static bool read_trace_cmd(const char *at, struct figures *l)
{
	if (!scan_literal(&at, "osnoise:"))
		return false;
	l->runtime_us = 1000000;
	l->assumed = true;
	return tool_take(&at, "noise:", &l->noise_us) &&
	       tool_take(&at, "max_sample:", &l->max_us) &&
	       tool_take(&at, "hw:", &l->count[TOOL_HARDWARE]) &&
	       tool_take(&at, "nmi:", &l->count[TOOL_NMI]) &&
	       tool_take(&at, "irq:", &l->count[TOOL_IRQ]) &&
	       tool_take(&at, "softirq:", &l->count[TOOL_SOFTIRQ]) &&
	       tool_take(&at, "thread:", &l->count[TOOL_THREAD]) && scan_end(at);
}

static bool read_tracepoint(const char *at, struct figures *l)
{
	return scan_past(&at, "osnoise_sample:") && tool_take(&at, "runtime=", &l->runtime_us) &&
	       tool_take(&at, "noise=", &l->noise_us) &&
	       tool_take(&at, "max_sample=", &l->max_us) &&
	       tool_take(&at, "hw_count=", &l->count[TOOL_HARDWARE]) &&
	       tool_take(&at, "irq_count=", &l->count[TOOL_IRQ]) &&
	       tool_take(&at, "nmi_count=", &l->count[TOOL_NMI]) &&
	       tool_take(&at, "softirq_count=", &l->count[TOOL_SOFTIRQ]) &&
	       tool_take(&at, "thread_count=", &l->count[TOOL_THREAD]) && scan_end(at);
}

/* With the option `raw`: pid, core and time stamp; then the line without its share. */
static bool read_raw(const char *line, struct figures *l, uint32_t *cpu)
{
	static const enum tool_cause order[] = { TOOL_HARDWARE, TOOL_NMI, TOOL_IRQ, TOOL_SOFTIRQ,
						 TOOL_THREAD };
	uint64_t n[12];

	if (tool_numbers(line, n, 12) != 11 || n[1] > UINT32_MAX)
		return false;
	*cpu = (uint32_t)n[1];
	l->runtime_us = n[3];
	l->noise_us = n[4];
	l->max_us = n[5];
	for (unsigned i = 0; i < TOOL_CAUSES; i++)
		l->count[order[i]] = n[6 + i];
	return true;
}

/* start 14.726641098 duration 11467 ns */
static bool take_span(const char **at, struct span *s)
{
	return scan_past(at, " start ") && scan_fixed(at, 9, &s->start_ns) &&
	       scan_literal(at, "duration ") && scan_u64(at, &s->ns) && scan_literal(at, "ns");
}

/* Older documents spell it with a plural s. */
static bool read_sample(const char *at, struct span *s, uint64_t *interference)
{
	return scan_past(&at, "sample_threshold:") && take_span(&at, s) &&
	       (scan_literal(&at, "interferences") || scan_literal(&at, "interference")) &&
	       scan_u64(&at, interference) && scan_end(at);
}

/* " rcuc/0:19 start": without the task's number, or the softirq's, which repeat the name. */
static void take_name(const char *at, struct span *s)
{
	const char *start = strstr(at, " start "), *colon = start;
	size_t bytes;

	at += strspn(at, " ");
	if (!start || start <= at)
		return;
	while (s->cause != TOOL_IRQ && colon > at && *colon != ':')
		colon--;
	bytes = (size_t)((colon > at ? colon : start) - at);
	snprintf(s->name, sizeof(s->name), "%.*s", (int)bytes, at);
}

/* irq_noise: local_timer:236 start ...; names have colons and blanks of their own. */
static bool read_cause(const char *at, struct span *s)
{
	static const struct {
		const char *mark;
		enum tool_cause cause;
	} causes[] = { { "softirq_noise:", TOOL_SOFTIRQ },
		       { "nmi_noise:", TOOL_NMI },
		       { "irq_noise:", TOOL_IRQ },
		       { "thread_noise:", TOOL_THREAD } };

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		const char *from = at;

		if (!scan_past(&from, causes[i].mark))
			continue;
		s->cause = causes[i].cause;
		take_name(from, s);
		return take_span(&from, s) && scan_end(from);
	}
	return false;
}

/* One of the forms of a line of figures. */
static bool read_figures(const char *event, struct figures *l)
{
	return read_line(event, l) || read_trace_cmd(event, l) || read_tracepoint(event, l);
}

static void take_figures(struct tool_parse *p, const char *line, uint32_t cpu,
			 const struct figures *l)
{
	struct tool_core *core = tool_core(p, cpu);

	if (!core)
		return;
	if (l->noise_us > l->runtime_us || l->max_us > l->noise_us) {
		tool_wrong(p, line,
			   "a runtime not below the noise, and that not below its maximum");
		return;
	}
	add_line(core, l);
	p->tool->rows++;
}

static void take_event(struct tool_parse *p, const char *line, const struct trace_line *t)
{
	struct figures figures = { 0 };
	struct span span = { 0 };
	struct tool_core *core;
	uint64_t interference;

	if (read_figures(t->event, &figures)) {
		take_figures(p, line, t->cpu, &figures);
	} else if (read_sample(t->event, &span, &interference)) {
		core = tool_core(p, t->cpu);
		if (core)
			add_sample(core, &span, interference);
		p->tool->rows++;
	} else if (read_cause(t->event, &span)) {
		core = tool_core(p, t->cpu);
		if (core)
			add_cause(core, &span);
		p->tool->rows++;
	} else if (scan_literal(&(const char *){ t->event }, "osnoise_main: stop")) {
		p->tool->notes |= TOOL_STOPPED;
	} else if (find_mark(t->event) || !trace_is_named(t->event)) {
		tool_wrong(
			p, line,
			"RUNTIME NOISE %AVAILABLE MAX HW NMI IRQ SIRQ THREAD, or a tracepoint of "
			"osnoise");
	}
}

static void parse(struct tool_parse *p, const char *line)
{
	struct figures figures = { 0 };
	struct trace_line t;
	uint32_t cpu;

	if (trace_remark(p, line))
		return;
	if (read_raw(line, &figures, &cpu))
		take_figures(p, line, cpu, &figures);
	else if (trace_line_read(line, &t))
		take_event(p, line, &t);
	else if (trace_is_record(line))
		tool_wrong(p, line, "TASK-PID [CPU] TIMESTAMP: figures");
}

static void finish(struct tool_parse *p)
{
	struct tool *tool = p->tool;
	uint64_t shortest = OSNOISE_THRESHOLD_OLD_NS;

	for (size_t i = 0; i < tool->cores; i++)
		shortest = arith_min(shortest, finish_core(tool, &tool->core[i]));
	tool_threshold(tool, range_of(arith_min(OSNOISE_THRESHOLD_NS, shortest), shortest),
		       TOOL_ASSUMED);
}

const struct tool_format tool_osnoise = {
	.name = "osnoise",
	.find = find,
	.trace = true,
	.mixed = true,
	.parse = parse,
	.finish = finish,
};
