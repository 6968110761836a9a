/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hwlat tracer (kernel/trace/trace_hwlat.c), as tracefs and trace-cmd print it.
 * `count` came with Linux 5.7, NMIs are printed only where there were any. The output
 * has neither threshold nor mode, window and width: the defaults are assumed, and the
 * mode is concluded from the threads.
 */
#include "hwlat.h"

#include "tool_format.h"
#include "tool_frame.h"
#include "host/lib/memory.h"
#include "trace_line.h"

#include <stdlib.h>
#include <string.h>

struct sample {
	struct hwlat_record gaps;
	uint32_t cpu;
	uint64_t t_ns;   /* of the first gap over the threshold */
	uint64_t number; /* of the sample, from 1; 0: not printed */
	struct maybe nmi, nmi_us;
};

struct hwlat {
	struct sample *record;
	size_t count;
	uint64_t cpus_on; /* 0: not printed */
	uint64_t first_pid;
	bool several_pids;
};

static enum tool_match find(const char *line, const char **at)
{
	*at = trace_header(line, "hwlat");
	if (*at)
		return TOOL_OPENING;
	*at = strstr(line, "inner/outer(us):");
	if (!*at && strstr(line, "cnt:") && strstr(line, "inner:"))
		*at = strstr(line, "outer:");
	if (*at)
		*at = line;
	return tool_match_at(*at, TOOL_BODY);
}

/* Seconds, a dot, and nanoseconds in nine digits; trace-cmd's form has ten. */
static bool take_time(const char **at, uint64_t *t_ns)
{
	const char *from = *at;
	uint64_t s, ns;

	if (!scan_u64(&from, &s) || *from != '.')
		return false;
	from++;
	if (*from == ' ' || !scan_u64(&from, &ns) || ns >= 1000000000)
		return false;
	*t_ns = arith_sum(arith_times(s, 1000000000), ns);
	*at = from;
	return true;
}

/* " name:value", where it is there. False for a name without a value. */
static bool take_optional(const char **at, const char *name, struct maybe *m)
{
	return !scan_literal(at, name) || scan_maybe(at, m);
}

/* #10 inner/outer(us): 9/11 ts:1581527668.970010500 count:1 nmi-total:7 nmi-count:1 */
static bool read_text(const char *at, struct sample *r)
{
	return tool_take(&at, "#", &r->number) &&
	       tool_take(&at, "inner/outer(us):", &r->gaps.inner_us) &&
	       tool_take(&at, "/", &r->gaps.outer_us) && scan_literal(&at, "ts:") &&
	       take_time(&at, &r->t_ns) && take_optional(&at, "count:", &r->gaps.count) &&
	       take_optional(&at, "nmi-total:", &r->nmi_us) &&
	       take_optional(&at, "nmi-count:", &r->nmi) && scan_end(at);
}

/* hwlat: cnt:10 ts:1581527668.0970010500 inner:9 outer:11 count:1 nmi-ts:7 nmi-count:1 */
static bool read_fields(const char *at, struct sample *r)
{
	return scan_past(&at, "cnt:") && scan_u64(&at, &r->number) && scan_literal(&at, "ts:") &&
	       take_time(&at, &r->t_ns) && tool_take(&at, "inner:", &r->gaps.inner_us) &&
	       tool_take(&at, "outer:", &r->gaps.outer_us) &&
	       take_optional(&at, "count:", &r->gaps.count) &&
	       take_optional(&at, "nmi-ts:", &r->nmi_us) &&
	       take_optional(&at, "nmi-count:", &r->nmi) && scan_end(at);
}

/* With the option `raw`: pid, core and time stamp; inner, outer, seconds, nanoseconds, number. */
static bool read_raw(const char *line, struct sample *r, uint64_t *pid)
{
	uint64_t n[9];

	if (tool_numbers(line, n, 9) != 8 || n[1] > UINT32_MAX || n[6] >= 1000000000)
		return false;
	*pid = n[0];
	r->cpu = (uint32_t)n[1];
	r->gaps.inner_us = n[3];
	r->gaps.outer_us = n[4];
	r->t_ns = arith_sum(arith_times(n[5], 1000000000), n[6]);
	return true;
}

static void note_cpus(struct hwlat *h, const char *line)
{
	if (scan_literal(&line, "cpus=") || (*line == '#' && scan_past(&line, "#P:")))
		scan_u64(&line, &h->cpus_on);
}

static bool is_other_event(const char *line)
{
	struct trace_line t;

	return trace_line_read(line, &t) && trace_is_named(t.event) &&
	       !scan_literal(&t.event, "hwlat:");
}

static void parse(struct tool_parse *p, const char *line)
{
	struct hwlat *h = p->state;
	struct sample r = { 0 };
	struct trace_line t;

	if (trace_remark(p, line)) {
		note_cpus(h, line);
		return;
	}
	if (!read_raw(line, &r, &t.pid)) {
		r = (struct sample){ 0 };
		if (!trace_line_read(line, &t) ||
		    (!read_text(t.event, &r) && !read_fields(t.event, &r))) {
			if (trace_is_record(line) && !is_other_event(line))
				tool_wrong(p, line,
					   "TASK-PID [CPU] TIMESTAMP: #N inner/outer(us): N/N "
					   "ts:S.NS ...");
			return;
		}
		r.cpu = t.cpu;
	}
	if (!tool_core(p, r.cpu))
		return;
	h->several_pids = h->several_pids || (h->count && h->first_pid != t.pid);
	h->first_pid = t.pid;
	*MEMORY_ADD(h->record, h->count) = r;
	p->tool->rows++;
}

/* tracing_thresh in us: as stated, or the default; lower where a record shows that it was. */
static uint64_t threshold_of(struct tool_parse *p, const struct hwlat *h)
{
	struct tool *tool = p->tool;
	bool stated = tool->stated.threshold_ns.known;
	uint64_t given = stated ? tool->stated.threshold_ns.value / 1000 : HWLAT_THRESHOLD_US;
	uint64_t us = given;

	for (size_t i = 0; i < h->count; i++) {
		const struct hwlat_record *r = &h->record[i].gaps;

		us = arith_min(us, arith_less(arith_max(r->inner_us, r->outer_us), 1));
	}
	if (stated && us < given)
		tool_report(p,
			    "hwlat: its threshold is given as %llu us, but there is a record of "
			    "%llu us",
			    (unsigned long long)given, (unsigned long long)us + 1);
	tool->threshold_from = stated && us == given ? TOOL_STATED : TOOL_ASSUMED;
	tool->threshold_ns = range_exact(hwlat_shortest_ns(us));
	tool->over_ns = NS_PER_US;
	tool->stated.threshold_ns.known = false; /* taken, in this tracer's sense of it */
	return us;
}

static void add_nmis(struct tool_core *core, const struct sample *r)
{
	if (r->nmi.known)
		tool_charge(&core->cause[TOOL_NMI], range_exact(r->nmi.value),
			    r->nmi_us.known ? range_cut(r->nmi_us.value, NS_PER_US)
					    : (struct range){ 0 });
}

/* Windows between the first record and the last, both included. */
static uint64_t windows_of(const struct hwlat *h, uint64_t window_ns)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < h->count; i++) {
		first = arith_min(first, h->record[i].t_ns);
		last = arith_max(last, h->record[i].t_ns);
	}
	return h->count ? (last - first + window_ns / 2) / window_ns + 1 : 0;
}

/* One thread per core, or one that moves? */
static bool is_per_cpu(const struct tool *tool, const struct hwlat *h)
{
	return tool->stated.has_mode ? tool->stated.per_cpu : h->several_pids;
}

static void set_exposure(struct tool *tool, const struct hwlat *h, uint64_t width_ns)
{
	uint64_t window_ns = tool->stated.window_ns.known && tool->stated.window_ns.value
				     ? tool->stated.window_ns.value
				     : HWLAT_WINDOW_NS;
	uint64_t cpus = arith_max(arith_max(h->cpus_on, tool->cores), 1);
	uint64_t watched = arith_times(windows_of(h, window_ns), width_ns);
	uint64_t likely = watched / cpus;

	/* One thread, one core seen: it may have stayed there. */
	if (is_per_cpu(tool, h))
		likely = watched;
	else if (tool->cores == 1)
		likely += (watched - likely) / 2;
	for (size_t i = 0; i < tool->cores; i++)
		tool_exposure_assume(&tool->core[i], likely);
	if (!is_per_cpu(tool, h))
		tool->notes |= TOOL_ONE_THREAD;
}

/* The tracer numbers its samples from 1: of those that somebody has cut only the number is known.
 */
static void add_unlisted(struct tool_parse *p, const struct hwlat *h, uint64_t threshold_us)
{
	uint64_t shortest_ns = hwlat_shortest_ns(threshold_us), last = 0, numbered = 0, count;
	struct tool_core *core;

	for (size_t i = 0; i < h->count; i++) {
		last = arith_max(last, h->record[i].number);
		numbered += h->record[i].number != 0;
	}
	count = arith_less(last, numbered);
	if (!count)
		return;
	core = tool_core(p, TOOL_ANY_CPU);
	core->max_ns = range_of(shortest_ns, RANGE_OPEN);
	core->events = range_of(count, RANGE_OPEN);
	core->sum_ns = range_of(arith_times(count, shortest_ns), RANGE_OPEN);
	hwlat_sum_no_interrupts(core);
	p->tool->notes |= TOOL_PART_LISTED;
}

/* It samples with interrupts off; NMIs of other cores than the first to end may be missed. */
static void rule_out_causes(struct tool *tool)
{
	for (size_t i = 0; i < tool->cores; i++) {
		struct tool_sum *cause = tool->core[i].cause;

		hwlat_sum_no_interrupts(&tool->core[i]);
		if (!cause[TOOL_NMI].events.known && (tool->notes & TOOL_ONE_THREAD))
			cause[TOOL_NMI].events = cause[TOOL_NMI].ns = range_exact(0);
	}
}

static void finish(struct tool_parse *p)
{
	struct hwlat *h = p->state;
	struct tool *tool = p->tool;
	uint64_t us = threshold_of(p, h);
	uint64_t width_ns = tool->stated.width_ns.known ? tool->stated.width_ns.value
							: HWLAT_WIDTH_NS;
	bool nmis = false;

	for (size_t i = 0; i < h->count; i++) {
		struct tool_core *core = tool_core(p, h->record[i].cpu);

		hwlat_sum_add(core, &h->record[i].gaps, us, width_ns);
		add_nmis(core, &h->record[i]);
		nmis = nmis || h->record[i].nmi.known;
	}
	if (!h->count && !tool->stated.has_cpus)
		tool_report(p,
			    "hwlat: no gap was recorded, and the output does not state which cores "
			    "were watched for how long; a line `# noisefloor: cpus=0-3 "
			    "exposure=60s` before it does");
	else
		set_exposure(tool, h, width_ns);
	rule_out_causes(tool);
	add_unlisted(p, h, us);
	if (nmis && (tool->notes & TOOL_ONE_THREAD))
		tool->notes |= TOOL_NMI_ANYWHERE;
	free(h->record);
}

const struct tool_format tool_hwlat = {
	.name = "hwlat",
	.find = find,
	.trace = true,
	.state_bytes = sizeof(struct hwlat),
	.parse = parse,
	.finish = finish,
};

/* ---- Bounds from a record ---- */

uint64_t hwlat_shortest_ns(uint64_t threshold_us)
{
	return arith_times(arith_sum(threshold_us, 1), NS_PER_US);
}

void hwlat_sum_add(struct tool_core *core, const struct hwlat_record *r, uint64_t threshold_us,
		   uint64_t width_ns)
{
	bool in = r->inner_us > threshold_us, out = r->outer_us > threshold_us;
	struct range inner = in ? range_cut(r->inner_us, NS_PER_US) : range_exact(0);
	struct range outer = out ? range_cut(r->outer_us, NS_PER_US) : range_exact(0);
	struct range both = range_add(inner, outer), longest = range_max(inner, outer);
	uint64_t sorts = (uint64_t)in + out;
	uint64_t least = arith_max(r->count.known ? r->count.value : 1, sorts);
	uint64_t most = r->count.known ? arith_times(r->count.value, sorts) : RANGE_OPEN;
	/* Turns beyond those of the two longest have at least the shortest gap that counts. */
	uint64_t low = arith_sum(both.low,
				 arith_times(least - sorts, hwlat_shortest_ns(threshold_us)));
	uint64_t high = r->count.known ? arith_times(r->count.value, both.high) : RANGE_OPEN;

	/* A window ends with the first turn past its width. */
	high = arith_max(low, arith_min(high, arith_sum(width_ns, longest.high)));
	core->events = range_add(core->events, range_of(least, arith_max(least, most)));
	core->sum_ns = range_add(core->sum_ns, range_of(low, high));
	core->max_ns = range_max(core->max_ns, longest);
}

void hwlat_sum_no_interrupts(struct tool_core *core)
{
	static const enum tool_cause off[] = { TOOL_IRQ, TOOL_SOFTIRQ, TOOL_THREAD };

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		core->cause[off[i]].events = core->cause[off[i]].ns = range_exact(0);
}
