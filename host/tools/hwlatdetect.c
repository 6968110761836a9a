/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hwlatdetect (rt-tests) runs the hwlat tracer and prints its samples. Their lines have grown
 * field by field: cpu since 2.6, count since 2.10, delta after it. By default one
 * thread moves over the cores, so what the run watched of one core depends on how many
 * there are, which is not printed.
 */
#include "hwlat.h"
#include "tool_format.h"
#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that its rows state; TOOL_NONE: not printed. */
struct detect {
	uint64_t duration_s, threshold_us, window_us, width_us, max_us, recorded, exceeding, below;
	bool has_list;
	struct cpulist list;
	struct hwlat_record *sample;
	size_t samples;
};

static void start(struct tool_parse *p)
{
	struct detect *d = p->state;

	d->duration_s = d->threshold_us = d->window_us = d->width_us = d->max_us = TOOL_NONE;
}

static void take_list(struct tool_parse *p, const char *line, const uint64_t *n)
{
	struct detect *d = p->state;
	const char *at = strchr(line, ':') + 1;

	(void)n;
	if (scan_literal(&at, "None"))
		return;
	at += strspn(at, " ");
	d->has_list = cpulist_parse(&d->list, at, strcspn(at, " "));
	if (!d->has_list)
		tool_wrong(p, line, "CPU list: cores, as 0-3,8");
}

/* "SMIs during run: 0" is also what comes out where the counter does not exist. */
static void take_smis(struct tool_parse *p, const char *line, const uint64_t *n)
{
	(void)line;
	if (!n[0])
		p->tool->notes |= TOOL_SMI_UNSURE;
}

/* 3 SMIs occured on cpu 0 (so it is spelt) */
static void take_core_smis(struct tool_parse *p, const char *line, const uint64_t *n)
{
	struct tool_core *core = tool_core(p, n[1]);

	(void)line;
	if (core)
		core->smi = (struct maybe){ n[0], true };
}

static void take_sample(struct tool_parse *p, const char *line, const uint64_t *n)
{
	struct detect *d = p->state;
	uint64_t cpu = n[2] == TOOL_NONE ? TOOL_ANY_CPU : n[2];

	(void)line;
	if (tool_core(p, cpu))
		*MEMORY_ADD(d->sample, d->samples) = (struct hwlat_record){ n[0], n[1], n[3],
									    (uint32_t)cpu };
}

#define STATE(member) offsetof(struct detect, member)

static const struct tool_row rows[] = {
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

/* What is stated of all samples beyond those that are listed. */
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
		longest_us = arith_max(longest_us, hwlat_longest_us(r));
	}
	u.longest = d->max_us != TOOL_NONE && d->max_us > longest_us;
	u.count = arith_max(arith_less(d->recorded, d->samples), arith_less(d->exceeding, turns));
	u.count = arith_max(u.count, u.longest);
	return u;
}

/* People cut lists; then neither the cores nor an upper bound of the rest are known. */
static void add_unlisted(struct tool_parse *p, const struct detect *d, uint64_t shortest_ns)
{
	const struct unlisted u = find_unlisted(d);
	struct range max_ns = range_of(shortest_ns, RANGE_OPEN);
	struct tool_core *core;

	if (!u.count)
		return;
	if (d->max_us != TOOL_NONE)
		max_ns = range_cut(d->max_us, NS_PER_US);
	if (!u.longest)
		max_ns = range_of(arith_min(shortest_ns, max_ns.high), max_ns.high);
	core = tool_core(p, TOOL_ANY_CPU);
	core->max_ns = range_max(core->max_ns, max_ns);
	core->events = range_add(core->events, range_of(u.count, RANGE_OPEN));
	core->sum_ns = range_add(
		core->sum_ns,
		range_of(arith_sum(max_ns.low, arith_times(u.count - 1, shortest_ns)), RANGE_OPEN));
	p->tool->notes |= TOOL_PART_LISTED;
}

static void add_gaps(struct tool_parse *p, const struct detect *d, uint64_t threshold_us)
{
	for (size_t i = 0; i < d->samples; i++) {
		const struct hwlat_record *r = &d->sample[i];
		uint64_t us = arith_min(threshold_us, arith_less(hwlat_longest_us(r), 1));

		hwlat_sum_add(tool_core(p, r->cpu), r, us, or_default(d->width_us, HWLAT_WIDTH_NS));
	}
	add_unlisted(p, d, hwlat_shortest_ns(threshold_us));
	for (size_t i = 0; i < p->tool->cores; i++) {
		struct tool_core *core = &p->tool->core[i];

		tool_count_none(core);
		hwlat_sum_no_interrupts(core);
	}
}

/* One thread watches `width` of each `window`, of one core or another. */
static void set_exposure(struct tool *tool, const struct detect *d)
{
	uint64_t window = or_default(d->window_us, HWLAT_WINDOW_NS);
	uint64_t width = or_default(d->width_us, HWLAT_WIDTH_NS);
	uint64_t windows = window ? arith_times(d->duration_s, NS_PER_S) / window : 0;
	uint64_t watched = arith_times(windows, width);

	if (d->duration_s == TOOL_NONE)
		return;
	if (tool->cores == 1 && (d->has_list || tool->core[0].cpu == TOOL_ANY_CPU)) {
		tool_exposure(&tool->core[0], range_exact(watched), TOOL_ASSUMED);
	} else if (d->has_list) {
		/* Those that are not listed may be of any of these cores. */
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

static void finish(struct tool_parse *p)
{
	struct detect *d = p->state;
	uint64_t us = d->threshold_us == TOOL_NONE ? HWLAT_THRESHOLD_US : d->threshold_us;

	tool_threshold(p->tool, range_exact(hwlat_shortest_ns(us)),
		       d->threshold_us == TOOL_NONE ? TOOL_ASSUMED : TOOL_STATED);
	p->tool->over_ns = NS_PER_US;
	if (!d->below && d->max_us == TOOL_NONE)
		tool_cut(p, "\"Max Latency:\"");
	add_listed(p, d);
	/* Where the samples do not name a core, or there is none: one place for all cores. */
	if (!p->tool->cores && d->below)
		tool_core(p, TOOL_ANY_CPU);
	add_gaps(p, d, us);
	set_exposure(p->tool, d);
	free(d->sample);
}

const struct tool_format tool_hwlatdetect = {
	.name = "hwlatdetect",
	.opens = { "hwlatdetect: test duration" },
	.state_bytes = sizeof(struct detect),
	.notes = TOOL_ONE_THREAD,
	.start = start,
	.row = rows,
	.finish = finish,
};
