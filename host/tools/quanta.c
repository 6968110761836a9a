/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FTQ: how many pieces of work were done in each quantum of time, and when it began. Work of the
 * best quantum gives what a piece takes; the time of a quantum that its pieces do not account for
 * is noise, known to one piece. netgauge's form has no times, and is not read.
 *
 * FWQ of netgauge: how long a fixed piece of work took, again and again, in whole us. What exceeds
 * the quickest is noise; how many gaps it was is not known.
 */
#include "tool_format.h"

#include "host/lib/memory.h"

#include <stdlib.h>

/* ---- FTQ ---- */

#define QUANTA_MAX ((size_t)4 << 20)

struct quantum {
	uint64_t start_ns, work;
};

struct ftq {
	struct quantum *at;
	size_t count;
};

static void take_quantum(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	struct ftq *f = p->state;

	if (f->count && v->first <= f->at[f->count - 1].start_ns)
		tool_wrong(p, p->row);
	else if (f->count < QUANTA_MAX)
		*MEMORY_ADD(f->at, f->count) = (struct quantum){ v->first, v->second };
	else
		p->tool->notes |= TOOL_CUT;
}

/* Threads are bound to the core of their number; the core that is printed is the printer's. */
static const struct tool_row ftq_rows[] = {
	{ "# thread ", "%u(thread)", NULL, 0 },
	{ "%u(first)", " %u(second)$", take_quantum, 0 },
	{ .key = NULL },
};

/* Time of `work` pieces if `best` are done in `best_ns`. */
static uint64_t time_of(uint64_t work, uint64_t best_ns, uint64_t best)
{
	double ns = (double)work * (double)best_ns / (double)best;

	return ns < 1.8e19 ? (uint64_t)ns : UINT64_MAX;
}

/* The last has no end. */
static size_t find_best(const struct ftq *f)
{
	size_t best = 0;
	double most = 0;

	for (size_t i = 0; i + 1 < f->count; i++) {
		double rate = (double)f->at[i].work /
			      (double)(f->at[i + 1].start_ns - f->at[i].start_ns);

		if (rate > most) {
			most = rate;
			best = i;
		}
	}
	return best;
}

static void fill_ftq(struct tool_parse *p, const struct ftq *f, size_t best)
{
	struct tool_core *core = tool_core(p, p->v.thread);
	uint64_t best_ns = f->at[best + 1].start_ns - f->at[best].start_ns;
	uint64_t work = f->at[best].work;
	struct range sum = range_exact(0);
	uint64_t hit = 0, longest = 0, before = 0;

	/* Anything longer than a piece shows. */
	tool_threshold(p->tool, range_of(0, arith_sum(2 * (best_ns / work), 2)), TOOL_ASSUMED);
	for (size_t i = 0; i + 1 < f->count; i++) {
		uint64_t ns = f->at[i + 1].start_ns - f->at[i].start_ns;
		uint64_t most = arith_less(ns, time_of(f->at[i].work, best_ns, arith_sum(work, 1)));
		uint64_t least = arith_less(
			ns, arith_sum(time_of(arith_sum(f->at[i].work, 1), best_ns, work), 1));

		sum = range_add(sum, range_of(arith_min(least, most), most));
		/*
		 * The gap may have begun in the quantum before, or before those without any work.
		 */
		longest = arith_max(longest, arith_sum(before, most));
		before = f->at[i].work ? most : arith_sum(before, most);
		hit += least > 0;
	}
	core->sum_ns = sum;
	core->max_ns = range_of(0, longest);
	core->events = range_of(hit, RANGE_OPEN);
	tool_exposure(core, range_exact(f->at[f->count - 1].start_ns - f->at[0].start_ns),
		      TOOL_STATED);
}

static void finish_ftq(struct tool_parse *p)
{
	struct ftq *f = p->state;
	size_t best = find_best(f);

	if (f->count < 2 || !f->at[best].work)
		tool_report(p, "FTQ: less than two quanta, or no work in any");
	else
		fill_ftq(p, f, best);
	free(f->at);
}

const struct tool_format tool_ftq = {
	.name = "FTQ",
	.opens = { "# Frequency %6$" },
	.state_bytes = sizeof(struct ftq),
	.notes = TOOL_QUANTA | TOOL_UNPINNED,
	.row = ftq_rows,
	.finish = finish_ftq,
};

/* ---- FWQ ---- */

/* How long a piece of work took, us: the sum is in v.duration. */
static void take_fwq(struct tool_parse *p)
{
	struct tool_values *v = &p->v;
	uint64_t us = v->second;
	bool first = v->count == TOOL_NONE;

	v->count = first ? 1 : v->count + 1;
	v->min = arith_min(v->min, us);
	v->max = first ? us : arith_max(v->max, us);
	v->duration = first ? us : arith_sum(v->duration, us);
}

static const struct tool_row fwq_rows[] = {
	{ "%u(first)", " %u(second)$", take_fwq, 0 },
	{ .key = NULL },
};

/* Each time is up to 1 us from the quickest's. Lines have no core: the one that is stated. */
static void finish_fwq(struct tool_parse *p)
{
	const struct tool_stated *s = &p->tool->stated;
	const struct tool_values *v = &p->v;
	bool one = s->has_cpus && cpulist_count(&s->cpus) == 1;
	uint64_t most = arith_less(v->max, v->min);
	uint64_t extra = arith_less(v->duration, arith_times(v->count, v->min));
	uint64_t low = arith_max(arith_less(extra, v->count), arith_less(most, 1));
	struct tool_core *core;

	if (v->count == TOOL_NONE)
		return;
	core = tool_core(p, one ? cpulist_last(&s->cpus) : TOOL_NONE);
	tool_exposure(core, range_exact(arith_times(v->duration, NS_PER_US)), TOOL_STATED);
	core->sum_ns = range_of(arith_times(low, NS_PER_US),
				arith_times(arith_sum(extra, v->count), NS_PER_US));
	core->max_ns = range_of(0, arith_times(arith_sum(most, 1), NS_PER_US));
	core->events = range_of(most > 1, RANGE_OPEN);
	tool_threshold(p->tool, range_of(0, 2 * NS_PER_US), TOOL_ASSUMED);
}

const struct tool_format tool_fwq = {
	.name = "FWQ",
	.opens = { "# Fixed Work Quantum Benchmark" },
	.notes = TOOL_QUANTA,
	.row = fwq_rows,
	.finish = finish_fwq,
};
