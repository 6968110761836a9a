/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules where there is SMM: x86. */
#include "attribution_rules.h"

/*
 * What must never be concluded without proof, whatever the row is. A guest's MPERF
 * and PMU stand still while the host runs something else, so neither shows what
 * the core did; and a core may halt inside SMM.
 */
static const struct attribution_proof proofs[CAUSES] = {
	[CAUSE_SMI] = { SMI, 0 },
	[CAUSE_NMI] = { NMI, 0 },
	[CAUSE_MCE] = { ERROR, 0 },
	[CAUSE_STEAL] = { GUEST | STEAL_CLOCK, 0 },
	[CAUSE_STOPPED] = { CLOCK_KNOWN, GUEST | SMI },
	[CAUSE_STALL] = { CLOCK_KNOWN | IDLE, GUEST | SMI },
	[CAUSE_UNKNOWN] = { 0, 0 },
};

/* What would give evidence of a gap in which nothing was counted. */
#define WANTED_CLOCK   (EVIDENCE(MPERF))
#define WANTED_RETIRED (EVIDENCE(INSTRUCTIONS) | EVIDENCE(CYCLES))

#define ROW(name, ...) { __VA_ARGS__ },
static const struct attribution_row rows[] = {
#include "attribution_smm_rows.h"
};

const struct attribution_rules attribution_smm = {
	.measure = attribution_measure,
	.row = rows,
	.proof = proofs,
	.error = CAUSE_MCE,
	.part = {
		[PART_SMM] = { CAUSE_SMI, "core cycles frozen" },
		[PART_STOPPED] = { CAUSE_STOPPED, "core clock off" },
		[PART_STOLEN] = { CAUSE_STEAL, "stolen" },
	},
};
