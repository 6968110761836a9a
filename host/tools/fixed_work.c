/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a fixed piece of work took, again and again: netgauge's FWQ in whole us, and LLNL's in
 * ticks of a rate that it does not print. What exceeds the quickest is noise; how many gaps it was
 * is not known.
 */
#include "tool_format.h"

#define US_PER_S UINT64_C(1000000)

struct work {
	uint64_t n, sum, min, max;
};

static uint64_t to_ns(uint64_t ticks, uint64_t hz)
{
	return arith_sum(arith_times(ticks / hz, NS_PER_S), ticks % hz * NS_PER_S / hz);
}

/* Of times in units of 10^9/hz ns, each up to `slop` of them from the quickest's. */
static void fill(struct tool_core *core, const struct work *w, uint64_t hz, uint64_t slop)
{
	uint64_t most = arith_less(w->max, w->min), rounded = arith_times(w->n, slop);
	uint64_t extra = arith_less(w->sum, arith_times(w->n, w->min));
	uint64_t low = arith_max(arith_less(extra, rounded), arith_less(most, slop));

	tool_exposure(core, range_exact(to_ns(w->sum, hz)), TOOL_STATED);
	core->sum_ns = range_of(to_ns(low, hz), to_ns(arith_sum(extra, rounded), hz));
	core->max_ns = range_of(0, to_ns(arith_sum(most, slop), hz));
	core->events = most || slop ? range_of(most > slop, RANGE_OPEN) : range_exact(0);
}

/* Number and time; of LLNL's the time alone. */
static void take_fwq(struct tool_parse *p, const uint64_t *n)
{
	bool ticks = p->tool->stated.hz.known;
	uint64_t time = n[!ticks];
	struct work *w = p->state;

	if (ticks != (n[1] == TOOL_NONE)) {
		tool_wrong(p, p->row, ticks ? "ticks" : "number, us");
		return;
	}
	w->min = w->n++ ? arith_min(w->min, time) : time;
	w->max = arith_max(w->max, time);
	w->sum = arith_sum(w->sum, time);
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
