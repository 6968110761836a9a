/* SPDX-License-Identifier: BSD-2-Clause */
/* The decision table where there are exception levels; as attribution_smm_rows.h. */
#ifdef ROW

/* clang-format off */
ROW("contradiction", EXCESS, ERROR, CAUSE_UNKNOWN, 0,
	  "unknown: counters and clock contradict each other")
ROW("outside", OUTSIDE, ERROR, CAUSE_UNKNOWN, 0,
	  "unknown: what took less than the threshold since the gap before hides what took it")
ROW("serror", MCE, 0, CAUSE_SERROR, 0, "SError: exceptions +{mce}")

/* Causes shown by cycles, or by a hypervisor. */
ROW("level 3 or stopped", FROZEN_MOST | DARK_MOST, 0, CAUSE_EL3, 0,
	  "EL3 or stopped: no cycles at any level that is counted")
ROW("level 3", FROZEN_MOST, 0, CAUSE_EL3, 0, "EL3: no cycles at the levels below it")
ROW("stolen", STOLEN_MOST, 0, CAUSE_STEAL, 0, "steal: {hypervisor} ran something else")
ROW("level 2", LEVEL2_MOST, 0, CAUSE_HYPERVISOR, 0, "hypervisor: the core's cycles were at EL2")
ROW("stopped", STOPPED_MOST, 0, CAUSE_STOPPED, 0, "stopped: no cycles at any level")
ROW("stall counted", IDLE | STALLED, FROZEN_SOME | STOPPED_PART | LEVEL2_PART | DARK_PART,
	  CAUSE_STALL, 0, "stall: nothing was issued at the probe's level, {retired} instructions "
	  "retired")
ROW("stall", IDLE, FROZEN_SOME | STOPPED_PART | LEVEL2_PART | DARK_PART, CAUSE_STALL, 0,
	  "stall: cycles ran at the probe's level, {retired} instructions retired")

/* Cause unknown. */
ROW("no cycles below level 3", DARK_MOST, 0, CAUSE_UNKNOWN, EVIDENCE(STEAL),
	  "unknown: no cycles were counted; {hypervisor} or EL3 took them, or they stopped")
ROW("level 3 in part", FROZEN_SOME, 0, CAUSE_UNKNOWN, 0, "EL3 in part, the rest is unknown")
ROW("level 2 in part", LEVEL2_PART, 0, CAUSE_UNKNOWN, 0,
	  "hypervisor in part, the rest is unknown")
ROW("stolen in part", STOLEN_PART, 0, CAUSE_UNKNOWN, 0,
	  "stolen in part: {hypervisor} ran something else, the rest is unknown")
ROW("stopped in part", STOPPED_PART, 0, CAUSE_UNKNOWN, 0, "stopped in part, the rest is unknown")
ROW("no cycles in part", DARK_PART, 0, CAUSE_UNKNOWN, EVIDENCE(STEAL),
	  "unknown: in a part no cycles were counted; {hypervisor} or EL3 took them, or they "
	  "stopped")
ROW("no stall", IDLE | NOT_STALLED, 0, CAUSE_UNKNOWN, 0,
	  "unknown: cycles ran at the probe's level and were no stalls, {retired} instructions "
	  "retired")
ROW("cycles ran", CLOCK_KNOWN, 0, CAUSE_UNKNOWN, EVIDENCE(INSTRUCTIONS),
	  "unknown: cycles ran on at the probe's level")
ROW("blurred", BLURRED, 0, CAUSE_UNKNOWN, 0,
	  "unknown: the counters were read too unsteadily for such a short gap")
ROW("nothing known", 0, 0, CAUSE_UNKNOWN, EVIDENCE(CYCLES) | EVIDENCE(INSTRUCTIONS),
	  "unknown: nothing was counted")
/* clang-format on */

#undef ROW

#endif
