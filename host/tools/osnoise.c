/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The osnoise tracer (kernel/trace/trace_osnoise.c): its line per period and core, and
 * its tracepoints, as tracefs and trace-cmd print them. The lines count what interfered
 * and sum all noise in whole us; the tracepoints time each noise and each cause, net
 * of what interrupted it, in ns. Where a file has both, tracepoints up to a core's
 * last line are taken, so that they belong to the exposure that the lines state.
 */
#include "osnoise_core.h"
#include "tool_format.h"
#include "trace_line.h"

#include <string.h>

static enum tool_match match(const char *line)
{
	static const char *const marks[] = {
		"sample_threshold:", "nmi_noise:",      "irq_noise:",
		"thread_noise:",     "osnoise_sample:", "max_sample:"
	};

	if (strcmp(line, "# tracer: osnoise") == 0)
		return TOOL_OPENING;
	if (*line == '#')
		return TOOL_NO;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (strstr(line, marks[i]))
			return TOOL_BODY;
	}
	return TOOL_NO;
}

/* The share available follows from runtime and noise: not needed, but it must be one. */
static bool take_share(const char **at)
{
	uint64_t share;

	return scan_fixed(at, 5, &share);
}

/* RUNTIME NOISE AVAILABLE MAX HW NMI IRQ SIRQ THREAD */
static bool read_line(const char *at, struct osnoise_line *l)
{
	uint64_t *counts = l->count;

	return scan_u64(&at, &l->runtime_us) && scan_u64(&at, &l->noise_us) && take_share(&at) &&
	       scan_u64(&at, &l->max_us) && scan_u64(&at, &counts[TOOL_HARDWARE]) &&
	       scan_u64(&at, &counts[TOOL_NMI]) && scan_u64(&at, &counts[TOOL_IRQ]) &&
	       scan_u64(&at, &counts[TOOL_SOFTIRQ]) && scan_u64(&at, &counts[TOOL_THREAD]) &&
	       scan_end(at);
}

static bool take_field(const char **at, const char *name, uint64_t *value)
{
	return scan_literal(at, name) && scan_u64(at, value);
}

/* trace-cmd; the runtime is not printed, and is one second unless set otherwise. */
static bool read_trace_cmd(const char *at, struct osnoise_line *l)
{
	if (!scan_literal(&at, "osnoise:"))
		return false;
	l->runtime_us = 1000000;
	l->assumed = true;
	return take_field(&at, "noise:", &l->noise_us) &&
	       take_field(&at, "max_sample:", &l->max_us) &&
	       take_field(&at, "hw:", &l->count[TOOL_HARDWARE]) &&
	       take_field(&at, "nmi:", &l->count[TOOL_NMI]) &&
	       take_field(&at, "irq:", &l->count[TOOL_IRQ]) &&
	       take_field(&at, "softirq:", &l->count[TOOL_SOFTIRQ]) &&
	       take_field(&at, "thread:", &l->count[TOOL_THREAD]) && scan_end(at);
}

static bool read_tracepoint(const char *at, struct osnoise_line *l)
{
	return scan_past(&at, "osnoise_sample:") && take_field(&at, "runtime=", &l->runtime_us) &&
	       take_field(&at, "noise=", &l->noise_us) &&
	       take_field(&at, "max_sample=", &l->max_us) &&
	       take_field(&at, "hw_count=", &l->count[TOOL_HARDWARE]) &&
	       take_field(&at, "irq_count=", &l->count[TOOL_IRQ]) &&
	       take_field(&at, "nmi_count=", &l->count[TOOL_NMI]) &&
	       take_field(&at, "softirq_count=", &l->count[TOOL_SOFTIRQ]) &&
	       take_field(&at, "thread_count=", &l->count[TOOL_THREAD]) && scan_end(at);
}

/* Pid, core and time stamp; then the line without its share. */
static bool read_raw(const char *line, struct osnoise_line *l, uint32_t *cpu)
{
	static const enum tool_cause order[] = { TOOL_HARDWARE, TOOL_NMI, TOOL_IRQ, TOOL_SOFTIRQ,
						 TOOL_THREAD };
	uint64_t n[12];

	if (trace_raw(line, n, 12) != 11 || n[1] > UINT32_MAX)
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
static bool take_span(const char **at, struct osnoise_span *s)
{
	return scan_past(at, " start ") && scan_fixed(at, 9, &s->start_ns) &&
	       scan_literal(at, "duration ") && scan_u64(at, &s->ns) && scan_literal(at, "ns");
}

/* Older documents spell it with a plural s. */
static bool read_sample(const char *at, struct osnoise_span *s, uint64_t *interference)
{
	return scan_past(&at, "sample_threshold:") && take_span(&at, s) &&
	       (scan_literal(&at, "interferences") || scan_literal(&at, "interference")) &&
	       scan_u64(&at, interference) && scan_end(at);
}

/* irq_noise: local_timer:236 start ...; names have colons and blanks of their own. */
static bool read_cause(const char *at, struct osnoise_span *s)
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
		return take_span(&from, s) && scan_end(from);
	}
	return false;
}

/* One of the forms of a line of figures. */
static bool read_figures(const char *event, struct osnoise_line *l)
{
	return read_line(event, l) || read_trace_cmd(event, l) || read_tracepoint(event, l);
}

static void take_figures(struct tool_parse *p, const char *line, uint32_t cpu,
			 const struct osnoise_line *l)
{
	struct tool_core *core = tool_core(p, cpu);

	if (!core)
		return;
	if (l->noise_us > l->runtime_us || l->max_us > l->noise_us) {
		tool_wrong(p, line,
			   "a runtime not below the noise, and that not below its maximum");
		return;
	}
	osnoise_add_line(core, l);
	p->tool->rows++;
}

static void take_event(struct tool_parse *p, const char *line, const struct trace_line *t)
{
	struct osnoise_line figures = { 0 };
	struct osnoise_span span;
	struct tool_core *core;
	uint64_t interference;

	if (read_figures(t->event, &figures)) {
		take_figures(p, line, t->cpu, &figures);
	} else if (read_sample(t->event, &span, &interference)) {
		core = tool_core(p, t->cpu);
		if (core)
			osnoise_add_sample(core, &span, interference);
		p->tool->rows++;
	} else if (read_cause(t->event, &span)) {
		core = tool_core(p, t->cpu);
		if (core)
			osnoise_add_cause(core, &span);
		p->tool->rows++;
	} else {
		tool_wrong(
			p, line,
			"RUNTIME NOISE %AVAILABLE MAX HW NMI IRQ SIRQ THREAD, or a tracepoint of "
			"osnoise");
	}
}

static void parse(struct tool_parse *p, const char *line)
{
	struct osnoise_line figures = { 0 };
	struct trace_line t;
	uint32_t cpu;

	if (trace_remark(p, line))
		return;
	if (read_raw(line, &figures, &cpu))
		take_figures(p, line, cpu, &figures);
	else if (trace_line_read(line, &t))
		take_event(p, line, &t);
	else
		tool_wrong(p, line, "TASK-PID [CPU] TIMESTAMP: figures");
}

static void finish(struct tool_parse *p)
{
	struct tool *tool = p->tool;
	uint64_t shortest = OSNOISE_THRESHOLD_OLD_NS;

	for (size_t i = 0; i < tool->cores; i++)
		shortest = arith_min(shortest, osnoise_finish(tool, &tool->core[i]));
	tool->threshold_ns = range_of(arith_min(OSNOISE_THRESHOLD_NS, shortest), shortest);
	tool->threshold_from = TOOL_ASSUMED;
}

const struct tool_format tool_osnoise = {
	.name = "osnoise",
	.match = match,
	.parse = parse,
	.finish = finish,
};
