/* SPDX-License-Identifier: BSD-2-Clause */
/* From what was counted across gaps to their causes. The host tool has it, and counts nothing. */
#include "arch/evidence.h"
#include "arch/settle.h"

#include "core/cause/attribution.h"
#include "core/lib/ticks.h"
#include "counters/counters.h"

void evidence_decide(struct cpu *cpu, const struct gap *gap, struct attribution *why)
{
	struct counters *c = cpu->counters;
	struct attribution_steps s = why->steps;
	struct evidence e = { .gap = gap->ticks };

	pmu_weigh(&c->pmu, &s, &e);
	if (c->stolen.at) {
		e.have |= EVIDENCE(STEAL);
		e.step[EVIDENCE_STEAL] = ticks_from_ns(s.stolen_ns, c->pmu.hz);
	}
	e.have |= EVIDENCE(MCE);
	e.step[EVIDENCE_MCE] = gap->evidence.mce;
	attribution_decide(&e, why);
}

void evidence_settle(struct cpu *cpu, size_t from)
{
	settle_gaps(cpu, from, evidence_decide);
}
