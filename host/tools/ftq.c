/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FTQ: how many pieces of work were done in each quantum of time, and when it began. Work of the
 * best quantum gives what a piece takes; the time of a quantum that its pieces do not account for
 * is noise, known to one piece. netgauge's form has no times: noise and a longer quantum look
 * alike.
 */
#include "tool_format.h"
#include "tool_frame.h"
#include "host/lib/memory.h"

#include <stdlib.h>

#define QUANTA_MAX ((size_t)4 << 20)

struct quantum {
	uint64_t start_ns, work;
};

struct ftq {
	struct quantum *at;
	size_t count;
	uint32_t thread;
	bool has_thread, without_times;
};

static const char title_netgauge[] = "# Fixed Time Quantum Benchmark";

static enum tool_match find(const char *line, const char **at)
{
	const char *from;
	uint64_t hz;

	*at = tool_frame_word(line, title_netgauge);
	if (*at)
		return TOOL_OPENING;
	*at = from = tool_frame_word(line, "# Frequency ");
	return *at && scan_literal(&from, "# Frequency ") && scan_fixed(&from, 6, &hz) &&
			       scan_end(from)
		       ? TOOL_OPENING
		       : TOOL_NO;
}

/* Threads are bound to the core of their number; the core that is printed is the printer's. */
static void take_head(struct ftq *f, const char *line)
{
	if (scan_literal(&line, "# thread "))
		f->has_thread = scan_u32(&line, &f->thread);
	else if (scan_literal(&line, title_netgauge))
		f->without_times = true;
}

static void parse(struct tool_parse *p, const char *line)
{
	struct ftq *f = p->state;
	const char *at = line;
	struct quantum q;

	if (*line == '#')
		take_head(f, line);
	if (f->without_times || !scan_u64(&(const char *){ line }, &q.work))
		return;
	if (!scan_u64(&at, &q.start_ns) || !scan_u64(&at, &q.work) || !scan_end(at) ||
	    (f->count && q.start_ns <= f->at[f->count - 1].start_ns)) {
		tool_wrong(p, line, "ns, which rise, and work");
	} else if (f->count < QUANTA_MAX) {
		*MEMORY_ADD(f->at, f->count) = q;
		p->tool->rows++;
	} else {
		p->tool->notes |= TOOL_CUT;
	}
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
	struct tool_core *core = tool_core(p, f->has_thread ? f->thread : TOOL_ANY_CPU);
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
	.find = find,
	.state_bytes = sizeof(struct ftq),
	.notes = TOOL_QUANTA | TOOL_UNPINNED,
	.parse = parse,
	.finish = finish,
};
