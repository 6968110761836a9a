/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hwlat tracer (kernel/trace/trace_hwlat.c), as tracefs and trace-cmd print it, and
 * hwlatdetect (rt-tests), which runs it and prints its samples.
 *
 * For each window the tracer prints the longest gap between the two clock reads of a turn of its
 * loop (inner), the longest between turns (outer), and how many turns had either over the
 * threshold. There is no list and no sum of gaps, so number and sum have bounds only. Lengths are
 * cut to whole us. It samples with interrupts off: they, softirqs and tasks took nothing.
 */
#include "tool_format.h"

#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_NS    UINT64_C(1000000000)
#define WIDTH_NS     UINT64_C(500000000)
#define THRESHOLD_US 10u

struct hwlat {
	struct sample {
		uint64_t inner_us, outer_us;
		uint64_t count; /* turns over the threshold; TOOL_NONE: older kernels print none */
		uint64_t cpu;   /* TOOL_NONE: not printed */
	} * sample;
	size_t samples;
	uint64_t turns, least_us, most_us; /* sums over all samples; bounds of their longer gaps */
	/* The tracer's: times of its first and last sample, and the thread of the last. */
	uint64_t first_ns, last_ns, pid;
	bool several_pids, nmis;
	/* hwlatdetect: cores that it names; tracer: cores with untimed NMIs. */
	struct cpulist list;
};

static void add_sample(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	uint64_t us = arith_max(v->inner, v->outer);
	struct hwlat *h = p->state;

	h->least_us = h->samples ? arith_min(h->least_us, us) : us;
	h->most_us = arith_max(h->most_us, us);
	h->turns = arith_sum(h->turns, tool_or(v->count, 1));
	*MEMORY_ADD(h->sample, h->samples) = (struct sample){ v->inner, v->outer, v->count,
							      v->cpu };
	tool_core(p, v->cpu);
}

/* ---- Bounds ---- */

/* `us`: tracing_thresh. The tracer compares gaps with it by `>`. */
static uint64_t shortest_of(uint64_t us)
{
	return arith_times(arith_sum(us, 1), NS_PER_US);
}

/* tracing_thresh in us: `us`, or lower where a sample shows that it was. */
static uint64_t threshold_of(const struct hwlat *h, uint64_t us)
{
	return h->samples ? arith_min(us, arith_less(h->least_us, 1)) : us;
}

static void set_threshold(struct tool *tool, uint64_t us, bool stated)
{
	tool_threshold(tool, range_exact(shortest_of(us)), stated ? TOOL_STATED : TOOL_ASSUMED);
	tool->over_ns = NS_PER_US;
}

static void bound_sample(struct tool_core *core, const struct sample *s, uint64_t threshold_us,
			 uint64_t width_ns)
{
	bool in = s->inner_us > threshold_us, out = s->outer_us > threshold_us;
	struct range inner = in ? range_cut(s->inner_us, NS_PER_US) : range_exact(0);
	struct range outer = out ? range_cut(s->outer_us, NS_PER_US) : range_exact(0);
	struct range both = range_add(inner, outer), longest = range_max(inner, outer);
	uint64_t sorts = (uint64_t)in + out;
	bool counted = s->count != TOOL_NONE;
	uint64_t least = arith_max(counted ? s->count : 1, sorts);
	uint64_t most = counted ? arith_times(s->count, sorts) : RANGE_OPEN;
	/* Turns beyond those of the two longest have at least the shortest gap that counts. */
	uint64_t low = arith_sum(both.low, arith_times(least - sorts, shortest_of(threshold_us)));
	uint64_t high = counted ? arith_times(s->count, both.high) : RANGE_OPEN;

	/* A window ends with the first turn past its width. */
	high = arith_max(low, arith_min(high, arith_sum(width_ns, longest.high)));
	core->events = range_add(core->events, range_of(least, arith_max(least, most)));
	core->sum_ns = range_add(core->sum_ns, range_of(low, high));
	core->max_ns = range_max(core->max_ns, longest);
}

/*
 * Samples that are counted beyond those that are listed: the tracer numbers its own, hwlatdetect
 * prints totals, and people cut lists. Neither their cores nor an upper bound of the sum are known.
 */
static void add_unlisted(struct tool_parse *p, uint64_t shortest)
{
	const struct tool_values *v = &p->v;
	const struct hwlat *h = p->state;
	bool longest = tool_or(v->max, 0) > h->most_us; /* the longest is among the samples */
	uint64_t count = arith_max(arith_less(tool_or(v->recorded, 0), h->samples),
				   arith_less(tool_or(v->exceeding, 0), h->turns));
	uint64_t high = v->max == TOOL_NONE ? RANGE_OPEN : range_cut(v->max, NS_PER_US).high;
	uint64_t low = longest ? arith_times(v->max, NS_PER_US) : arith_min(shortest, high);
	struct tool_core *core;

	count = arith_max(count, longest);
	if (!count)
		return;
	core = tool_core(p, TOOL_NONE);
	core->max_ns = range_max(core->max_ns, range_of(low, high));
	core->events = range_add(core->events, range_of(count, RANGE_OPEN));
	low = arith_sum(low, arith_times(count - 1, shortest));
	core->sum_ns = range_add(core->sum_ns, range_of(low, RANGE_OPEN));
	p->tool->notes |= TOOL_PART_LISTED;
}

/* Give the samples to their cores: how many of these are named. */
static size_t bound_samples(struct tool_parse *p, uint64_t threshold_us, uint64_t width_ns)
{
	struct hwlat *h = p->state;

	for (size_t i = 0; i < h->samples; i++)
		bound_sample(tool_core(p, h->sample[i].cpu), &h->sample[i], threshold_us, width_ns);
	add_unlisted(p, shortest_of(threshold_us));
	free(h->sample);
	return p->tool->cores - (tool_find(p->tool, TOOL_ANY_CPU) != NULL);
}

/*
 * ---- The tracer ----
 *
 * `count` came with Linux 5.7, NMIs are printed only where there were any. The output has neither
 * threshold nor mode, window and width: the defaults are assumed, and the mode is concluded from
 * the threads. A time is in seconds, and nanoseconds of nine digits or, from trace-cmd, ten.
 */

static void take_sample(struct tool_parse *p)
{
	struct tool_values *v = &p->v;
	uint64_t t_ns = arith_sum(arith_times(v->s, NS_PER_S), v->ns);
	struct tool_core *core = tool_core(p, v->cpu);
	struct hwlat *h = p->state;

	if (v->ns >= NS_PER_S)
		tool_wrong(p, p->row);
	h->several_pids = h->several_pids || (h->samples && h->pid != v->pid);
	h->pid = v->pid;
	h->first_ns = h->samples ? arith_min(h->first_ns, t_ns) : t_ns;
	h->last_ns = arith_max(h->last_ns, t_ns);
	add_sample(p);
	v->recorded = arith_max(tool_or(v->recorded, 0), v->number);
	if (v->nmi == TOOL_NONE)
		return;
	h->nmis = true;
	if (v->nmi_us == TOOL_NONE)
		cpulist_add(&h->list, core->cpu);
	else
		core->cause_ns[TOOL_NMI] = range_add(core->cause_ns[TOOL_NMI],
						     range_cut(v->nmi_us, NS_PER_US));
}

static const struct tool_row rows[] = {
	{ "#",
	  "%u(number) inner/outer(us):%u(inner)/%u(outer) ts:%u(s).%u(ns){ count:%u(count)}"
	  "{ nmi-total:%u(nmi_us)}{ nmi-count:%u(nmi)}$",
	  take_sample, 0 },
	{ "hwlat:",
	  "cnt:%u(number) ts:%u(s).%u(ns) inner:%u(inner) outer:%u(outer){ count:%u(count)}"
	  "{ nmi-ts:%u(nmi_us)}{ nmi-count:%u(nmi)}$",
	  take_sample, 0 },
	{ .key = NULL },
};

/* One thread per core watches each all the time; one that moves, a share of it. */
static uint64_t watched_ns(const struct tool_parse *p, bool per_cpu, size_t named)
{
	const struct hwlat *h = p->state;
	uint64_t windows = arith_sum(h->last_ns - h->first_ns, WINDOW_NS / 2) / WINDOW_NS + 1;
	uint64_t all = arith_times(windows, WIDTH_NS);
	uint64_t share = all / arith_max(arith_max(tool_or(p->v.cpus, 0), named), 1);

	if (per_cpu)
		return all;
	/* If only one core was seen, the one thread may have stayed there. */
	return named == 1 ? share + (all - share) / 2 : share;
}

/*
 * With a thread per core, the tracer may miss the NMIs of all cores but the first to end: only with
 * one thread does an output without NMIs show that there were none.
 */
static void hwlat_finish(struct tool_parse *p)
{
	struct hwlat *h = p->state;
	struct tool *tool = p->tool;
	struct tool_stated *s = &tool->stated;
	uint64_t given = s->threshold_ns ? s->threshold_ns / NS_PER_US : THRESHOLD_US;
	uint64_t us = threshold_of(h, given);
	size_t named = bound_samples(p, us, WIDTH_NS);
	uint64_t watched = watched_ns(p, h->several_pids, named);

	if (s->threshold_ns && us < given)
		tool_report(p,
			    "hwlat: its threshold is given as %llu us, but there is a record of "
			    "%llu us",
			    (unsigned long long)given, (unsigned long long)us + 1);
	set_threshold(tool, us, s->threshold_ns && us == given);
	s->threshold_ns = 0; /* applied above, with the tracer's `>` */
	if (!h->several_pids)
		tool->notes |= TOOL_ONE_THREAD | (h->nmis ? TOOL_NMI_ANYWHERE : 0);
	if (!h->samples && !s->has_cpus)
		tool_report(p,
			    "hwlat: no gap was recorded, and the output does not state which cores "
			    "were watched for how long; a line `# noisefloor: cpus=0-3 "
			    "exposure=60s` before it does");
	for (size_t i = 0; i < tool->cores; i++) {
		struct tool_core *core = &tool->core[i];

		if (core->cpu == TOOL_ANY_CPU)
			continue;
		tool_exposure_assume(core, watched);
		if (!h->several_pids && !cpulist_has(&h->list, core->cpu))
			range_count_none(&core->cause_ns[TOOL_NMI]);
	}
}

const struct tool_format tool_hwlat = {
	.name = "hwlat",
	.opens = { "# tracer: hwlat$" },
	.body = { "inner/outer(us):", "hwlat: cnt:" },
	.command = "trace-cmd",
	.trace = true,
	.state_bytes = sizeof(struct hwlat),
	.without = TOOL_INTERRUPTS,
	.row = rows,
	.parse = tool_trace_parse,
	.finish = hwlat_finish,
};

/*
 * ---- hwlatdetect ----
 *
 * The lines of hwlatdetect have grown field by field: cpu since 2.6, count since 2.10, delta after
 * it. By default one thread moves over the cores, so the time for which a core was watched depends
 * on their number, which is not printed.
 */

static void take_list(struct tool_parse *p)
{
	struct hwlat *h = p->state;
	const char *at = strchr(p->row, ':') + 1;

	if (scan_literal(&at, "None"))
		return;
	at += strspn(at, " ");
	if (!cpulist_parse(&h->list, at, strcspn(at, " ")))
		tool_wrong(p, p->row);
}

/* 3 SMIs occured on cpu 0 (so it is spelt) */
static void take_core_smis(struct tool_parse *p)
{
	tool_core(p, p->v.cpu)->smi = (struct maybe){ p->v.smi, true };
}

static const struct tool_row detect_rows[] = {
	{ "hwlatdetect: test duration", "%u(duration) seconds", NULL, 0 },
	{ "CPU list:", "", take_list, 0 },
	{ "Latency threshold:", "%u(threshold)us$", NULL, 0 },
	{ "Sample window:", "%u(window)us$", NULL, 0 },
	{ "Sample width:", "%u(width)us$", NULL, 0 },
	{ "Max Latency: Below threshold", "%!(quiet)", NULL, 0 },
	{ "Max Latency:", "%u(max)us$", NULL, 0 },
	{ "Samples recorded:", "%u(recorded)$", NULL, 0 },
	{ "Samples exceeding threshold:", "%u(exceeding)$", NULL, 0 },
	{ "SMIs during run:", "%u(smi)$", NULL, 0 },
	{ "ts:", "*, inner:%u(inner), outer:%u(outer){, cpu:%u(cpu)}{, count:%u(count)}$",
	  add_sample, 0 },
	{ "%u(smi) SMIs occured on cpu", "%u(cpu)$", take_core_smis, 0 },
	{ .key = NULL },
};

/* One thread watches `width` of each `window`, of one core or another. */
static void finish_detect(struct tool_parse *p)
{
	const struct hwlat *h = p->state;
	const struct tool_values *v = &p->v;
	struct tool *tool = p->tool;
	uint64_t us = tool_or(v->threshold, THRESHOLD_US);
	uint64_t width_ns = arith_times(tool_or(v->width, WIDTH_NS / NS_PER_US), NS_PER_US);
	uint64_t window_ns = arith_times(tool_or(v->window, WINDOW_NS / NS_PER_US), NS_PER_US);
	uint64_t windows = window_ns ? arith_times(v->duration, NS_PER_S) / window_ns : 0;
	uint64_t watched = arith_times(windows, width_ns);
	size_t named;

	if (v->quiet == TOOL_NONE && v->max == TOOL_NONE)
		tool_cut(p, "\"Max Latency:\"");
	/* "SMIs during run: 0" is also what comes out where the counter does not exist. */
	if (!v->smi)
		tool->notes |= TOOL_SMI_UNSURE;
	tool_cores(p, &h->list);
	/* If no core is known and there is no sample, one entry stands for all cores. */
	if (!tool->cores && v->quiet != TOOL_NONE)
		tool_core(p, TOOL_NONE);
	set_threshold(tool, us, v->threshold != TOOL_NONE);
	named = bound_samples(p, threshold_of(h, us), width_ns);
	if (v->duration == TOOL_NONE)
		return;
	if (cpulist_empty(&h->list) && named) {
		tool->shared_ns = range_exact(watched);
		return;
	}
	/* Unlisted samples may be of any of these cores. */
	for (size_t i = 0; i < tool->cores; i++) {
		if (!named || tool->core[i].cpu != TOOL_ANY_CPU)
			tool_exposure(&tool->core[i], range_exact(watched / arith_max(named, 1)),
				      TOOL_ASSUMED);
	}
}

const struct tool_format tool_hwlatdetect = {
	.name = "hwlatdetect",
	.opens = { "hwlatdetect: test duration" },
	.command = "hwlatdetect",
	.state_bytes = sizeof(struct hwlat),
	.notes = TOOL_ONE_THREAD,
	.without = TOOL_INTERRUPTS,
	.complete = true,
	.row = detect_rows,
	.finish = finish_detect,
};
