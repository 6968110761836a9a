/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the output of stress-ng's stressor cyclic: how late a sleeping thread of a real-time class
 * woke up, in ns. stress-ng keeps only the first latencies, as many as --cyclic-samples (10,000 by
 * default), and prints their maximum. It names no core, and only one instance prints. Its YAML has
 * no latencies. The percentiles end the output; a histogram, and a note with the number of samples
 * that would have been needed to keep all, may follow.
 */
#include "tool_format.h"

/* TOOL_NONE: not printed. */
struct stress_ng {
	uint64_t samples, max_ns, last, needed;
};

#define STATE(member) NULL, offsetof(struct stress_ng, member)

static const struct tool_row rows[] = {
	{ "cyclic: sched", "*ns delay, %u samples$", STATE(samples) },
	{ "cyclic: min:", "*max: %u ns, std.dev.", STATE(max_ns) },
	{ "cyclic: 99.99%%:", "%u ns$", STATE(last) },
	{ "cyclic: Note: --cyclic-samples needed to be", "%u to capture", STATE(needed) },
	{ .key = NULL },
};

static void start(struct tool_parse *p)
{
	*(struct stress_ng *)p->state = (struct stress_ng){ TOOL_NONE, TOOL_NONE, TOOL_NONE,
							    TOOL_NONE };
}

static void finish(struct tool_parse *p)
{
	const struct stress_ng *s = p->state;
	bool all = s->needed == TOOL_NONE;
	struct tool_core *core;

	if (s->samples == TOOL_NONE || s->max_ns == TOOL_NONE || s->last == TOOL_NONE) {
		tool_cut(p, "\"99.99%:\"");
		return;
	}
	core = tool_core(p, TOOL_ANY_CPU);
	core->events = range_exact(all ? s->samples : s->needed);
	core->max_ns = range_of(s->max_ns, all ? s->max_ns : RANGE_OPEN);
	if (!all)
		p->tool->notes |= TOOL_PART_LISTED;
}

const struct tool_format tool_stress_ng = {
	.name = "stress-ng cyclic",
	.opens = { "cyclic: sched SCHED_" },
	.state_bytes = sizeof(struct stress_ng),
	.notes = TOOL_WAKEUP,
	.start = start,
	.row = rows,
	.finish = finish,
};
