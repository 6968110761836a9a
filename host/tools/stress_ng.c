/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the output of stress-ng's stressor cyclic: how late a sleeping thread of a real-time class
 * woke up, in ns. stress-ng keeps only the first latencies, as many as --cyclic-samples (10,000 by
 * default), and prints their maximum. It names no core, and only one instance prints. Its YAML has
 * no latencies. The percentiles end the output; a histogram, and a note with the number of samples
 * that would have been needed to keep all, may follow.
 */
#include "tool_format.h"
#include "tool_frame.h"

struct stress_ng {
	struct maybe samples, max_ns, needed;
	bool whole;
};

/* cyclic: sched SCHED_DEADLINE: 100000 ns delay, 10000 samples */
static bool take_samples(struct stress_ng *s, const char *at)
{
	return scan_past(&at, "ns delay,") && scan_maybe(&at, &s->samples) &&
	       scan_literal(&at, "samples") && scan_end(at);
}

/* cyclic:   min: 2688 ns, max: 5701735 ns, std.dev. 123502.57 */
static bool take_max(struct stress_ng *s, const char *at)
{
	return scan_past(&at, "max:") && scan_maybe(&at, &s->max_ns) &&
	       scan_literal(&at, "ns, std.dev.");
}

/* cyclic:   99.99%:    5701735 ns */
static bool take_last(struct stress_ng *s, const char *at)
{
	uint64_t ns;

	return s->whole = scan_u64(&at, &ns) && scan_literal(&at, "ns") && scan_end(at);
}

/* cyclic: Note: --cyclic-samples needed to be 26220 to capture all the data for this run */
static bool take_needed(struct stress_ng *s, const char *at)
{
	return scan_maybe(&at, &s->needed) && scan_literal(&at, "to capture");
}

static const struct {
	const char *name;
	bool (*take)(struct stress_ng *s, const char *at);
} rows[] = {
	{ "sched", take_samples },
	{ "min:", take_max },
	{ "99.99%:", take_last },
	{ "Note: --cyclic-samples needed to be", take_needed },
};

static void parse(struct tool_parse *p, const char *line)
{
	const char *at = line;

	if (!scan_literal(&at, "cyclic:"))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *row = at;

		if (!scan_literal(&row, rows[i].name))
			continue;
		/* Only the row of the samples is counted, once for each output. */
		if (rows[i].take(p->state, row))
			p->tool->rows += rows[i].take == take_samples;
		else
			tool_wrong(
				p, line,
				"samples, \"max:\", \"99.99%:\" and a number of ns, or of samples "
				"\"to capture all the data\"");
	}
}

static void finish(struct tool_parse *p)
{
	const struct stress_ng *s = p->state;
	struct tool_core *core;

	if (!s->samples.known || !s->max_ns.known || !s->whole) {
		tool_cut(p, "\"99.99%:\"");
		return;
	}
	core = tool_core(p, TOOL_ANY_CPU);
	core->events = range_exact(s->needed.known ? s->needed.value : s->samples.value);
	core->max_ns = range_of(s->max_ns.value, s->needed.known ? RANGE_OPEN : s->max_ns.value);
	if (s->needed.known)
		p->tool->notes |= TOOL_PART_LISTED;
}

const struct tool_format tool_stress_ng = {
	.name = "stress-ng cyclic",
	.opening = "cyclic: sched SCHED_",
	.state_bytes = sizeof(struct stress_ng),
	.notes = TOOL_WAKEUP,
	.parse = parse,
	.finish = finish,
};
