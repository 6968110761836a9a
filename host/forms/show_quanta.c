/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run with all its gaps as LLNL's FTQ and FWQ would have seen them, a part per stage and core.
 * Work is time without gaps, in ns; windows follow each other without the pauses between them.
 *
 * FTQ: when each quantum of 1 ms began, and what was left of it. FWQ: ticks of 1 ns that 1 ms of
 * work took. A line before each part has what these formats lack, as `compare` reads it.
 */
#include "show_form.h"

#include "host/capture/result_stage.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define QUANTUM_NS UINT64_C(1000000)
#define QUANTA_MAX (UINT64_C(1) << 27) /* 37 hours: 2 GB of text per core */

/* Gaps of one core, in order, as times of sampling. */
struct gaps {
	const struct result_stage *stage;
	const struct exposure *watched;
	uint32_t cpu;
	size_t next;
	uint64_t from, until; /* the next one; from UINT64_MAX: none */
	uint64_t end;         /* of the sampling */
};

static void next_gap(struct gaps *g)
{
	uint64_t origin = g->watched->window[0].start;

	for (g->from = UINT64_MAX; g->from == UINT64_MAX && g->next < g->stage->gaps; g->next++) {
		const struct result_gap *gap = &g->stage->gap[g->next];

		if (gap->cpu != g->cpu || gap->t_ns < origin)
			continue;
		g->from = exposure_between(g->watched, origin, gap->t_ns);
		g->until = exposure_between(g->watched, origin, arith_sum(gap->t_ns, gap->len_ns));
	}
}

/* What gaps take of the time up to `to`, from the last call's on. */
static uint64_t taken(struct gaps *g, uint64_t to)
{
	uint64_t sum = 0;

	while (g->from < to) {
		uint64_t until = arith_min(g->until, to);

		sum += arith_less(until, g->from);
		g->from = until;
		if (g->until > to)
			break;
		next_gap(g);
	}
	return sum;
}

static void put_ftq(struct gaps *g)
{
	printf("# Frequency %.6f\n# Ticks per ns: 1\n# thread %" PRIu32 ", core %" PRIu32 "\n",
	       (double)NS_PER_S / QUANTUM_NS, g->cpu, g->cpu);
	for (uint64_t at = 0; g->end - at >= QUANTUM_NS; at += QUANTUM_NS)
		printf("%" PRIu64 " %" PRIu64 "\n", at, QUANTUM_NS - taken(g, at + QUANTUM_NS));
}

/* Gaps make it longer, and may bring in others. */
static void put_fwq(struct gaps *g)
{
	uint64_t at = 0, to = QUANTUM_NS, late;

	for (; to <= g->end; at = to, to += QUANTUM_NS) {
		while (to <= g->end && (late = taken(g, to)))
			to += late;
		if (to <= g->end)
			printf("%" PRIu64 "\n", to - at);
	}
}

static void put_core(const struct result *run, struct gaps *g, bool ftq)
{
	printf("# noisefloor: threshold=%" PRIu64 "ns cpus=%" PRIu32 "%s\n", result_threshold(run),
	       g->cpu, ftq ? "" : " hz=1000000000");
	next_gap(g);
	(ftq ? put_ftq : put_fwq)(g);
}

static void put_cores(const struct result *run, const struct result_stage *stage,
		      const struct exposure *watched, bool ftq)
{
	for (size_t i = 0; i < stage->cpus; i++) {
		struct gaps g = { .stage = stage, .watched = watched, .cpu = stage->cpu[i].cpu };

		g.end = exposure_between(watched, 0, UINT64_MAX);
		put_core(run, &g, ftq);
	}
}

/* False, with the reason. */
static bool put_stage(const struct result *run, struct result_stage *stage, bool ftq,
		      struct text *why)
{
	struct exposure watched = { NULL, 0, 0 };
	bool all = result_stage_has_all_gaps(stage, why);

	if (all && !result_stage_exposure(stage, &watched))
		text_add(why, "the records of its windows are missing or contradict each other");
	else if (all && exposure_between(&watched, 0, UINT64_MAX) / QUANTUM_NS > QUANTA_MAX)
		text_add(why, "more than %llu quanta", (unsigned long long)QUANTA_MAX);
	if (!why->len) {
		result_stage_sort_gaps(stage);
		put_cores(run, stage, &watched, ftq);
	}
	free(watched.window);
	return !why->len;
}

static bool put_run(const struct capture *c, const struct result *run, bool ftq)
{
	bool good = true;

	for (size_t i = 0; i < run->stages; i++) {
		TEXT_DEFINE(why, 200);

		if (!run->stage[i].cpus || put_stage(run, &run->stage[i], ftq, &why))
			continue;
		text_add(&why, "; stage %s is left out", run->stage[i].name);
		text_sanitize(why.buf);
		fprintf(stderr, "%s: %s\n", c->name, why.buf);
		good = false;
	}
	return good;
}

static bool put_runs(const struct capture *c, bool ftq)
{
	bool good = true;

	for (size_t i = 0; i < c->runs; i++)
		good = put_run(c, c->run[i], ftq) && good;
	errno = 0; /* the reasons are printed */
	return good;
}

static bool put_ftqs(const struct show_options *o, const struct capture *c)
{
	(void)o;
	return put_runs(c, true);
}

static bool put_fwqs(const struct show_options *o, const struct capture *c)
{
	(void)o;
	return put_runs(c, false);
}

const struct show_form show_form_ftq = {
	.only = &mode_gaps,
	.keep = RESULT_ALL,
	.capture = put_ftqs,
	.flaws_apart = true,
};

const struct show_form show_form_fwq = {
	.only = &mode_gaps,
	.keep = RESULT_ALL,
	.capture = put_fwqs,
	.flaws_apart = true,
};
