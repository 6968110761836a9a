/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and sentences of the notes on a tool's figures. */
#include "tool.h"

static const struct {
	const char *name, *text;
} notes[TOOL_NOTES] = {
	{ "wakeup-latency",
	  "these are latencies of waking up, not gaps: they bound the longest gap of the floor "
	  "from above where a wake-up fell into it, and do not bound its share" },
	{ "blind-to-floor",
	  "this tool sees only what the kernel itself does: time taken from below is in none of "
	  "its figures, or hidden in a handler's" },
	{ "tainted", "the tool itself reports that the measurement was disturbed" },
	{ "events-lost", "the tool itself reports that events were lost: its sums are too low" },
	{ "nmi-of-any-core",
	  "in this mode hwlat charges NMIs of every core to the one it samples: NMI figures are "
	  "upper bounds" },
	{ "one-core-at-a-time",
	  "one thread moves from core to core: each was watched a fraction of the run" },
	{ "not-pinned", "its threads were not bound to cores: which core was hit is not certain" },
	{ "smi-count-unproved",
	  "\"0 SMIs\" is also what it prints on processors that have no counter of SMIs" },
	{ "version-ambiguous",
	  "the version that decides how figures were rounded is not certain: bounds cover all" },
	{ "version-unknown",
	  "newer than the versions whose format is known: read like the latest" },
	{ "damaged", "lines could not be read and are left out" },
	{ "cut-off", "the output is truncated" },
};

const char *tool_note_name(unsigned n)
{
	return notes[n].name;
}

const char *tool_note_text(unsigned n)
{
	return notes[n].text;
}

const char *tool_cause_name(enum tool_cause cause)
{
	static const char *const names[TOOL_CAUSES] = { "nmi", "irq", "softirq", "thread",
							"hardware" };

	return names[cause];
}

const char *tool_origin_name(enum tool_origin origin)
{
	static const char *const names[] = { "unknown", "assumed", "stated" };

	return names[origin];
}
