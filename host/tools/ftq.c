/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FTQ: how many pieces of work were done in each quantum of time, and when it began. Work of the
 * best quantum gives what a piece takes; the time of a quantum that its pieces do not account for
 * is noise, known to one piece. netgauge's form has no times: noise and a longer quantum look
 * alike.
 */
#include "tool_format.h"
#include "host/lib/memory.h"

#include <stdlib.h>

#define QUANTA_MAX ((size_t)4 << 20)

struct quantum {
	uint64_t start_ns, work;
};

struct ftq {
	struct quantum *at;
	size_t count;
	uint64_t thread;
	uint64_t without_times; /* true: by its title */
};

#define TITLE_NETGAUGE "# Fixed Time Quantum Benchmark"

static void take_quantum(struct tool_parse *p, const uint64_t *n)
{
	struct ftq *f = p->state;

	if (f->without_times)
		return;
	if (f->count && n[0] <= f->at[f->count - 1].start_ns)
		tool_wrong(p, p->row, "ns, which rise, and work");
	else if (f->count < QUANTA_MAX)
		*MEMORY_ADD(f->at, f->count) = (struct quantum){ n[0], n[1] };
	else
		p->tool->notes |= TOOL_CUT;
}

/* Threads are bound to the core of their number; the core that is printed is the printer's. */
static const struct tool_row rows[] = {
	{ "# thread ", "%u", NULL, offsetof(struct ftq, thread) },
	{ TITLE_NETGAUGE, "", NULL, offsetof(struct ftq, without_times) },
	{ "%u", " %u$", take_quantum, 0 },
	{ .key = NULL },
};

static void start(struct tool_parse *p)
{
	((struct ftq *)p->state)->thread = TOOL_ANY_CPU;
}

/* What `work` pieces take if `best` are done in `best_ns`. */
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

static void fill(struct tool_parse *p, const struct ftq *f, size_t best)
{
	struct tool_core *core = tool_core(p, f->thread);
	uint64_t best_ns = f->at[best + 1].start_ns - f->at[best].start_ns;
	uint64_t work = f->at[best].work;
	struct range sum = range_exact(0);
	uint64_t hit = 0, longest = 0, before = 0;

	/* Anything longer than a piece shows. */
	tool_threshold(p->tool, range_of(0, arith_sum(2 * (best_ns / work), 2)), TOOL_ASSUMED);
	if (!core)
		return;
	for (size_t i = 0; i + 1 < f->count; i++) {
		uint64_t ns = f->at[i + 1].start_ns - f->at[i].start_ns;
		uint64_t most = arith_less(ns, time_of(f->at[i].work, best_ns, arith_sum(work, 1)));
		uint64_t least = arith_less(
			ns, arith_sum(time_of(arith_sum(f->at[i].work, 1), best_ns, work), 1));

		sum = range_add(sum, range_of(arith_min(least, most), most));
		/* It may have begun in the quantum before, or before those without any work. */
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

static void finish(struct tool_parse *p)
{
	struct ftq *f = p->state;
	size_t best = find_best(f);

	if (f->without_times)
		tool_report(p, "FTQ: netgauge's form has no times: its FWQ has");
	else if (f->count < 2 || !f->at[best].work)
		tool_report(p, "FTQ: less than two quanta, or no work in any");
	else
		fill(p, f, best);
	free(f->at);
}

const struct tool_format tool_ftq = {
	.name = "FTQ",
	.opens = { TITLE_NETGAUGE, "# Frequency %6$" },
	.state_bytes = sizeof(struct ftq),
	.notes = TOOL_QUANTA | TOOL_UNPINNED,
	.start = start,
	.row = rows,
	.finish = finish,
};
