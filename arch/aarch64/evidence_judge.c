/* SPDX-License-Identifier: BSD-2-Clause */
/* From what was counted across gaps to their causes. The host tool has it, and counts nothing. */
#include "arch/evidence.h"

#include "core/cause/attribution.h"
#include "core/lib/ticks.h"
#include "counters.h"

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

/* It stands in the sums with what was known at once. */
static void settle(struct cpu *cpu, struct gap *gap, struct attribution *why)
{
	struct cpu_sums *sums = &cpu->window;

	sums->cause_gaps[gap->cause]--;
	sums->cause_ticks[gap->cause] -= gap->ticks;
	evidence_decide(cpu, gap, why);
	gap->cause = why->cause;
	sums->cause_gaps[gap->cause]++;
	attribution_add(why, gap->ticks, sums->cause_ticks);
	if (cpu->worst.start == gap->start)
		cpu->worst.cause = gap->cause;
}

void evidence_settle(struct cpu *cpu, size_t from)
{
	struct gap_ring *ring = &cpu->ring;

	for (size_t i = from; ring->why && i < ring->used; i++)
		if (ring->why[i].rules)
			settle(cpu, &ring->slot[i], &ring->why[i]);
}
