/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla osnoise top`, `rtla hwnoise` and `rtla timerlat top`: a table of sums since the start, a
 * row per core. hwnoise runs with interrupts off and lacks the last three columns. The threshold is
 * not printed. timerlat's latencies are those of a timer's interrupt, a kernel thread and, with
 * -u, a user's thread: like cyclictest's, they bound the longest gap from above.
 */
#include "tool_format.h"

/* ---- Noise ---- */

static void take_noise(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	bool hwnoise = v->hwnoise != TOOL_NONE;
	uint64_t noise = arith_times(v->noise, NS_PER_US), count[TOOL_CAUSES];
	struct tool_core *core;

	tool_causes(v, count);
	if (hwnoise != (v->irq == TOOL_NONE) || v->noise > v->runtime || v->max_noise > v->noise ||
	    v->max > v->max_noise)
		tool_wrong(p, p->row);
	if (hwnoise)
		p->tool->tool = "rtla hwnoise";
	core = tool_new_core(p, v->cpu);
	tool_exposure(core, range_exact(arith_times(v->runtime, NS_PER_US)), TOOL_STATED);
	/* Each period's sum was cut to whole us before it was added. */
	core->sum_ns = range_of(noise, arith_sum(noise, arith_times(v->periods, NS_PER_US - 1)));
	core->max_ns = range_cut(v->max, NS_PER_US);
	tool_count_causes(core, count);
}

static void finish_noise(struct tool_parse *p)
{
	tool_threshold(p->tool, range_of(OSNOISE_THRESHOLD_NS, OSNOISE_THRESHOLD_OLD_NS),
		       TOOL_ASSUMED);
}

static const struct tool_row noise_rows[] = {
	{ "Hardware-related Noise", "%!(hwnoise)", NULL, 0 },
	{ "%u(cpu) #",
	  "%u(periods) %u(runtime) %u(noise) %u.%u %u(max_noise) %u(max) %u %u(nmi)"
	  "{ %u(irq) %u(softirq) %u(task)}$",
	  take_noise, 0 },
	{ "%u (", "%u%%) events missed", tool_take_note, TOOL_LOST },
	{ .key = NULL },
};

const struct tool_format tool_rtla_top = {
	.name = "rtla osnoise top",
	.opens = { "Operating System Noise$", "Hardware-related Noise$" },
	.command = "osnoise top, hwnoise, osnoise",
	.row = noise_rows,
	.finish = finish_noise,
};

/* ---- Latencies ---- */

/* The longest of three contexts, in the table's unit. */
static struct range longest_of(const struct tool_values *v)
{
	uint64_t longest = arith_max(tool_or(v->irq, 0), tool_or(v->task, 0));

	return range_cut(arith_max(longest, tool_or(v->user, 0)),
			 v->in_ns == TOOL_NONE ? NS_PER_US : 1);
}

/* The worst row may have been cut, which that of all cores shows. */
static void take_all(struct tool_parse *p)
{
	struct range longest = { 0 }, all = longest_of(&p->v);

	for (size_t i = 0; i < p->tool->cores; i++)
		longest = range_max(longest, p->tool->core[i].max_ns);
	if (all.low <= longest.low)
		return;
	tool_core(p, TOOL_NONE)->max_ns = all;
	p->tool->notes |= TOOL_PART_LISTED;
}

static void take_latency(struct tool_parse *p)
{
	struct tool_core *core = tool_new_core(p, p->v.cpu);

	core->events = range_exact(p->v.count);
	core->max_ns = longest_of(&p->v);
}

static const struct tool_row latency_rows[] = {
	{ "*Timer Latency (ns)", "%!(in_ns)", NULL, 0 },
	{ "ALL #", "%u*| %m %m %m(irq) | %m %m %m(task){ | %m %m %m(user)}$", take_all, 0 },
	{ "%u(cpu) #", "%u(count) | %m %m %m %m(irq) | %m %m %m %m(task){ | %m %m %m %m(user)}$",
	  take_latency, 0 },
	{ .key = NULL },
};

const struct tool_format tool_timerlat_top = {
	.name = "rtla timerlat top",
	.opens = { "Timer Latency$" },
	.command = "timerlat top, timerlat",
	.notes = TOOL_WAKEUP,
	.row = latency_rows,
};
