/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From evidence to causes, in three steps: how much of the gap counters account
 * for, which plain facts follow, and the first row of the table that fits them.
 */
#include "attribution.h"

#include "attribution_measure.h"

#include <stddef.h>

/* Plain facts, which the table's conditions are made of. */
enum fact {
	SMI = 1 << 0,    /* counted in the gap */
	NO_SMI = 1 << 1, /* the counter is believed, and stands still */
	NMI = 1 << 2,
	MCE = 1 << 3,    /* exception */
	LOGGED = 1 << 4, /* a machine-check bank holds a new error */
	GUEST = 1 << 5,  /* a hypervisor is underneath */
	STEAL_CLOCK = 1 << 6,
	STOLEN_MOST = 1 << 7,
	STOLEN_PART = 1 << 8,
	FROZEN_KNOWN = 1 << 9, /* how long counters that SMM freezes stood still */
	FROZEN_MOST = 1 << 10,
	FROZEN_SOME = 1 << 11,
	FROZEN_NONE = 1 << 12,
	CLOCK_KNOWN = 1 << 13, /* how long the core's clock stood still */
	STOPPED_MOST = 1 << 14,
	STOPPED_PART = 1 << 15,
	IDLE = 1 << 16, /* nothing was retired */
	BUSY = 1 << 17, /* code ran that is not the loop's */
	THROTTLED = 1 << 18,
	WRITTEN = 1 << 19, /* the clock was written */
	EXCESS = 1 << 20,  /* counters and clock contradict each other */
	BLURRED = 1 << 21, /* read too unsteadily */
	ERROR = 1 << 22,   /* MCE or LOGGED */
};

static uint32_t when(bool holds, enum fact fact)
{
	return holds ? fact : 0u;
}

static bool shows(uint32_t facts, enum fact fact)
{
	return (facts & fact) != 0;
}

static uint32_t facts_counted(const struct evidence *e)
{
	bool smi = evidence_has_counted(e, EVIDENCE_SMI);
	bool mce = evidence_has_counted(e, EVIDENCE_MCE);
	bool logged = evidence_has_counted(e, EVIDENCE_MCE_LOG);

	return when(smi, SMI) | when(evidence_has(e, EVIDENCE_SMI) && !smi, NO_SMI) |
	       when(evidence_has_counted(e, EVIDENCE_NMI), NMI) | when(mce, MCE) |
	       when(logged, LOGGED) | when(mce || logged, ERROR) |
	       when(evidence_has_counted(e, EVIDENCE_THROTTLE), THROTTLED) |
	       when(e->context->hypervisor != HYPERVISOR_NONE, GUEST) |
	       when(evidence_has(e, EVIDENCE_STEAL), STEAL_CLOCK);
}

static uint32_t facts_measured(const struct evidence_shares *m, uint64_t gap)
{
	return when(m->clock_known, CLOCK_KNOWN) | when(m->frozen_known, FROZEN_KNOWN) |
	       when(m->frozen_known && evidence_is_most(m->frozen, gap), FROZEN_MOST) |
	       when(!evidence_is_little(m->frozen, gap), FROZEN_SOME) |
	       when(m->frozen_known && m->frozen == 0, FROZEN_NONE) |
	       when(m->clock_known && evidence_is_most(m->stopped, gap), STOPPED_MOST) |
	       when(!evidence_is_little(m->stopped, gap), STOPPED_PART) |
	       when(evidence_is_most(m->stolen, gap), STOLEN_MOST) |
	       when(!evidence_is_little(m->stolen, gap), STOLEN_PART) | when(m->idle, IDLE) |
	       when(m->busy, BUSY) | when(m->written, WRITTEN) | when(m->excess, EXCESS) |
	       when(m->blurred, BLURRED);
}

/*
 * What must never be concluded without proof, whatever the row is. A guest's MPERF
 * and PMU stand still while the host runs something else, so neither shows what
 * the core did; and a core may halt inside SMM.
 */
static const struct proof {
	uint32_t all, none;
} proofs[CAUSES] = {
	[CAUSE_SMI] = { SMI, 0 },
	[CAUSE_NMI] = { NMI, 0 },
	[CAUSE_MCE] = { ERROR, 0 },
	[CAUSE_STEAL] = { GUEST | STEAL_CLOCK, 0 },
	[CAUSE_STOPPED] = { CLOCK_KNOWN, GUEST | SMI },
	[CAUSE_STALL] = { CLOCK_KNOWN | IDLE, GUEST | SMI },
	[CAUSE_UNKNOWN] = { 0, 0 },
};

static bool proved(enum cause cause, uint32_t facts)
{
	const struct proof *p = &proofs[cause];

	return (facts & p->all) == p->all && !(facts & p->none);
}

/* What would give evidence of a gap in which nothing was counted. */
#define WANTED_CLOCK   (EVIDENCE(MPERF))
#define WANTED_RETIRED (EVIDENCE(INSTRUCTIONS) | EVIDENCE(CYCLES))

/*
 * The decision table: the first row whose conditions and whose cause's proof
 * hold. `cause` takes what the measured parts leave of the gap.
 */
static const struct row {
	const char *name;
	uint32_t all, none;
	uint8_t cause;
	bool mixed;
	uint16_t wants; /* what might have given evidence */
	const char *text;
} rows[] = {
	/* The clock itself. */
	{ "smi wrote clock", SMI | WRITTEN, 0, CAUSE_SMI, false, 0,
	  "SMI: counter +{smi}, and the clock was written ({tsc} ticks): length not to be "
	  "trusted" },
	{ "clock written", WRITTEN, 0, CAUSE_UNKNOWN, false, EVIDENCE(SMI),
	  "unknown: the clock was written ({tsc} ticks), so the length is not valid" },

	/* Evidence against evidence. */
	{ "frozen without smi", NO_SMI | FROZEN_SOME, 0, CAUSE_UNKNOWN, false, 0,
	  "unknown: counters that only SMM freezes stood still, but the SMI counter shows none" },
	{ "smi without freeze", SMI | FROZEN_NONE, 0, CAUSE_UNKNOWN, false, 0,
	  "unknown: SMI counter +{smi}, but counters that SMM freezes ran all through the gap" },
	{ "contradiction", EXCESS, SMI | NMI | ERROR, CAUSE_UNKNOWN, false, 0,
	  "unknown: counters and clock contradict each other" },

	/* Several causes, each counted. What SMM took may be measured, the rest is shared. */
	{ "smi, mce and nmi, smm measured", SMI | MCE | NMI | FROZEN_KNOWN, 0, CAUSE_MCE, true, 0,
	  "SMI: counter +{smi}, then machine check +{mce} and NMI +{nmi}, not separable" },
	{ "smi, mce and nmi", SMI | MCE | NMI, 0, CAUSE_SMI, true, 0,
	  "SMI +{smi}, machine check +{mce} and NMI +{nmi} in one gap, not separable" },
	{ "smi and mce, smm measured", SMI | MCE | FROZEN_KNOWN, 0, CAUSE_MCE, false, 0,
	  "SMI: counter +{smi}, machine check +{mce} for the rest" },
	{ "smi and mce", SMI | MCE, 0, CAUSE_SMI, true, 0,
	  "SMI +{smi} and machine check +{mce} in one gap, not separable" },
	{ "smi and nmi, smm measured", SMI | NMI | FROZEN_KNOWN, 0, CAUSE_NMI, false, 0,
	  "SMI: counter +{smi}, NMI +{nmi} for the rest" },
	{ "smi and nmi", SMI | NMI, 0, CAUSE_SMI, true, 0,
	  "SMI +{smi} and NMI +{nmi} in one gap, not separable" },
	{ "mce and nmi", MCE | NMI, 0, CAUSE_MCE, true, 0,
	  "machine check +{mce} and NMI +{nmi} in one gap, not separable" },

	/* One cause, counted. */
	{ "firmware-first error, in part", SMI | LOGGED | FROZEN_KNOWN, FROZEN_MOST, CAUSE_UNKNOWN,
	  false, 0,
	  "SMI: counter +{smi}, a machine-check bank holds a new error, SMM is a part of the gap" },
	{ "firmware-first error", SMI | LOGGED, 0, CAUSE_SMI, false, 0,
	  "SMI: counter +{smi}, a machine-check bank holds a new error: firmware handles it "
	  "first" },
	{ "smi, in part", SMI | FROZEN_KNOWN, FROZEN_MOST, CAUSE_UNKNOWN, false, 0,
	  "SMI: counter +{smi}, for a part of the gap" },
	{ "smi", SMI, 0, CAUSE_SMI, false, 0, "SMI: counter +{smi}" },
	{ "mce", MCE, 0, CAUSE_MCE, false, 0, "machine check: exceptions +{mce}" },
	{ "nmi", NMI, 0, CAUSE_NMI, false, 0, "NMI: count +{nmi}" },
	{ "logged error", LOGGED, 0, CAUSE_MCE, false, EVIDENCE(SMI),
	  "machine check: a bank holds a new error, without an exception" },

	/* Nothing counted, on the bare machine or in a guest: the time is measured. */
	{ "throttled", STOPPED_MOST | THROTTLED, 0, CAUSE_STOPPED, false, 0,
	  "stopped: the processor throttled" },
	{ "stopped", STOPPED_MOST, 0, CAUSE_STOPPED, false, 0,
	  "stopped: no interrupt was counted" },
	{ "stolen", STOLEN_MOST, 0, CAUSE_STEAL, false, 0,
	  "steal: {hypervisor} ran something else" },
	{ "stall", IDLE, FROZEN_SOME | STOPPED_PART, CAUSE_STALL, false, 0,
	  "stall: the core's clock ran, {retired} instructions retired" },
	{ "stopped and stalled", IDLE | STOPPED_PART, FROZEN_SOME, CAUSE_STALL, false, 0,
	  "stopped and stalled: {retired} instructions retired" },

	/* Cause unknown. */
	{ "stolen in part", GUEST | STOLEN_PART, 0, CAUSE_UNKNOWN, false, 0,
	  "stolen in part: {hypervisor} ran something else, the rest is unknown" },
	{ "guest, not stolen", GUEST | STEAL_CLOCK, 0, CAUSE_UNKNOWN, false, 0,
	  "unknown: {hypervisor} is underneath, and its steal clock shows little" },
	{ "guest", GUEST, 0, CAUSE_UNKNOWN, false, EVIDENCE(STEAL),
	  "unknown: {hypervisor} is underneath" },
	{ "stopped in part", STOPPED_PART, 0, CAUSE_UNKNOWN, false, WANTED_RETIRED,
	  "stopped in part, the rest is unknown" },
	{ "code ran", BUSY, 0, CAUSE_UNKNOWN, false, EVIDENCE(SMI),
	  "unknown: {retired} instructions retired, of code that no counter names" },
	{ "clock ran", CLOCK_KNOWN, 0, CAUSE_UNKNOWN, false, EVIDENCE(SMI) | WANTED_RETIRED,
	  "unknown: the core's clock kept running" },
	{ "throttled, clock not known", THROTTLED, 0, CAUSE_UNKNOWN, false, WANTED_CLOCK,
	  "unknown: the processor throttled, but whether its clock stopped was not counted" },
	{ "blurred", BLURRED, 0, CAUSE_UNKNOWN, false, 0,
	  "unknown: the counters were read too unsteadily for such a short gap" },
	{ "no smi, no nmi", NO_SMI, 0, CAUSE_UNKNOWN, false,
	  EVIDENCE(NMI) | WANTED_CLOCK | WANTED_RETIRED,
	  "unknown: neither SMI nor NMI was counted" },
	{ "nothing known", 0, 0, CAUSE_UNKNOWN, false,
	  EVIDENCE(SMI) | EVIDENCE(NMI) | WANTED_CLOCK | WANTED_RETIRED,
	  "unknown: nothing was counted" },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* The last row has no conditions. */
static unsigned find_row(uint32_t facts)
{
	for (unsigned i = 0; i < ROWS - 1; i++) {
		const struct row *r = &rows[i];

		if ((facts & r->all) == r->all && !(facts & r->none) && proved(r->cause, facts))
			return i;
	}
	return ROWS - 1;
}

static const enum cause part_cause[ATTRIBUTION_PARTS] = {
	[PART_SMM] = CAUSE_SMI,
	[PART_STOPPED] = CAUSE_STOPPED,
	[PART_STOLEN] = CAUSE_STEAL,
};

/* Take each measured part whose cause is proved; whatever they leave is the row's. */
static void split(struct attribution *a, const struct evidence_shares *m, uint32_t facts,
		  uint64_t gap)
{
	const uint64_t measured[ATTRIBUTION_PARTS] = { m->frozen, m->stopped, m->stolen };
	uint64_t ticks[CAUSES] = { 0 };
	uint64_t left = gap;

	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++) {
		if (proved(part_cause[p], facts))
			a->part[p] = evidence_least(measured[p], left);
		left -= a->part[p];
	}
	attribution_add(a, gap, ticks);
	a->cause = a->rest;
	for (unsigned c = 0; c < CAUSES; c++) {
		if (ticks[c] > ticks[a->cause])
			a->cause = (uint8_t)c;
	}
	for (unsigned c = 0; c < CAUSES; c++)
		a->present |= (uint8_t)((ticks[c] != 0) << c);
}

static uint32_t step32(const struct evidence *e, enum evidence_kind kind)
{
	return evidence_has(e, kind) ? (uint32_t)evidence_least(e->step[kind], UINT32_MAX) : 0;
}

/* The numbers that a sentence needs after the evidence is gone. */
static void keep_numbers(struct attribution *a, const struct evidence *e,
			 const struct evidence_shares *m)
{
	a->smi = step32(e, EVIDENCE_SMI);
	a->nmi = step32(e, EVIDENCE_NMI);
	a->mce = step32(e, EVIDENCE_MCE);
	a->throttle = (uint8_t)step32(e, EVIDENCE_THROTTLE);
	a->tsc_step = m->written ? (int64_t)e->step[EVIDENCE_TSC_ADJUST] : 0;
	a->retired = (uint32_t)evidence_least(m->retired, UINT32_MAX);
	a->hypervisor = (uint8_t)e->context->hypervisor;
}

void attribution_decide(const struct evidence *e, struct attribution *a)
{
	struct evidence_shares m = attribution_measure(e);
	uint32_t facts = facts_counted(e) | facts_measured(&m, e->gap);
	unsigned row = find_row(facts);

	*a = (struct attribution){
		.row = (uint8_t)row,
		.rest = rows[row].cause,
		.mixed = rows[row].mixed,
		/* What the core has is not missing from it, though this gap was not read alone. */
		.missing = rows[row].wants & (uint16_t) ~(e->have | e->context->armed),
		.present = (uint8_t)(shows(facts, SMI) << CAUSE_SMI |
				     shows(facts, NMI) << CAUSE_NMI |
				     shows(facts, ERROR) << CAUSE_MCE),
	};
	keep_numbers(a, e, &m);
	split(a, &m, facts, e->gap);
}

void attribution_add(const struct attribution *a, uint64_t gap, uint64_t ticks[CAUSES])
{
	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++) {
		ticks[part_cause[p]] += a->part[p];
		gap -= a->part[p];
	}
	ticks[a->rest] += gap;
}

void attribution_decide_counts(const struct evidence_context *context,
			       const struct evidence_counts *counts, uint64_t gap,
			       struct attribution *a)
{
	struct evidence e = {
		.context = context,
		.gap = gap,
		.have = EVIDENCE(NMI) | EVIDENCE(MCE),
		.step = {
			[EVIDENCE_SMI] = counts->smi,
			[EVIDENCE_NMI] = counts->nmi,
			[EVIDENCE_MCE] = counts->mce,
		},
	};

	if (counts->smi_known)
		e.have |= EVIDENCE(SMI);
	attribution_decide(&e, a);
}

const char *attribution_row_name(unsigned row)
{
	return row < ROWS ? rows[row].name : NULL;
}

const char *attribution_row_text(unsigned row)
{
	return rows[row < ROWS ? row : ROWS - 1].text;
}
