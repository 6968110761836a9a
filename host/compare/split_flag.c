/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and sentences of the flags of a comparison. */
#include "split.h"

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
