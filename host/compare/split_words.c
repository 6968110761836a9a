/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences about a comparison. */
#include "split_words.h"

#include "split.h"

#include "core/lib/arith.h"
#include "core/lib/units.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_OF_US 3

uint64_t split_share(uint64_t part, uint64_t whole)
{
	if (!whole)
		return 0;
	return (uint64_t)((double)arith_min(part, whole) / (double)whole * 10000 + 0.5);
}

static void add_us(struct text *t, uint64_t ns)
{
	if (ns == RANGE_OPEN)
		text_add(t, "no bound");
	else
		text_fixed(t, ns, NS_OF_US, 0);
}

static void add_range(struct text *t, const struct range *ns)
{
	text_add(t, "between ");
	add_us(t, ns->low);
	text_add(t, " and ");
	add_us(t, ns->high);
	text_add(t, " us");
}

/* More than the uncertainty of figures in whole microseconds. */
static bool is_loose(const struct range *ns)
{
	return ns->high - ns->low > ns->low / 100;
}

static void add_share_bounds(struct text *t, const struct split_row *r)
{
	text_add(t, ", ");
	text_fixed(t, split_share(r->bounds_ns.low, r->noise_ns.high), 2, 0);
	text_add(t, " to ");
	text_fixed(t, split_share(r->bounds_ns.high, r->noise_ns.low), 2, 0);
	text_add(t, " %%");
}

/* If the noise is known only within wide bounds, a single number for the share would mislead. */
static void share_of_loose(struct text *t, const struct split_row *r)
{
	text_add(t, "floor: at 95 %% ");
	add_range(t, &r->bounds_ns);
	text_add(t, " of a noise ");
	add_range(t, &r->noise_ns);
	add_share_bounds(t, r);
}

/* The floor is 12.30 % of the noise (95 %: 9.10 to 15.20 %) ... */
void split_words_share(struct text *t, const struct split_row *r)
{
	if (is_loose(&r->noise_ns)) {
		share_of_loose(t, r);
		return;
	}
	text_add(t, "floor: ");
	add_us(t, r->floor_ns);
	text_add(t, " of ");
	add_us(t, r->noise_ns.low);
	text_add(t, " us, ");
	text_fixed(t, split_share(r->floor_ns, r->noise_ns.low), 2, 0);
	text_add(t, " %%; at 95 %% ");
	add_range(t, &r->bounds_ns);
	add_share_bounds(t, r);
}

void split_words_added(struct text *t, const struct split_row *r)
{
	if (!r->noise_ns.low && !r->noise_ns.high) {
		text_add(t, "no noise was seen: the OS added none");
		return;
	}
	text_add(t, "added by the OS: ");
	add_range(t, &r->added_ns);
}

void split_words_flags(const struct split_result *s, split_words_report *report, void *ctx)
{
	for (unsigned i = 0; i < SPLIT_FLAGS; i++) {
		enum split_flag flag = (enum split_flag)i;

		if (s->flags >> i & 1)
			report(ctx, s->refused && split_flag_refuses(flag), split_flag_name(flag),
			       split_flag_text(flag));
	}
	for (unsigned n = 0; n < TOOL_NOTES; n++) {
		if (s->tool->notes >> n & 1)
			report(ctx, false, tool_note_name(n), tool_note_text(n));
	}
}

void split_words_name(char name[SPLIT_NAME_MAX], const struct split_result *s,
		      const struct split_row *r)
{
	if (r == &s->all)
		snprintf(name, SPLIT_NAME_MAX, "all");
	else if (r->cpu == TOOL_ANY_CPU)
		snprintf(name, SPLIT_NAME_MAX, "any cpu");
	else
		snprintf(name, SPLIT_NAME_MAX, "cpu %" PRIu32, r->cpu);
}

static void add_threshold(struct text *t, const struct tool *tool)
{
	text_add(t, ", threshold ");
	if (!tool->threshold_ns.known) {
		text_add(t, "n/a");
		return;
	}
	units_print_ns(t, tool->threshold_ns.low);
	if (tool->threshold_ns.high != tool->threshold_ns.low) {
		text_add(t, " to ");
		units_print_ns(t, tool->threshold_ns.high);
	}
	text_add(t, " (%s)", tool_origin_name(tool->threshold_from));
}

void split_words_tool(struct text *t, const struct split_result *s)
{
	const struct tool *tool = s->tool;

	text_add(t, "%s", tool->file);
	if (tool->line > 1)
		text_add(t, ":%llu", (unsigned long long)tool->line);
	text_add(t, ": %s%s%s", tool->tool, tool->version[0] ? " " : "", tool->version);
	if (!(tool->notes & TOOL_WAKEUP))
		add_threshold(t, tool);
	if (s->rows && s->row[0].exposure_ns.known)
		text_add(t, ", exposure %s", tool_origin_name(s->row[0].exposure_from));
}

void split_words_floor(struct text *t, const struct floor *floor)
{
	text_add(t, "%s: run %016llx, stage %s, threshold ", floor->file,
		 (unsigned long long)floor->run->sid, floor->stage_name);
	units_print_ns(t, floor->threshold_ns);
	text_add(t, ", %zu core%s", floor->stage->cpus, floor->stage->cpus == 1 ? "" : "s");
}

/* ---- Flags ---- */

static const struct {
	const char *name, *text;
} flags[SPLIT_FLAGS] = {
	[SPLIT_NO_COMMON_CORE] = { "no-common-core",
				   "the floor was measured on none of these cores" },
	[SPLIT_OTHER_MACHINE] = { "other-machine",
				  "floor and OS were measured on different machines" },
	[SPLIT_FLOOR_CUT] = { "floor-cut", "the floor's run has no end record: it was cut short" },
	[SPLIT_FLOOR_DAMAGED] = { "floor-damaged", "records of the floor's run are missing" },
	[SPLIT_FLOOR_CLOCK] = { "floor-clock",
				"the floor's clock was wrong for a time: hidden pauses are missing "
				"from its gaps, or a TSC that ran ahead made them too long" },
	[SPLIT_STAGE] = { "stage",
			  "the floor was not measured in the stage an OS inherits (handoff): noise "
			  "that the firmware still caused there may be absent under the OS" },
	[SPLIT_RUNS] = { "several-runs", "the floor's file has several runs: the last is used" },
	[SPLIT_HYPERVISOR] = { "hypervisor",
			       "the machine is virtual: its floor includes host noise, and varies "
			       "with host load" },
	[SPLIT_THRESHOLD_HIGHER] = { "threshold-higher",
				     "the tool has a higher threshold than the floor: the floor's "
				     "shorter gaps are ignored" },
	[SPLIT_THRESHOLD_LOWER] = { "threshold-lower",
				    "the tool has a lower threshold than the floor: the shorter "
				    "gaps are unexplained, and in the upper bound of the floor" },
	[SPLIT_THRESHOLD_ASSUMED] = { "threshold-assumed",
				      "the tool does not state its threshold: a default is "
				      "assumed, and the bounds cover the others" },
	[SPLIT_EXPOSURE_ASSUMED] = { "exposure-assumed",
				     "the tool does not state how long it watched: its default, or "
				     "the time from first to last event, is assumed" },
	[SPLIT_EXPOSURE_UNKNOWN] = { "exposure-unknown",
				     "how long the tool watched is not known: only the longest "
				     "gaps "
				     "can be compared" },
	[SPLIT_SHORT_FLOOR] = { "short-floor",
				"the floor was measured for less time than the OS: rare events may "
				"be missing" },
	[SPLIT_NOISE_BOUNDS] = { "noise-bounds",
				 "the tool gives only bounds of its total noise: the lower one is "
				 "split, shares cover both" },
	[SPLIT_CAUSES_NOT_STATED] = { "causes-not-stated",
				      "the tool does not state how long its causes took: they are "
				      "part of the unexplained noise" },
	[SPLIT_FLOOR_IN_CAUSES] = { "floor-in-causes",
				    "causes and floor together exceed the noise: part of the floor "
				    "occurred within handlers and is counted as theirs" },
	[SPLIT_FLOOR_ABOVE] = { "floor-above-noise",
				"the floor expected in this time exceeds all noise seen: all noise "
				"is attributed to the floor" },
	[SPLIT_OTHER_CONDITIONS] = { "other-conditions",
				     "the noise is significantly less than the floor alone: floor "
				     "and OS were not measured under the same conditions" },
	[SPLIT_FLOOR_LONGER] = { "floor-longer",
				 "the floor has longer gaps than the OS saw: they are excluded "
				 "from the split" },
	[SPLIT_CORES_APART] = { "cores-apart",
				"cores that only one side measured are left out of the total" },
};

const char *split_flag_name(enum split_flag flag)
{
	return flags[flag].name;
}

const char *split_flag_text(enum split_flag flag)
{
	return flags[flag].text;
}

bool split_flag_refuses(enum split_flag flag)
{
	return flag == SPLIT_NO_COMMON_CORE || flag == SPLIT_OTHER_MACHINE;
}
