/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hwlat tracer (kernel/trace/trace_hwlat.c), as tracefs and trace-cmd print it.
 * `count` came with Linux 5.7, NMIs are printed only where there were any. The output
 * has neither threshold nor mode, window and width: the defaults are assumed, and the
 * mode is concluded from the threads.
 */
#include "hwlat.h"

#include "host/lib/memory.h"
#include "trace_line.h"

#include <stdlib.h>
#include <string.h>

struct sample {
	struct hwlat_record gaps;
	uint64_t t_ns;   /* of the first gap over the threshold */
	uint64_t number; /* of the sample, from 1 */
	uint64_t nmi, nmi_us;
};

struct hwlat {
	struct sample *record;
	size_t count;
	uint64_t first_pid;
	bool several_pids;
};

/* Its time is in seconds, and nanoseconds in nine digits or, of trace-cmd, ten. */
static void add_sample(struct tool_parse *p, const char *event, struct sample *s,
		       const uint64_t *time)
{
	struct hwlat *h = p->state;

	if (!tool_core(p, p->cpu))
		return;
	if (time[1] >= NS_PER_S) {
		tool_wrong(p, event, "ts:SECONDS.NANOSECONDS");
		return;
	}
	h->several_pids = h->several_pids || (h->count && h->first_pid != p->pid);
	h->first_pid = p->pid;
	s->gaps.cpu = p->cpu;
	s->t_ns = arith_sum(arith_times(time[0], NS_PER_S), time[1]);
	*MEMORY_ADD(h->record, h->count) = *s;
}

static void take_text(struct tool_parse *p, const char *event, const uint64_t *n)
{
	add_sample(p, event, &(struct sample){ { n[1], n[2], n[5], 0 }, 0, n[0], n[7], n[6] },
		   n + 3);
}

static void take_trace_cmd(struct tool_parse *p, const char *event, const uint64_t *n)
{
	add_sample(p, event, &(struct sample){ { n[3], n[4], n[5], 0 }, 0, n[0], n[7], n[6] },
		   n + 1);
}

static const struct tool_row rows[] = {
	{ "#", "%u inner/outer(us):%u/%u ts:%u.%u{ count:%u}{ nmi-total:%u}{ nmi-count:%u}$",
	  take_text, 0 },
	{ "hwlat:", "cnt:%u ts:%u.%u inner:%u outer:%u{ count:%u}{ nmi-ts:%u}{ nmi-count:%u}$",
	  take_trace_cmd, 0 },
	{ .key = NULL },
};

/* tracing_thresh in us: as stated, or the default; lower where a record shows that it was. */
static uint64_t threshold_of(struct tool_parse *p, const struct hwlat *h)
{
	struct tool *tool = p->tool;
	bool stated = tool->stated.threshold_ns.known;
	uint64_t given = stated ? tool->stated.threshold_ns.value / 1000 : HWLAT_THRESHOLD_US;
	uint64_t us = given;

	for (size_t i = 0; i < h->count; i++) {
		const struct hwlat_record *r = &h->record[i].gaps;

		us = arith_min(us, arith_less(hwlat_longest_us(r), 1));
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
	if (r->nmi != TOOL_NONE)
		tool_charge(&core->cause[TOOL_NMI], range_exact(r->nmi),
			    r->nmi_us == TOOL_NONE ? (struct range){ 0 }
						   : range_cut(r->nmi_us, NS_PER_US));
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

static void set_exposure(struct tool_parse *p, const struct hwlat *h, uint64_t width_ns)
{
	struct tool *tool = p->tool;
	uint64_t window_ns = tool->stated.window_ns.known && tool->stated.window_ns.value
				     ? tool->stated.window_ns.value
				     : HWLAT_WINDOW_NS;
	uint64_t cpus = arith_max(arith_max(p->cpus_on, tool->cores), 1);
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
	uint64_t shortest_ns = hwlat_shortest_ns(threshold_us), last = 0, count;
	struct tool_core *core;

	for (size_t i = 0; i < h->count; i++)
		last = arith_max(last, h->record[i].number);
	count = arith_less(last, h->count);
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
		struct tool_core *core = tool_core(p, h->record[i].gaps.cpu);

		hwlat_sum_add(core, &h->record[i].gaps, us, width_ns);
		add_nmis(core, &h->record[i]);
		nmis = nmis || h->record[i].nmi != TOOL_NONE;
	}
	if (!h->count && !tool->stated.has_cpus)
		tool_report(p,
			    "hwlat: no gap was recorded, and the output does not state which cores "
			    "were watched for how long; a line `# noisefloor: cpus=0-3 "
			    "exposure=60s` before it does");
	else
		set_exposure(p, h, width_ns);
	rule_out_causes(tool);
	add_unlisted(p, h, us);
	if (nmis && (tool->notes & TOOL_ONE_THREAD))
		tool->notes |= TOOL_NMI_ANYWHERE;
	free(h->record);
}

const struct tool_format tool_hwlat = {
	.name = "hwlat",
	.opens = { "# tracer: hwlat$" },
	.body = { "inner/outer(us):", "hwlat: cnt:" },
	.trace = true,
	.state_bytes = sizeof(struct hwlat),
	.row = rows,
	.parse = trace_parse,
	.finish = finish,
};

/* ---- Bounds from a record ---- */

uint64_t hwlat_longest_us(const struct hwlat_record *r)
{
	return arith_max(r->inner_us, r->outer_us);
}

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
	bool counted = r->count != TOOL_NONE;
	uint64_t least = arith_max(counted ? r->count : 1, sorts);
	uint64_t most = counted ? arith_times(r->count, sorts) : RANGE_OPEN;
	/* Turns beyond those of the two longest have at least the shortest gap that counts. */
	uint64_t low = arith_sum(both.low,
				 arith_times(least - sorts, hwlat_shortest_ns(threshold_us)));
	uint64_t high = counted ? arith_times(r->count, both.high) : RANGE_OPEN;

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
