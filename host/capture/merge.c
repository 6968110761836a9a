/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps to events. */
#include "merge.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <stdlib.h>

#define HZ_MIN UINT64_C(1000000)
#define HZ_MAX UINT64_C(16000000000)

/* As far apart as two cores' clocks may be, up to the shortest gap: core/report/stage_events.c. */
uint64_t merge_slack(const struct run *run, const struct run_stage *stage)
{
	uint64_t ticks = stage->bound[0] + stage->bound[1], hz = run->begin.clock.hz;

	if (hz < HZ_MIN || hz > HZ_MAX || ticks < stage->bound[0])
		return 0;
	return arith_min(ticks_to_ns(ticks, hz), run_threshold(run));
}

bool merge_has_all(const struct run_stage *stage, struct text *why)
{
	uint64_t there = stage->gaps_counted;

	if (!stage->cpus)
		text_add(why, "no cpu record has the number of gaps");
	else if (stage->dropped)
		text_add(why, "%llu of %llu gaps did not fit into the list",
			 (unsigned long long)stage->dropped, (unsigned long long)there);
	else if (stage->gaps < there)
		text_add(why, "%llu of %llu gaps are in the report; gaps=all sends all",
			 (unsigned long long)stage->gaps, (unsigned long long)there);
	return !why->len;
}

static int by_time(const void *a, const void *b)
{
	const struct run_gap *x = a, *y = b;

	return x->t_ns < y->t_ns ? -1 : x->t_ns > y->t_ns;
}

/* As the probe sends them; sorting takes as much memory again. */
static bool is_sorted(const struct run_stage *stage)
{
	for (size_t i = 1; i < stage->gaps; i++) {
		if (stage->gap[i].t_ns < stage->gap[i - 1].t_ns)
			return false;
	}
	return true;
}

void merge_sort(struct run_stage *stage)
{
	if (!is_sorted(stage))
		qsort(stage->gap, stage->gaps, sizeof(*stage->gap), by_time);
}

void merge_gaps(const struct run_stage *stage, uint32_t causes, uint64_t slack, event_sink *sink,
		void *ctx)
{
	static struct event_cpu cpu[CPULIST_MAX];
	static struct event_merge m;
	const struct event_setup setup = {
		.cpu = cpu,
		.cpus = CPULIST_MAX,
		.slack = slack,
		.complete_until = UINT64_MAX,
	};

	for (uint32_t i = 0; i < CPULIST_MAX; i++)
		cpu[i] = (struct event_cpu){ .index = i };
	event_merge_begin(&m, &setup, sink, ctx);
	for (size_t i = 0; i < stage->gaps; i++) {
		const struct run_gap *g = &stage->gap[i];
		struct event_gap gap = { g->t_ns, g->len_ns, g->cpu, g->cause };

		if (causes & 1u << g->cause)
			event_merge_add(&m, &gap);
	}
	event_merge_end(&m);
}
