/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the output of stress-ng's stressor cyclic: how late a sleeping thread of a real-time class
 * woke up, in ns. stress-ng keeps only the first latencies, as many as --cyclic-samples (10,000 by
 * default), and prints their maximum. It names no core, and only one instance prints. Its YAML has
 * no latencies. The percentiles end the output; a histogram, and a note with the number of samples
 * that would have been needed to keep all, may follow.
 */
#include "tool_format.h"

static const struct tool_row rows[] = {
	{ "cyclic: sched", "*ns delay, %u(count) samples$", NULL, 0 },
	{ "cyclic: min:", "*max: %u(max) ns, std.dev.", NULL, 0 },
	{ "cyclic: 99.99%%:", "%u(last) ns$", NULL, 0 },
	{ "cyclic: Note: --cyclic-samples needed to be", "%u(recorded) to capture", NULL, 0 },
	{ .key = NULL },
};

static void stress_ng_finish(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	bool all = v->recorded == TOOL_NONE;
	struct tool_core *core;

	if (v->count == TOOL_NONE || v->max == TOOL_NONE || v->last == TOOL_NONE) {
		tool_cut(p, "\"99.99%:\"");
		return;
	}
	core = tool_core(p, TOOL_NONE);
	core->events = range_exact(all ? v->count : v->recorded);
	core->max_ns = range_of(v->max, all ? v->max : RANGE_OPEN);
	if (!all)
		p->tool->notes |= TOOL_PART_LISTED;
}

const struct tool_format tool_stress_ng = {
	.name = "stress-ng cyclic",
	.opens = { "cyclic: sched SCHED_" },
	.body = { "cyclic: min:", "cyclic: 99.99%%:" },
	.notes = TOOL_WAKEUP,
	.row = rows,
	.finish = stress_ng_finish,
};
