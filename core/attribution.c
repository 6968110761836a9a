/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From evidence to causes, in three steps: how much of the gap counters account
 * for, which plain facts follow, and the first row of the table that fits them.
 *
 * The partition of a gap (Intel SDM vol. 3, 15.5 "IA32_MPERF and IA32_APERF",
 * 18.6 "fixed-function counters", 17.4.1 FREEZE_WHILE_SMM):
 *   clock - MPERF      the core was halted or its clock stopped
 *   MPERF - reference  the core was in SMM, which freezes the one, not the other
 */
#include "attribution.h"

#include <stddef.h>

/* A part this small is noise, one of four fifths and more explains the gap. */
static bool little(uint64_t part, uint64_t gap)
{
	return part <= gap / 8;
}

static bool most(uint64_t part, uint64_t gap)
{
	return part >= gap - gap / 5;
}

/* Our own slow path retires some hundred instructions per gap, any SMI handler thousands. */
#define NOTHING_RETIRED 1024
/* The loop's rate in instructions per cycle is known to this share. */
#define IPC_TOLERANCE 256
/* Beyond these a product could overflow; the loop's instructions then drown the gap's anyway. */
#define PRODUCT_MAX  (UINT64_C(1) << 40)
#define LOOP_IPC_MAX (16u << 16)

struct measured {
	uint64_t stopped, frozen, stolen; /* ticks of the gap */
	bool clock_known, frozen_known;
	bool blurred; /* MPERF was read too unsteadily for a gap of this length */
	bool excess;  /* counters and clock contradict each other */
	bool written; /* somebody wrote the clock */
	bool idle, busy;
	uint64_t retired;
};

static bool has(const struct evidence *e, enum evidence_kind kind)
{
	return e->have >> kind & 1;
}

static bool counted(const struct evidence *e, enum evidence_kind kind)
{
	return has(e, kind) && e->step[kind] != 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What `part` lacks of `whole`; less than the slack is nothing. */
static uint64_t lack(uint64_t whole, uint64_t part, uint64_t slack)
{
	return whole > part && whole - part > slack ? whole - part : 0;
}

/* value * part / whole to 24 bits; part at most whole, value below 2^40. */
static uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
	while (whole >> 24) {
		whole >>= 1;
		part >>= 1;
	}
	return whole ? value * part / whole : 0;
}

static void measure_stopped(const struct evidence *e, struct measured *m)
{
	if (!has(e, EVIDENCE_MPERF))
		return;
	if (!little(e->slack, e->gap)) {
		m->blurred = true;
		return;
	}
	m->excess |= e->step[EVIDENCE_MPERF] > e->span + e->slack;
	m->stopped = lack(e->span, e->step[EVIDENCE_MPERF], e->slack);
	m->clock_known = true;
}

/* By the reference counter, or by core cycles, which MPERF turns into ticks. */
static void measure_frozen(const struct evidence *e, struct measured *m)
{
	uint64_t mperf = e->step[EVIDENCE_MPERF];
	uint64_t aperf = e->step[EVIDENCE_APERF];
	uint64_t cycles = e->step[EVIDENCE_CYCLES];

	if (!m->clock_known || !e->context->freeze)
		return;
	if (has(e, EVIDENCE_REFERENCE)) {
		m->excess |= e->step[EVIDENCE_REFERENCE] > mperf + e->slack;
		m->frozen = lack(mperf, e->step[EVIDENCE_REFERENCE], e->slack);
		m->frozen_known = true;
	} else if (has(e, EVIDENCE_APERF) && has(e, EVIDENCE_CYCLES) && mperf < PRODUCT_MAX) {
		uint64_t ran = scale(mperf, least(cycles, aperf), aperf);

		m->frozen = lack(mperf, ran, e->slack);
		m->frozen_known = true;
	}
}

/*
 * A core may halt inside SMM while it waits for the others, which stops MPERF
 * too: with an SMI in the gap both deficits are SMM's.
 */
static void halt_in_smm(const struct evidence *e, struct measured *m)
{
	if (m->frozen_known && counted(e, EVIDENCE_SMI)) {
		m->frozen += m->stopped;
		m->stopped = 0;
	}
}

static void measure_stolen(const struct evidence *e, struct measured *m)
{
	if (!has(e, EVIDENCE_STEAL))
		return;
	m->excess |= e->step[EVIDENCE_STEAL] > e->span + e->slack;
	m->stolen = e->step[EVIDENCE_STEAL];
}

/* What the sampling loop retires in `ticks` of the `ran` it was counted in. */
static uint64_t loop_retires(const struct evidence *e, uint64_t ticks, uint64_t ran)
{
	return (scale(e->step[EVIDENCE_CYCLES], ticks, ran) * e->context->loop_ipc) >> 16;
}

static bool can_measure_retired(const struct evidence *e)
{
	return has(e, EVIDENCE_INSTRUCTIONS) && has(e, EVIDENCE_CYCLES) &&
	       e->context->loop_ipc != 0 && e->context->loop_ipc < LOOP_IPC_MAX &&
	       e->span < PRODUCT_MAX && e->step[EVIDENCE_CYCLES] < PRODUCT_MAX;
}

/*
 * Instructions retired in the gap: those of the span less what the loop retired
 * outside. Nothing retired means less than any handler needs or, where the SMI
 * counter rules SMM out, an eighth of what the loop would have retired.
 */
static void measure_retired(const struct evidence *e, struct measured *m)
{
	uint64_t away = m->stopped + m->frozen;
	uint64_t retired = e->step[EVIDENCE_INSTRUCTIONS];
	uint64_t ran, inside, outside, doubt;

	if (!can_measure_retired(e) || m->excess)
		return;
	ran = e->span - least(away, e->span);
	inside = least(e->gap - away, ran);
	outside = loop_retires(e, ran - inside, ran);
	doubt = outside / IPC_TOLERANCE;
	m->retired = retired > outside ? retired - outside : 0;
	m->idle = m->retired + doubt <= NOTHING_RETIRED ||
		  (has(e, EVIDENCE_SMI) && !counted(e, EVIDENCE_SMI) &&
		   little(m->retired + doubt, loop_retires(e, inside, ran)));
	m->busy = m->retired > doubt + NOTHING_RETIRED;
}

/* The parts must fit into the gap, and the gap into the span. */
static void check_sums(const struct evidence *e, struct measured *m)
{
	m->excess |= e->gap > e->span + e->slack;
	m->excess |= m->stopped + m->frozen > e->gap + e->slack;
	if (m->excess) {
		m->stopped = m->frozen = m->stolen = 0;
		m->clock_known = m->frozen_known = false;
		return;
	}
	m->stopped = least(m->stopped, e->gap);
	m->frozen = least(m->frozen, e->gap - m->stopped);
	m->stolen = least(m->stolen, e->gap);
}

static struct measured measure(const struct evidence *e)
{
	struct measured m = { .written = counted(e, EVIDENCE_TSC_ADJUST) };

	/* Against a clock that was written, nothing can be measured. */
	if (m.written)
		return m;
	measure_stopped(e, &m);
	measure_frozen(e, &m);
	halt_in_smm(e, &m);
	measure_stolen(e, &m);
	check_sums(e, &m);
	measure_retired(e, &m);
	return m;
}

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
	WRITTEN = 1 << 19, /* somebody wrote the clock */
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
	bool smi = counted(e, EVIDENCE_SMI);
	bool mce = counted(e, EVIDENCE_MCE);
	bool logged = counted(e, EVIDENCE_MCE_LOG);

	return when(smi, SMI) | when(has(e, EVIDENCE_SMI) && !smi, NO_SMI) |
	       when(counted(e, EVIDENCE_NMI), NMI) | when(mce, MCE) | when(logged, LOGGED) |
	       when(mce || logged, ERROR) | when(counted(e, EVIDENCE_THROTTLE), THROTTLED) |
	       when(e->context->hypervisor != HYPERVISOR_NONE, GUEST) |
	       when(has(e, EVIDENCE_STEAL), STEAL_CLOCK);
}

static uint32_t facts_measured(const struct measured *m, uint64_t gap)
{
	return when(m->clock_known, CLOCK_KNOWN) | when(m->frozen_known, FROZEN_KNOWN) |
	       when(m->frozen_known && most(m->frozen, gap), FROZEN_MOST) |
	       when(!little(m->frozen, gap), FROZEN_SOME) |
	       when(m->frozen_known && m->frozen == 0, FROZEN_NONE) |
	       when(m->clock_known && most(m->stopped, gap), STOPPED_MOST) |
	       when(!little(m->stopped, gap), STOPPED_PART) |
	       when(most(m->stolen, gap), STOLEN_MOST) |
	       when(!little(m->stolen, gap), STOLEN_PART) | when(m->idle, IDLE) |
	       when(m->busy, BUSY) | when(m->written, WRITTEN) | when(m->excess, EXCESS) |
	       when(m->blurred, BLURRED);
}

/*
 * What may never be concluded without proof, whatever a row says. A guest's MPERF
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

/* What would tell more of a gap in which nothing was counted. */
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
	uint16_t wants; /* what might have told more */
	const char *text;
} rows[] = {
	/* The clock itself. */
	{ "smi wrote clock", SMI | WRITTEN, 0, CAUSE_SMI, false, 0,
	  "SMI: counter +{smi}, and the clock was written ({tsc} ticks): length not to be "
	  "trusted" },
	{ "clock written", WRITTEN, 0, CAUSE_UNKNOWN, false, EVIDENCE(SMI),
	  "unknown: the clock was written ({tsc} ticks), so the length is no measure" },

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
	  "SMI: counter +{smi}, a machine-check bank holds a new error, SMM is not the whole gap" },
	{ "firmware-first error", SMI | LOGGED, 0, CAUSE_SMI, false, 0,
	  "SMI: counter +{smi}, a machine-check bank holds a new error: firmware handles it "
	  "first" },
	{ "smi, in part", SMI | FROZEN_KNOWN, FROZEN_MOST, CAUSE_UNKNOWN, false, 0,
	  "SMI: counter +{smi}, which is not the whole gap" },
	{ "smi", SMI, 0, CAUSE_SMI, false, 0, "SMI: counter +{smi}" },
	{ "mce", MCE, 0, CAUSE_MCE, false, 0, "machine check: exceptions +{mce}" },
	{ "nmi", NMI, 0, CAUSE_NMI, false, 0, "NMI: count +{nmi}" },
	{ "logged error", LOGGED, 0, CAUSE_MCE, false, EVIDENCE(SMI),
	  "machine check: a bank holds a new error, without an exception" },

	/* Nothing counted, on the bare machine or in a guest: the time is measured. */
	{ "throttled", STOPPED_MOST | THROTTLED, 0, CAUSE_STOPPED, false, 0,
	  "stopped: the processor throttled" },
	{ "stopped", STOPPED_MOST, 0, CAUSE_STOPPED, false, 0, "stopped: no interrupt was counted" },
	{ "stolen", STOLEN_MOST, 0, CAUSE_STEAL, false, 0,
	  "steal: {hypervisor} ran something else" },
	{ "stall", IDLE, FROZEN_SOME | STOPPED_PART, CAUSE_STALL, false, 0,
	  "stall: the core's clock ran, {retired} instructions retired" },
	{ "stopped and stalled", IDLE | STOPPED_PART, FROZEN_SOME, CAUSE_STALL, false, 0,
	  "stopped and stalled: {retired} instructions retired" },

	/* Not told. */
	{ "stolen in part", GUEST | STOLEN_PART, 0, CAUSE_UNKNOWN, false, 0,
	  "unknown: {hypervisor} ran something else, but not for the whole gap" },
	{ "guest, not stolen", GUEST | STEAL_CLOCK, 0, CAUSE_UNKNOWN, false, 0,
	  "unknown: {hypervisor} is underneath, and its steal clock shows little" },
	{ "guest", GUEST, 0, CAUSE_UNKNOWN, false, EVIDENCE(STEAL),
	  "unknown: {hypervisor} is underneath" },
	{ "stopped in part", STOPPED_PART, 0, CAUSE_UNKNOWN, false, WANTED_RETIRED,
	  "unknown: the core's clock did not stop for the whole gap" },
	{ "code ran", BUSY, 0, CAUSE_UNKNOWN, false, EVIDENCE(SMI),
	  "unknown: {retired} instructions retired, of code that no counter names" },
	{ "clock ran", CLOCK_KNOWN, 0, CAUSE_UNKNOWN, false, EVIDENCE(SMI) | WANTED_RETIRED,
	  "unknown: the core's clock ran on" },
	{ "throttled, clock not known", THROTTLED, 0, CAUSE_UNKNOWN, false, WANTED_CLOCK,
	  "unknown: the processor throttled, but whether its clock stopped was not counted" },
	{ "blurred", BLURRED, 0, CAUSE_UNKNOWN, false, 0,
	  "unknown: the counters were read too unsteadily for so short a gap" },
	{ "no smi, no nmi", NO_SMI, 0, CAUSE_UNKNOWN, false,
	  EVIDENCE(NMI) | WANTED_CLOCK | WANTED_RETIRED, "unknown: neither SMI nor NMI was counted" },
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
static void split(struct attribution *a, const struct measured *m, uint32_t facts, uint64_t gap)
{
	const uint64_t measured[ATTRIBUTION_PARTS] = { m->frozen, m->stopped, m->stolen };
	uint64_t ticks[CAUSES] = { 0 };
	uint64_t left = gap;

	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++) {
		if (proved(part_cause[p], facts))
			a->part[p] = least(measured[p], left);
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
	return has(e, kind) ? (uint32_t)least(e->step[kind], UINT32_MAX) : 0;
}

/* The numbers a sentence needs once the evidence is gone. */
static void keep_numbers(struct attribution *a, const struct evidence *e, const struct measured *m)
{
	a->smi = step32(e, EVIDENCE_SMI);
	a->nmi = step32(e, EVIDENCE_NMI);
	a->mce = step32(e, EVIDENCE_MCE);
	a->throttle = (uint8_t)step32(e, EVIDENCE_THROTTLE);
	a->tsc_step = m->written ? (int64_t)e->step[EVIDENCE_TSC_ADJUST] : 0;
	a->retired = (uint32_t)least(m->retired, UINT32_MAX);
	a->hypervisor = (uint8_t)e->context->hypervisor;
}

void attribute(const struct evidence *e, struct attribution *a)
{
	struct measured m = measure(e);
	uint32_t facts = facts_counted(e) | facts_measured(&m, e->gap);
	unsigned row = find_row(facts);

	*a = (struct attribution){
		.row = (uint8_t)row,
		.rest = rows[row].cause,
		.mixed = rows[row].mixed,
		.missing = rows[row].wants & (uint16_t)~e->have,
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

void evidence_merge(struct evidence *first, const struct evidence *second)
{
	/* What was not read for both says nothing of the two together. */
	first->have &= second->have;
	first->gap += second->gap;
	first->span += second->span;
	first->slack += second->slack;
	for (unsigned k = 0; k < EVIDENCE_KINDS; k++) {
		bool mask = k == EVIDENCE_MCE_LOG || k == EVIDENCE_THROTTLE;

		first->step[k] = mask ? first->step[k] | second->step[k]
				      : first->step[k] + second->step[k];
	}
}

const char *attribution_row_name(unsigned row)
{
	return row < ROWS ? rows[row].name : NULL;
}

const char *attribution_row_text(unsigned row)
{
	return rows[row < ROWS ? row : ROWS - 1].text;
}
