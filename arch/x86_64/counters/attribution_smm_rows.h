/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decision table where there is SMM. Included with ROW defined: ROW(name, all, none, cause,
 * wants, text); the names are for tests. No include guard: it is included several times.
 */
#ifdef ROW

/* clang-format off */
/* The clock itself. */
ROW("smi wrote clock", SMI | WRITTEN, 0, CAUSE_SMI, 0,
	  "SMI: counter +{smi}, and the clock was written ({tsc} ticks): length not to be "
	  "trusted")
ROW("clock written", WRITTEN, 0, CAUSE_UNKNOWN, EVIDENCE(SMI),
	  "unknown: the clock was written ({tsc} ticks), so the length is not valid")

/* Evidence against evidence. */
ROW("frozen without smi", NO_SMI | FROZEN_SOME, 0, CAUSE_UNKNOWN, 0,
	  "unknown: counters that only SMM freezes stood still, but the SMI counter shows none")
ROW("smi without freeze", SMI | FROZEN_NONE, 0, CAUSE_UNKNOWN, 0,
	  "unknown: SMI counter +{smi}, but counters that SMM freezes ran all through the gap")
ROW("contradiction", EXCESS, SMI | NMI | ERROR, CAUSE_UNKNOWN, 0,
	  "unknown: counters and clock contradict each other")

/* Several causes, each counted. What SMM took may be measured, the rest is shared. */
ROW("smi, mce and nmi, smm measured", SMI | MCE | NMI | FROZEN_KNOWN, 0, CAUSE_MCE, 0,
	  "SMI: counter +{smi}, then machine check +{mce} and NMI +{nmi}, not separable")
ROW("smi, mce and nmi", SMI | MCE | NMI, 0, CAUSE_SMI, 0,
	  "SMI +{smi}, machine check +{mce} and NMI +{nmi} in one gap, not separable")
ROW("smi and mce, smm measured", SMI | MCE | FROZEN_KNOWN, 0, CAUSE_MCE, 0,
	  "SMI: counter +{smi}, machine check +{mce} for the rest")
ROW("smi and mce", SMI | MCE, 0, CAUSE_SMI, 0,
	  "SMI +{smi} and machine check +{mce} in one gap, not separable")
ROW("smi and nmi, smm measured", SMI | NMI | FROZEN_KNOWN, 0, CAUSE_NMI, 0,
	  "SMI: counter +{smi}, NMI +{nmi} for the rest")
ROW("smi and nmi", SMI | NMI, 0, CAUSE_SMI, 0,
	  "SMI +{smi} and NMI +{nmi} in one gap, not separable")
ROW("mce and nmi", MCE | NMI, 0, CAUSE_MCE, 0,
	  "machine check +{mce} and NMI +{nmi} in one gap, not separable")

/* One cause, counted. */
ROW("smi, in part", SMI | FROZEN_KNOWN, FROZEN_MOST, CAUSE_UNKNOWN, 0,
	  "SMI: counter +{smi}, for a part of the gap")
#define COUNTED(id, name, from, kind, weight, plural, help, evidence, sentence) \
	ROW(#name, id, 0, CAUSE_##id, 0, sentence)
#include "core/cause/counted_rows.h"

/* Nothing counted, on the bare machine or in a guest: the time is measured. */
ROW("stopped", STOPPED_MOST, 0, CAUSE_STOPPED, 0, "stopped: no interrupt was counted")
ROW("stolen", STOLEN_MOST, 0, CAUSE_STEAL, 0, "steal: {hypervisor} ran something else")
ROW("stall", IDLE, FROZEN_SOME | STOPPED_PART, CAUSE_STALL, 0,
	  "stall: the core's clock ran, {retired} instructions retired")
ROW("stopped and stalled", IDLE | STOPPED_PART, FROZEN_SOME, CAUSE_STALL, 0,
	  "stopped and stalled: {retired} instructions retired")

/* Cause unknown. */
ROW("stolen in part", GUEST | STOLEN_PART, 0, CAUSE_UNKNOWN, 0,
	  "stolen in part: {hypervisor} ran something else, the rest is unknown")
ROW("guest, not stolen", GUEST | STEAL_CLOCK, 0, CAUSE_UNKNOWN, 0,
	  "unknown: {hypervisor} is underneath, and its steal clock shows little")
ROW("guest", GUEST, 0, CAUSE_UNKNOWN, EVIDENCE(STEAL),
	  "unknown: {hypervisor} is underneath")
ROW("stopped in part", STOPPED_PART, 0, CAUSE_UNKNOWN, WANTED_RETIRED,
	  "stopped in part, the rest is unknown")
ROW("code ran", BUSY, 0, CAUSE_UNKNOWN, EVIDENCE(SMI),
	  "unknown: {retired} instructions retired, of code that no counter names")
ROW("clock ran", CLOCK_KNOWN, 0, CAUSE_UNKNOWN, EVIDENCE(SMI) | WANTED_RETIRED,
	  "unknown: the core's clock kept running")
ROW("blurred", BLURRED, 0, CAUSE_UNKNOWN, 0,
	  "unknown: the counters were read too unsteadily for such a short gap")
ROW("no smi, no nmi", NO_SMI, 0, CAUSE_UNKNOWN, EVIDENCE(NMI) | WANTED_CLOCK | WANTED_RETIRED,
	  "unknown: neither SMI nor NMI was counted")
ROW("nothing known", 0, 0, CAUSE_UNKNOWN,
	  EVIDENCE(SMI) | EVIDENCE(NMI) | WANTED_CLOCK | WANTED_RETIRED,
	  "unknown: nothing was counted")
/* clang-format on */

#undef ROW

#endif
