/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla osnoise top`, `rtla hwnoise` and `rtla timerlat top`: a table of sums since the start, a
 * row per core. hwnoise runs with interrupts off and lacks the last three columns. The threshold is
 * not printed. timerlat's latencies are those of a timer's interrupt, a kernel thread and, with
 * -u, a user's thread: like cyclictest's, they bound the longest gap from above.
 */
#include "tool_format.h"

#include <string.h>

struct top {
	uint64_t hwnoise, ns; /* true: by its title, its head */
	uint64_t all_max;     /* of all cores, in the table's unit: of a row that they have, or 0 */
};

/* The core, of which there is no row yet. */
static struct tool_core *new_core(struct tool_parse *p, uint64_t cpu)
{
	if (cpu < UINT32_MAX && tool_find(p->tool, (uint32_t)cpu)) {
		tool_wrong(p, p->row, "one row for each core, as a table has that is printed once");
		return NULL;
	}
	return tool_core(p, cpu);
}

/* ---- Noise ---- */

/* CPU, periods, runtime, noise, share, longest noise of a period, longest of all; then counts. */
static void take_noise(struct tool_parse *p, const uint64_t *n)
{
	const struct top *top = p->state;
	uint64_t noise = arith_times(n[3], NS_PER_US), os = !top->hwnoise;
	const uint64_t count[TOOL_CAUSES] = { [TOOL_HARDWARE] = n[7],
					      [TOOL_NMI] = n[8],
					      [TOOL_IRQ] = os ? n[9] : 0,
					      [TOOL_SOFTIRQ] = os ? n[10] : 0,
					      [TOOL_THREAD] = os ? n[11] : 0 };
	struct tool_core *core;

	if ((top->hwnoise != 0) != (n[9] == TOOL_NONE)) {
		tool_wrong(p, p->row,
			   top->hwnoise ? "... HW NMI" : "... HW NMI IRQ SOFTIRQ THREAD");
		return;
	}
	if (n[3] > n[2] || n[5] > n[3] || n[6] > n[5]) {
		tool_wrong(p, p->row,
			   "a runtime not below the noise, and that not below its maxima");
		return;
	}
	if (top->hwnoise)
		p->tool->tool = "rtla hwnoise";
	core = new_core(p, n[0]);
	if (!core)
		return;
	tool_exposure(core, range_exact(arith_times(n[2], NS_PER_US)), TOOL_STATED);
	/* Each period's sum was cut to whole us before it was added. */
	core->sum_ns = range_of(noise, arith_sum(noise, arith_times(n[1], NS_PER_US - 1)));
	core->max_ns = range_cut(n[6], NS_PER_US);
	tool_count_causes(core, count);
	if (top->hwnoise && !count[TOOL_NMI])
		core->cause[TOOL_HARDWARE].ns = core->sum_ns;
}

static void finish_noise(struct tool_parse *p)
{
	tool_threshold(p->tool, range_of(OSNOISE_THRESHOLD_NS, OSNOISE_THRESHOLD_OLD_NS),
		       TOOL_ASSUMED);
}

static const struct tool_row noise_rows[] = {
	{ "Hardware-related Noise", "", NULL, offsetof(struct top, hwnoise) },
	{ "%u #", "%u %u %u %s %u %u %u %u{ %u %u %u}$", take_noise, 0 },
	{ "%u (", "%u%%) events missed", tool_take_note, TOOL_LOST },
	{ .key = NULL },
};

const struct tool_format tool_rtla_top = {
	.name = "rtla osnoise top",
	.opens = { "Operating System Noise$", "Hardware-related Noise$" },
	.command = "osnoise top, hwnoise, osnoise",
	.state_bytes = sizeof(struct top),
	.row = noise_rows,
	.finish = finish_noise,
};

/* ---- Latencies ---- */

/* The longest of three contexts, each of which has `step` numbers from the first on. */
static uint64_t longest_of(const uint64_t *n, size_t step)
{
	uint64_t longest = 0;

	for (size_t i = step - 1; i < 3 * step; i += step)
		longest = n[i] == TOOL_NONE ? longest : arith_max(longest, n[i]);
	return longest;
}

static void take_all(struct tool_parse *p, const uint64_t *n)
{
	((struct top *)p->state)->all_max = longest_of(n + 1, 3);
}

static void take_latency(struct tool_parse *p, const uint64_t *n)
{
	const struct top *top = p->state;
	struct tool_core *core = new_core(p, n[0]);

	if (core)
		tool_latency(core, n[1], longest_of(n + 2, 4), top->ns ? 1 : NS_PER_US);
}

/* The worst row may have been cut, which that of all cores shows. */
static void finish_latency(struct tool_parse *p)
{
	const struct top *top = p->state;
	struct range longest = { 0 }, all = range_cut(top->all_max, top->ns ? 1 : NS_PER_US);

	for (size_t i = 0; i < p->tool->cores; i++)
		longest = range_max(longest, p->tool->core[i].max_ns);
	if (all.low <= longest.low)
		return;
	tool_core(p, TOOL_ANY_CPU)->max_ns = all;
	p->tool->notes |= TOOL_PART_LISTED;
}

static const struct tool_row latency_rows[] = {
	{ "*Timer Latency (ns)", "", NULL, offsetof(struct top, ns) },
	{ "ALL #", "%u*| %m %m %m | %m %m %m{ | %m %m %m}$", take_all, 0 },
	{ "%u #", "%u | %m %m %m %m | %m %m %m %m{ | %m %m %m %m}$", take_latency, 0 },
	{ .key = NULL },
};

const struct tool_format tool_timerlat_top = {
	.name = "rtla timerlat top",
	.opens = { "Timer Latency$" },
	.command = "timerlat top, timerlat",
	.state_bytes = sizeof(struct top),
	.notes = TOOL_WAKEUP,
	.row = latency_rows,
	.finish = finish_latency,
};
