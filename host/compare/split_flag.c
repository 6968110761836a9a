/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and sentences of what is unsound about a comparison. */
#include "split.h"

static const struct {
	const char *name, *text;
	bool refuses;
} flags[SPLIT_FLAGS] = {
	[SPLIT_NO_COMMON_CORE] = { "no-common-core",
				   "the floor was measured on none of these cores", true },
	[SPLIT_OTHER_MACHINE] = { "other-machine",
				  "floor and OS were measured on different machines", true },
	[SPLIT_FLOOR_CUT] = { "floor-cut", "the floor's run has no end: it was cut short", false },
	[SPLIT_FLOOR_DAMAGED] = { "floor-damaged", "records of the floor's run are missing",
				  false },
	[SPLIT_FLOOR_CLOCK] = { "floor-clock",
				"the floor's clock was wrong for a time: a hidden pause is in none "
				"of its gaps, and a TSC that ran ahead makes them too long",
				false },
	[SPLIT_STAGE] = { "stage",
			  "the floor was not measured in the stage an OS inherits (handoff): what "
			  "the "
			  "firmware still did there may be gone under the OS",
			  false },
	[SPLIT_RUNS] = { "several-runs", "the floor's file has several runs: the last is taken",
			 false },
	[SPLIT_HYPERVISOR] = { "hypervisor",
			       "a hypervisor is underneath: the floor is its too, and changes with "
			       "what else it runs",
			       false },
	[SPLIT_THRESHOLD_HIGHER] = { "threshold-higher",
				     "the tool counts from a longer gap on than the floor does: "
				     "the "
				     "floor's shorter gaps are left out",
				     false },
	[SPLIT_THRESHOLD_LOWER] = { "threshold-lower",
				    "the tool counts shorter gaps than the floor does: those are "
				    "unexplained, and in the upper bound of the floor",
				    false },
	[SPLIT_THRESHOLD_ASSUMED] = { "threshold-assumed",
				      "the tool does not state its threshold: a default is taken, "
				      "and "
				      "the bounds cover the others",
				      false },
	[SPLIT_EXPOSURE_ASSUMED] = { "exposure-assumed",
				     "the tool does not state how long it watched: its default, or "
				     "the time from first to last event, is taken",
				     false },
	[SPLIT_EXPOSURE_UNKNOWN] = { "exposure-unknown",
				     "how long the tool watched is not known: only the longest "
				     "gaps "
				     "can be compared",
				     false },
	[SPLIT_SHORT_FLOOR] = { "short-floor",
				"the floor was watched for less time than the OS: what comes "
				"seldom "
				"may not have come yet",
				false },
	[SPLIT_NOISE_BOUNDS] = { "noise-bounds",
				 "the tool gives the sum of its noise within bounds only: the "
				 "lower is "
				 "split, shares cover both",
				 false },
	[SPLIT_CAUSES_NOT_TOLD] = { "causes-not-told",
				    "the tool does not say how long its causes took: they are part "
				    "of "
				    "what is unexplained",
				    false },
	[SPLIT_FLOOR_IN_CAUSES] = { "floor-in-causes",
				    "causes and floor together are more than the noise: part of "
				    "the "
				    "floor fell into handlers and is charged to these",
				    false },
	[SPLIT_FLOOR_ABOVE] = { "floor-above-noise",
				"as much of the floor as is expected in this time would be more "
				"than "
				"all noise there was: the noise is laid to it whole",
				false },
	[SPLIT_OTHER_CONDITIONS] = { "other-conditions",
				     "chance does not explain how little noise there was: floor "
				     "and OS "
				     "were not measured under the same conditions",
				     false },
	[SPLIT_FLOOR_LONGER] = { "floor-longer",
				 "the floor has longer gaps than the OS saw: these have not come "
				 "there "
				 "yet, and are left out",
				 false },
	[SPLIT_CORES_APART] = { "cores-apart",
				"cores that only one of the two has are left out of the sum",
				false },
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
	return flags[flag].refuses;
}
