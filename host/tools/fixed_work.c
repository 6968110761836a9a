/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a fixed piece of work took, again and again: netgauge's FWQ in whole us, LLNL's FWQ in
 * ticks of a rate that it does not print, and P-SNAP, which counts by whole us. What exceeds the
 * quickest is noise; how many gaps it was is not known.
 */
#include "tool_format.h"
#include "host/lib/memory.h"

#include <string.h>

#define US_PER_S UINT64_C(1000000)

struct work {
	uint64_t n, sum, min, max;
	uint64_t more;  /* so many more runs may be in the sum, */
	uint64_t least; /* and the longest be as short as that */
};

static void add(struct work *w, uint64_t t, uint64_t count)
{
	w->min = w->n ? arith_min(w->min, t) : t;
	w->least = w->max = arith_max(w->max, t);
	w->sum = arith_sum(w->sum, arith_times(t, count));
	w->n = arith_sum(w->n, count);
}

static uint64_t to_ns(uint64_t ticks, uint64_t hz)
{
	return arith_sum(arith_times(ticks / hz, NS_PER_S), ticks % hz * NS_PER_S / hz);
}

/* Of times in units of 10^9/hz ns, each up to `slop` of them from the quickest's. */
static void fill(struct tool_core *core, const struct work *w, uint64_t hz, uint64_t slop)
{
	uint64_t runs = arith_sum(w->n, w->more), quiet = arith_times(w->n, w->min);
	uint64_t most = arith_less(w->max, w->min), least = arith_less(w->least, w->min);
	uint64_t extra = arith_less(w->sum, arith_times(runs, w->min));
	uint64_t low = arith_max(arith_less(extra, arith_times(runs, slop)),
				 arith_less(least, slop));
	uint64_t high = arith_sum(arith_less(w->sum, quiet), arith_times(runs, slop));

	tool_exposure(core, range_exact(to_ns(w->sum, hz)), TOOL_STATED);
	core->sum_ns = range_of(to_ns(low, hz), to_ns(high, hz));
	core->max_ns = range_of(0, to_ns(arith_sum(most, slop), hz));
	core->events = most || slop ? range_of(least > slop, RANGE_OPEN) : range_exact(0);
}

/* ---- FWQ ---- */

/* Number and time; of LLNL's the time alone. */
static void take_fwq(struct tool_parse *p, const uint64_t *n)
{
	bool ticks = p->tool->stated.hz.known;

	if (ticks != (n[1] == TOOL_NONE))
		tool_wrong(p, p->row, ticks ? "ticks" : "number, us");
	else
		add(p->state, n[!ticks], 1);
}

static const struct tool_row fwq_rows[] = {
	{ "%u", "{ %u}$", take_fwq, 0 },
	{ .key = NULL },
};

/* The one that is stated before it, else that of the file's name: its lines have none. */
static uint32_t cpu_of_fwq(const struct tool *tool)
{
	const struct cpulist *stated = &tool->stated.cpus;

	return tool->stated.has_cpus && cpulist_count(stated) == 1 ? cpulist_last(stated)
								   : tool_cpu_of_file(tool->file);
}

static void finish_fwq(struct tool_parse *p)
{
	const struct work *work = p->state;
	bool ticks = p->tool->stated.hz.known;
	struct tool_core *core = work->n ? tool_core(p, cpu_of_fwq(p->tool)) : NULL;

	if (!core)
		return;
	fill(core, work, ticks ? p->tool->stated.hz.value : US_PER_S, !ticks);
	tool_threshold(p->tool, range_of(0, ticks ? 0 : 2 * NS_PER_US), TOOL_ASSUMED);
}

const struct tool_format tool_fwq = {
	.name = "FWQ",
	.opens = { "# Fixed Work Quantum Benchmark" },
	.ticks = true,
	.state_bytes = sizeof(struct work),
	.notes = TOOL_QUANTA,
	.row = fwq_rows,
	.finish = finish_fwq,
};

/* ---- P-SNAP ---- */

/* Of a rank; its sum is printed with 32 bits, and before its counts. */
struct rank {
	struct work work;
	struct maybe sum;
};

struct psnap {
	char host[256]; /* the first */
	bool others;
};

/* Ranks of other nodes are other machines. */
static bool is_host(struct psnap *s, const char *at)
{
	at += strspn(at, " ");
	if (!s->host[0])
		memcpy(s->host, at, arith_min(strcspn(at, " "), sizeof(s->host) - 1));
	if (strncmp(at, s->host, strlen(s->host)) == 0 && scan_end(at + strlen(s->host)))
		return true;
	s->others = true;
	return false;
}

static struct rank *rank_of(struct tool_parse *p, uint64_t number)
{
	struct tool_core *core = tool_core(p, number);

	if (core && !core->more)
		core->more = memory_new(1, sizeof(struct rank));
	return core ? core->more : NULL;
}

/* "# 0 1.000000 100003417 node1": rank, correlation, sum, which is printed as a signed number. */
static void take_sum(struct tool_parse *p, const char *line)
{
	struct rank *rank;
	uint64_t n[2], sum;
	bool negative;

	if (!tool_scan(&line, "#%u{-}%6", n))
		return;
	negative = scan_literal(&line, "-");
	if (!scan_u64(&line, &sum))
		return;
	rank = is_host(p->state, line) ? rank_of(p, n[0]) : NULL;
	if (rank)
		rank->sum = (struct maybe){ (negative ? 0 - sum : sum) & UINT32_MAX, true };
}

/* "0 1000 90123 node1": rank, us, how often */
static void parse_psnap(struct tool_parse *p, const char *line)
{
	const char *at = line;
	struct rank *rank;
	uint64_t n[3];

	if (*line == '#')
		take_sum(p, line);
	if (!tool_scan(&(const char *){ line }, "%u", n))
		return;
	if (!tool_scan(&at, "%u %u %u", n) || scan_end(at)) {
		tool_wrong(p, line, "rank, us, count, node");
		return;
	}
	rank = is_host(p->state, at) ? rank_of(p, n[0]) : NULL;
	if (rank && n[2]) {
		add(&rank->work, n[1], n[2]);
		p->tool->rows++;
	}
}

/* The largest divisor of `number` that is at most `most`. */
static uint64_t divisor_below(uint64_t number, uint64_t most)
{
	uint64_t largest = 1;

	for (uint64_t d = 1; d * d <= number; d++) {
		if (number % d)
			continue;
		if (number / d <= most)
			return number / d;
		if (d <= most)
			largest = d;
	}
	return largest;
}

/*
 * 1.0 leaves out all runs that took as long as the longest of all ranks: only the sum has them. It
 * may be one, or several of the same length, which is more than any that is printed.
 */
static void add_longest(struct rank *rank)
{
	uint64_t left = (rank->sum.value - rank->work.sum) & UINT32_MAX, times;

	if (!rank->sum.known || left <= rank->work.max || left >= UINT32_MAX / 2)
		return;
	times = divisor_below(left, left / (rank->work.max + 1));
	add(&rank->work, left, 1);
	rank->work.more = times - 1;
	rank->work.least = left / times;
}

static void finish_psnap(struct tool_parse *p)
{
	const struct psnap *s = p->state;

	if (s->others)
		tool_report(p, "P-SNAP: ranks of other nodes than %s are left out", s->host);
	for (size_t i = 0; i < p->tool->cores; i++) {
		struct tool_core *core = &p->tool->core[i];
		struct rank *rank = core->more;

		if (!rank || !rank->work.n)
			continue;
		add_longest(rank);
		fill(core, &rank->work, US_PER_S, 2);
	}
	tool_threshold(p->tool, range_of(0, 4 * NS_PER_US), TOOL_ASSUMED);
}

const struct tool_format tool_psnap = {
	.name = "P-SNAP",
	.opens = { "# P-SNAP: PAL System Noise Activity Program" },
	.state_bytes = sizeof(struct psnap),
	.notes = TOOL_QUANTA | TOOL_UNPINNED,
	.parse = parse_psnap,
	.finish = finish_psnap,
};
