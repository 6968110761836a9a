/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules where there are exception levels: Arm's. Cycles are counted by level (Arm ARM, DDI 0487,
 * PMCCFILTR_EL0 and PMEVTYPER<n>_EL0: P, NSH, M), in counters that are held against each other:
 *
 *   up to 2 - own     level 2, a hypervisor's
 *   all - up to 2     level 3, where the counter of all is not stopped there
 *   clock - all       no cycles anywhere, or where no counter goes
 *
 * The last is level 3 only if nobody below could have hidden cycles or taken the core away: where
 * the probe is at level 2 itself.
 */
#include "attribution_levels.h"

#define IPC_TOLERANCE 256 /* error of the loop's rate of instructions, as a share */
#define RATE_BITS     30
#define SPAN_MAX      (UINT64_C(1) << 32) /* ticks; products have room below */

/* The loop stalls as well, at its ISB: only the excess is the gap's. */
static void measure_stalls(const struct evidence *e, uint64_t outside, struct evidence_shares *m)
{
	uint64_t loop = (outside * e->context->loop_stalls) >> 16, doubt = outside / IPC_TOLERANCE;
	uint64_t all = e->step[EVIDENCE_STALLS], stalls = all > loop ? all - loop : 0;

	if (!evidence_has(e, EVIDENCE_STALLS))
		return;
	m->excess |= all > e->span + e->slack + doubt;
	m->facts |= evidence_is_most(stalls + doubt + e->slack, e->gap) ? 0u : NOT_STALLED;
	m->facts |= stalls > doubt && evidence_is_most(stalls - doubt, e->gap) ? STALLED : 0u;
}

/*
 * Code at other levels shows in their cycles. At our level there is only the loop, which may be
 * delayed.
 */
static void measure_retired(const struct evidence *e, uint64_t away, struct evidence_shares *m)
{
	uint64_t outside = e->span - arith_min(e->gap, e->span);
	uint64_t loop = (outside * e->context->loop_ipc) >> 16;
	uint64_t retired = e->step[EVIDENCE_INSTRUCTIONS];

	if (!evidence_has(e, EVIDENCE_INSTRUCTIONS) || !e->context->loop_ipc ||
	    e->span >= SPAN_MAX || !m->clock_known)
		return;
	measure_stalls(e, outside, m);
	m->retired = retired > loop ? retired - loop : 0;
	m->idle = evidence_is_little(away, e->gap) &&
		  evidence_is_little(m->retired + loop / IPC_TOLERANCE,
				     (e->gap * e->context->loop_ipc) >> 16);
}

/* Assign the time in which no cycles were counted. */
static void place_dark(const struct evidence *e, uint64_t dark, struct evidence_shares *m)
{
	const struct evidence_context *c = e->context;

	if (c->hypervisor != HYPERVISOR_NONE) {
		m->facts = (evidence_is_most(dark, e->gap) ? DARK_MOST : 0u) |
			   (evidence_is_little(dark, e->gap) ? 0u : DARK_PART);
	} else if (c->level3 && !c->freeze) {
		/* A stopped clock looks the same. */
		m->facts = evidence_is_little(dark, e->gap) ? 0u : DARK_MOST;
		m->frozen += dark;
	} else {
		m->stopped = dark;
	}
}

static void measure_cycles(const struct evidence *e, struct evidence_shares *m)
{
	uint64_t own = e->step[EVIDENCE_CYCLES], low = own, all;
	uint64_t outside = e->span - arith_min(e->gap, e->span), slack = e->slack, dark, away;

	if (!evidence_has(e, EVIDENCE_CYCLES))
		return;
	if (evidence_has(e, EVIDENCE_CYCLES_LOW))
		low = e->step[EVIDENCE_CYCLES_LOW];
	all = evidence_has(e, EVIDENCE_CYCLES_ALL) ? e->step[EVIDENCE_CYCLES_ALL] : low;
	if (!evidence_is_little(slack, e->gap)) {
		m->blurred = true;
		return;
	}
	m->below = evidence_lack(low, own, slack);
	m->frozen = evidence_lack(all, low, slack);
	m->frozen_known = true;
	m->excess = own > low + slack || low > all + slack;
	/* A comparison with the clock depends on the cycles' rate at the time it was learned. */
	slack += ((outside >> 8) * e->context->doubt) >> (RATE_BITS - 8);
	if (evidence_is_little(slack, e->gap)) {
		m->clock_known = true;
		dark = evidence_lack(e->span, all, slack);
		away = m->below + m->frozen + dark;
		place_dark(e, dark, m);
		m->excess |= all > e->span + slack || e->gap > e->span + slack;
		m->facts |= away > e->gap + e->gap / 8 + slack ? OUTSIDE : 0u;
		measure_retired(e, away, m);
	} else {
		m->blurred = true;
	}
}

/*
 * Measure the stolen time, which a hypervisor counts in one step for all that it took since the
 * last reading.
 */
static void measure_stolen(const struct evidence *e, struct evidence_shares *m)
{
	uint64_t stolen = e->step[EVIDENCE_STEAL];

	if (!evidence_has(e, EVIDENCE_STEAL))
		return;
	m->excess |= stolen > e->span + e->slack;
	m->facts |= stolen > e->gap + e->gap / 8 + e->slack ? OUTSIDE : 0u;
	if (evidence_is_little(e->slack, e->gap))
		m->stolen = stolen;
	else
		m->blurred = true;
}

static struct evidence_shares attribution_levels_measure(const struct evidence *e)
{
	struct evidence_shares m = { .idle = false };

	measure_cycles(e, &m);
	measure_stolen(e, &m);
	if (m.excess)
		return (struct evidence_shares){ .excess = true };
	if (m.facts & OUTSIDE)
		return (struct evidence_shares){ .facts = OUTSIDE };
	m.facts |= (evidence_is_most(m.below, e->gap) ? LEVEL2_MOST : 0u) |
		   (evidence_is_little(m.below, e->gap) ? 0u : LEVEL2_PART);
	return m;
}

/*
 * Causes that must never be concluded without proof. A guest's counters stand still while its host
 * runs something else, and a hypervisor may hide its own cycles (MDCR_EL2.HPMD, HPMN): there level
 * 3 is only what was counted in it, and no cycles are no proof of anything.
 */
static const struct attribution_proof proofs[CAUSES] = {
#define COUNTED(id, ...) [CAUSE_##id] = { NEVER, 0 },
#include "core/cause/counted_rows.h"
	[CAUSE_EL3] = { FROZEN_KNOWN, 0 },
	[CAUSE_HYPERVISOR] = { GUEST, 0 },
	[CAUSE_SERROR] = { MCE, 0 },
	[CAUSE_STEAL] = { GUEST | STEAL_CLOCK, 0 },
	[CAUSE_STOPPED] = { CLOCK_KNOWN, GUEST },
	[CAUSE_STALL] = { CLOCK_KNOWN | IDLE, GUEST | NOT_STALLED },
};

#define ROW(name, ...) { __VA_ARGS__ },
static const struct attribution_row rows[] = {
#include "attribution_levels_rows.h"
};

const struct attribution_rules attribution_levels = {
	.measure = attribution_levels_measure,
	.row = rows,
	.proof = proofs,
	.error = CAUSE_SERROR,
	.part = {
		[PART_SMM] = { CAUSE_EL3, "at EL3" },
		[PART_STOPPED] = { CAUSE_STOPPED, "no cycles" },
		[PART_STOLEN] = { CAUSE_STEAL, "stolen" },
		[PART_BELOW] = { CAUSE_HYPERVISOR, "at EL2" },
	},
};
