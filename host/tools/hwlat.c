/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hwlat tracer (kernel/trace/trace_hwlat.c), as tracefs and trace-cmd print it, and
 * hwlatdetect (rt-tests), which runs it and prints its samples.
 *
 * For each window the tracer prints the longest gap between the two clock reads of a turn of its
 * loop (inner), the longest between turns (outer), and how many turns had either over the
 * threshold. There is no list and no sum of gaps, so number and sum have bounds only. Lengths are
 * cut to whole us.
 */
#include "tool_format.h"

#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_NS    UINT64_C(1000000000)
#define WIDTH_NS     UINT64_C(500000000)
#define THRESHOLD_US 10u

struct hwlat_record {
	uint64_t inner_us, outer_us;
	uint64_t count; /* turns over the threshold; TOOL_NONE: older kernels do not print it */
	uint32_t cpu;
};

/* ---- Bounds from a record ---- */

/* The longer of the two gaps, us. */
static uint64_t longest_of(const struct hwlat_record *r)
{
	return arith_max(r->inner_us, r->outer_us);
}

/* The shortest gap that counts, ns: the tracer compares gaps with its threshold by `>`. */
static uint64_t shortest_of(uint64_t threshold_us)
{
	return arith_times(arith_sum(threshold_us, 1), NS_PER_US);
}

/* `threshold_us`: as in tracing_thresh. */
static void add_record(struct tool_core *core, const struct hwlat_record *r, uint64_t threshold_us,
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
	uint64_t low = arith_sum(both.low, arith_times(least - sorts, shortest_of(threshold_us)));
	uint64_t high = counted ? arith_times(r->count, both.high) : RANGE_OPEN;

	/* A window ends with the first turn past its width. */
	high = arith_max(low, arith_min(high, arith_sum(width_ns, longest.high)));
	core->events = range_add(core->events, range_of(least, arith_max(least, most)));
	core->sum_ns = range_add(core->sum_ns, range_of(low, high));
	core->max_ns = range_max(core->max_ns, longest);
}

/* The tracer samples with interrupts off: these causes took nothing. */
static void no_interrupts(struct tool_core *core)
{
	static const enum tool_cause off[] = { TOOL_IRQ, TOOL_SOFTIRQ, TOOL_THREAD };

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		core->cause[off[i]].events = core->cause[off[i]].ns = range_exact(0);
}

/* Add records that are counted but not listed; the longest of them is in `max_ns`. */
static void add_unlisted(struct tool_parse *p, uint64_t count, struct range max_ns,
			 uint64_t threshold_us)
{
	struct tool_core *core = tool_core(p, TOOL_ANY_CPU);
	uint64_t others = arith_times(count - 1, shortest_of(threshold_us));

	core->max_ns = range_max(core->max_ns, max_ns);
	core->events = range_add(core->events, range_of(count, RANGE_OPEN));
	core->sum_ns = range_add(core->sum_ns, range_of(arith_sum(max_ns.low, others), RANGE_OPEN));
	no_interrupts(core);
	p->tool->notes |= TOOL_PART_LISTED;
}

/*
 * ---- The tracer ----
 *
 * `count` came with Linux 5.7, NMIs are printed only where there were any. The output has neither
 * threshold nor mode, window and width: the defaults are assumed, and the mode is concluded from
 * the threads.
 */

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

/* A sample's time is in seconds, and nanoseconds of nine digits or, from trace-cmd, ten. */
static void add_sample(struct tool_parse *p, struct sample *s, const uint64_t *time)
{
	struct hwlat *h = p->state;

	if (!tool_core(p, p->cpu))
		return;
	if (time[1] >= NS_PER_S) {
		tool_wrong(p, p->row, "ts:SECONDS.NANOSECONDS");
		return;
	}
	h->several_pids = h->several_pids || (h->count && h->first_pid != p->pid);
	h->first_pid = p->pid;
	s->gaps.cpu = p->cpu;
	s->t_ns = arith_sum(arith_times(time[0], NS_PER_S), time[1]);
	*MEMORY_ADD(h->record, h->count) = *s;
}

static void take_text(struct tool_parse *p, const uint64_t *n)
{
	add_sample(p, &(struct sample){ { n[1], n[2], n[5], 0 }, 0, n[0], n[7], n[6] }, n + 3);
}

static void take_trace_cmd(struct tool_parse *p, const uint64_t *n)
{
	add_sample(p, &(struct sample){ { n[3], n[4], n[5], 0 }, 0, n[0], n[7], n[6] }, n + 1);
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
	uint64_t given = stated ? tool->stated.threshold_ns.value / 1000 : THRESHOLD_US;
	uint64_t us = given;

	for (size_t i = 0; i < h->count; i++) {
		const struct hwlat_record *r = &h->record[i].gaps;

		us = arith_min(us, arith_less(longest_of(r), 1));
	}
	if (stated && us < given)
		tool_report(p,
			    "hwlat: its threshold is given as %llu us, but there is a record of "
			    "%llu us",
			    (unsigned long long)given, (unsigned long long)us + 1);
	tool->threshold_from = stated && us == given ? TOOL_STATED : TOOL_ASSUMED;
	tool->threshold_ns = range_exact(shortest_of(us));
	tool->over_ns = NS_PER_US;
	tool->stated.threshold_ns.known = false; /* applied above, with the tracer's `>` */
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

/* True for one thread per core; false for one thread that moves. */
static bool is_per_cpu(const struct tool *tool, const struct hwlat *h)
{
	return tool->stated.has_mode ? tool->stated.per_cpu : h->several_pids;
}

static void set_exposure(struct tool_parse *p, const struct hwlat *h, uint64_t width_ns)
{
	struct tool *tool = p->tool;
	uint64_t window_ns = tool->stated.window_ns.known && tool->stated.window_ns.value
				     ? tool->stated.window_ns.value
				     : WINDOW_NS;
	uint64_t cpus = arith_max(arith_max(p->cpus_on, tool->cores), 1);
	uint64_t watched = arith_times(windows_of(h, window_ns), width_ns);
	uint64_t likely = watched / cpus;

	/* If only one core was seen, the one thread may have stayed there. */
	if (is_per_cpu(tool, h))
		likely = watched;
	else if (tool->cores == 1)
		likely += (watched - likely) / 2;
	for (size_t i = 0; i < tool->cores; i++)
		tool_exposure_assume(&tool->core[i], likely);
	if (!is_per_cpu(tool, h))
		tool->notes |= TOOL_ONE_THREAD;
}

/* The tracer numbers its samples from 1, so the numbers show how many were cut. */
static void add_cut(struct tool_parse *p, const struct hwlat *h, uint64_t threshold_us)
{
	uint64_t last = 0;

	for (size_t i = 0; i < h->count; i++)
		last = arith_max(last, h->record[i].number);
	if (last > h->count)
		add_unlisted(p, last - h->count, range_of(shortest_of(threshold_us), RANGE_OPEN),
			     threshold_us);
}

/*
 * The tracer samples with interrupts off. With a thread per core, it may miss the NMIs of all cores
 * but the first to end: only with one thread does an output without NMIs show that there were none.
 */
static void rule_out_causes(struct tool *tool)
{
	for (size_t i = 0; i < tool->cores; i++) {
		struct tool_sum *cause = tool->core[i].cause;

		no_interrupts(&tool->core[i]);
		if (!cause[TOOL_NMI].events.known && (tool->notes & TOOL_ONE_THREAD))
			cause[TOOL_NMI].events = cause[TOOL_NMI].ns = range_exact(0);
	}
}

static void finish(struct tool_parse *p)
{
	struct hwlat *h = p->state;
	struct tool *tool = p->tool;
	uint64_t us = threshold_of(p, h);
	uint64_t width_ns = tool->stated.width_ns.known ? tool->stated.width_ns.value : WIDTH_NS;
	bool nmis = false;

	for (size_t i = 0; i < h->count; i++) {
		struct tool_core *core = tool_core(p, h->record[i].gaps.cpu);

		add_record(core, &h->record[i].gaps, us, width_ns);
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
	add_cut(p, h, us);
	if (nmis && (tool->notes & TOOL_ONE_THREAD))
		tool->notes |= TOOL_NMI_ANYWHERE;
	free(h->record);
}

const struct tool_format tool_hwlat = {
	.name = "hwlat",
	.opens = { "# tracer: hwlat$" },
	.body = { "inner/outer(us):", "hwlat: cnt:" },
	.command = "trace-cmd",
	.trace = true,
	.state_bytes = sizeof(struct hwlat),
	.row = rows,
	.parse = tool_trace_parse,
	.finish = finish,
};

/*
 * ---- hwlatdetect ----
 *
 * The lines of hwlatdetect have grown field by field: cpu since 2.6, count since 2.10, delta after
 * it. By default one thread moves over the cores, so the time for which a core was watched depends
 * on their number, which is not printed.
 */

/* Numbers that the rows state; TOOL_NONE: not printed. */
struct detect {
	uint64_t duration_s, threshold_us, window_us, width_us, max_us, recorded, exceeding, below;
	bool has_list;
	struct cpulist list;
	struct hwlat_record *sample;
	size_t samples;
};

static void start_detect(struct tool_parse *p)
{
	struct detect *d = p->state;

	d->duration_s = d->threshold_us = d->window_us = d->width_us = d->max_us = TOOL_NONE;
}

static void take_list(struct tool_parse *p, const uint64_t *n)
{
	struct detect *d = p->state;
	const char *at = strchr(p->row, ':') + 1;

	(void)n;
	if (scan_literal(&at, "None"))
		return;
	at += strspn(at, " ");
	d->has_list = cpulist_parse(&d->list, at, strcspn(at, " "));
	if (!d->has_list)
		tool_wrong(p, p->row, "CPU list: cores, as 0-3,8");
}

/* "SMIs during run: 0" is also what comes out where the counter does not exist. */
static void take_smis(struct tool_parse *p, const uint64_t *n)
{
	if (!n[0])
		p->tool->notes |= TOOL_SMI_UNSURE;
}

/* 3 SMIs occured on cpu 0 (so it is spelt) */
static void take_core_smis(struct tool_parse *p, const uint64_t *n)
{
	struct tool_core *core = tool_core(p, n[1]);

	if (core)
		core->smi = (struct maybe){ n[0], true };
}

static void take_sample(struct tool_parse *p, const uint64_t *n)
{
	struct detect *d = p->state;
	uint64_t cpu = n[2] == TOOL_NONE ? TOOL_ANY_CPU : n[2];

	if (tool_core(p, cpu))
		*MEMORY_ADD(d->sample, d->samples) = (struct hwlat_record){ n[0], n[1], n[3],
									    (uint32_t)cpu };
}

#define STATE(member) offsetof(struct detect, member)

static const struct tool_row detect_rows[] = {
	{ "hwlatdetect: test duration", "%u seconds", NULL, STATE(duration_s) },
	{ "CPU list:", "", take_list, 0 },
	{ "Latency threshold:", "%uus$", NULL, STATE(threshold_us) },
	{ "Sample window:", "%uus$", NULL, STATE(window_us) },
	{ "Sample width:", "%uus$", NULL, STATE(width_us) },
	{ "Max Latency: Below threshold", "", NULL, STATE(below) },
	{ "Max Latency:", "%uus$", NULL, STATE(max_us) },
	{ "Samples recorded:", "%u$", NULL, STATE(recorded) },
	{ "Samples exceeding threshold:", "%u$", NULL, STATE(exceeding) },
	{ "SMIs during run:", "%u$", take_smis, 0 },
	{ "ts:", "*, inner:%u, outer:%u{, cpu:%u}{, count:%u}$", take_sample, 0 },
	{ "%u SMIs occured on cpu", "%u$", take_core_smis, 0 },
	{ .key = NULL },
};

static uint64_t or_default(uint64_t us, uint64_t ns)
{
	return us == TOOL_NONE ? ns : arith_times(us, NS_PER_US);
}

static void add_listed(struct tool_parse *p, const struct detect *d)
{
	for (uint32_t cpu = 0; d->has_list && cpu < CPULIST_MAX; cpu++) {
		if (cpulist_has(&d->list, cpu))
			tool_core(p, cpu);
	}
}

/* Samples that the totals count beyond those that are listed. */
struct unlisted {
	uint64_t count; /* at least */
	bool longest;   /* the longest is among them */
};

static struct unlisted find_unlisted(const struct detect *d)
{
	uint64_t turns = 0, longest_us = 0;
	struct unlisted u;

	for (size_t i = 0; i < d->samples; i++) {
		const struct hwlat_record *r = &d->sample[i];

		turns = arith_sum(turns, r->count == TOOL_NONE ? 1 : r->count);
		longest_us = arith_max(longest_us, longest_of(r));
	}
	u.longest = d->max_us != TOOL_NONE && d->max_us > longest_us;
	u.count = arith_max(arith_less(d->recorded, d->samples), arith_less(d->exceeding, turns));
	u.count = arith_max(u.count, u.longest);
	return u;
}

/* People cut lists; then neither the cores nor an upper bound of the rest are known. */
static void add_rest(struct tool_parse *p, const struct detect *d, uint64_t threshold_us)
{
	const struct unlisted u = find_unlisted(d);
	uint64_t shortest = shortest_of(threshold_us);
	struct range max_ns = range_of(shortest, RANGE_OPEN);

	if (d->max_us != TOOL_NONE)
		max_ns = range_cut(d->max_us, NS_PER_US);
	if (!u.longest)
		max_ns = range_of(arith_min(shortest, max_ns.high), max_ns.high);
	if (u.count)
		add_unlisted(p, u.count, max_ns, threshold_us);
}

static void add_gaps(struct tool_parse *p, const struct detect *d, uint64_t threshold_us)
{
	for (size_t i = 0; i < d->samples; i++) {
		const struct hwlat_record *r = &d->sample[i];
		uint64_t us = arith_min(threshold_us, arith_less(longest_of(r), 1));

		add_record(tool_core(p, r->cpu), r, us, or_default(d->width_us, WIDTH_NS));
	}
	add_rest(p, d, threshold_us);
	for (size_t i = 0; i < p->tool->cores; i++) {
		struct tool_core *core = &p->tool->core[i];

		tool_count_none(core);
		no_interrupts(core);
	}
}

/* One thread watches `width` of each `window`, of one core or another. */
static void set_detect_exposure(struct tool *tool, const struct detect *d)
{
	uint64_t window = or_default(d->window_us, WINDOW_NS);
	uint64_t width = or_default(d->width_us, WIDTH_NS);
	uint64_t windows = window ? arith_times(d->duration_s, NS_PER_S) / window : 0;
	uint64_t watched = arith_times(windows, width);

	if (d->duration_s == TOOL_NONE)
		return;
	if (tool->cores == 1 && (d->has_list || tool->core[0].cpu == TOOL_ANY_CPU)) {
		tool_exposure(&tool->core[0], range_exact(watched), TOOL_ASSUMED);
	} else if (d->has_list) {
		/* Unlisted samples may be of any of these cores. */
		size_t named = tool->cores - (tool_find(tool, TOOL_ANY_CPU) != NULL);

		for (size_t i = 0; i < tool->cores; i++) {
			if (tool->core[i].cpu != TOOL_ANY_CPU)
				tool_exposure(&tool->core[i], range_exact(watched / named),
					      TOOL_ASSUMED);
		}
	} else {
		tool->shared_ns = range_exact(watched);
	}
}

static void finish_detect(struct tool_parse *p)
{
	struct detect *d = p->state;
	uint64_t us = d->threshold_us == TOOL_NONE ? THRESHOLD_US : d->threshold_us;

	tool_threshold(p->tool, range_exact(shortest_of(us)),
		       d->threshold_us == TOOL_NONE ? TOOL_ASSUMED : TOOL_STATED);
	p->tool->over_ns = NS_PER_US;
	if (!d->below && d->max_us == TOOL_NONE)
		tool_cut(p, "\"Max Latency:\"");
	add_listed(p, d);
	/* If no core is known and there is no sample, one entry stands for all cores. */
	if (!p->tool->cores && d->below)
		tool_core(p, TOOL_ANY_CPU);
	add_gaps(p, d, us);
	set_detect_exposure(p->tool, d);
	free(d->sample);
}

const struct tool_format tool_hwlatdetect = {
	.name = "hwlatdetect",
	.opens = { "hwlatdetect: test duration" },
	.command = "hwlatdetect",
	.state_bytes = sizeof(struct detect),
	.notes = TOOL_ONE_THREAD,
	.start = start_detect,
	.row = detect_rows,
	.finish = finish_detect,
};
