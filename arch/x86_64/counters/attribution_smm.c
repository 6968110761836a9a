/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules for processors with SMM, x86: how much of a gap the counters account for, and its cause. */
#include "attribution_smm.h"

/*
 * The partition of a gap (Intel SDM vol. 3, IA32_MPERF, the fixed-function counters, and
 * FREEZE_WHILE_SMM in IA32_DEBUGCTL):
 *   clock - MPERF      the core was halted or its clock stopped
 *   MPERF - reference  the core was in SMM, which freezes the reference counter, not MPERF
 *   APERF's lack       the core was forced idle, in which MPERF goes on (SDM vol. 3, "MPERF and
 *                      APERF Counters Under HDC")
 */

/* Our slow path retires some hundred instructions per gap; any SMI handler retires thousands. */
#define NOTHING_RETIRED 1024
/* The loop's rate in instructions per cycle is known to 1/IPC_TOLERANCE. */
#define IPC_TOLERANCE 256
/* Most instructions that a core retires per cycle: 8 to 12 operations, some of them of two. */
#define WIDEST 16
/*
 * Beyond these limits products could overflow, and the loop's instructions would outweigh the
 * gap's.
 */
#define PRODUCT_MAX  (UINT64_C(1) << 40)
#define LOOP_IPC_MAX (16u << 16)
/*
 * A gap must be 1/FORCED_WEIGHT of the span: the frequency varies by more than shorter gaps take.
 */
#define FORCED_WEIGHT 64

/* value * part / whole, exact to 24 bits. part is at most whole, and value is below 2^40. */
static uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
	while (whole >> 24) {
		whole >>= 1;
		part >>= 1;
	}
	return whole ? value * part / whole : 0;
}

static bool can_measure_retired(const struct evidence *e)
{
	return evidence_has(e, EVIDENCE_INSTRUCTIONS) && evidence_has(e, EVIDENCE_CYCLES) &&
	       e->context->loop_ipc != 0 && e->context->loop_ipc < LOOP_IPC_MAX &&
	       e->span < PRODUCT_MAX && e->step[EVIDENCE_CYCLES] < PRODUCT_MAX;
}

/* True if more or fewer instructions retired than the loop's in all cycles that were counted. */
static bool has_foreign_code(const struct evidence *e)
{
	uint64_t retired = e->step[EVIDENCE_INSTRUCTIONS];
	uint64_t loop = (e->step[EVIDENCE_CYCLES] * e->context->loop_ipc) >> 16;
	uint64_t off = arith_apart(retired, loop);

	return off > loop / IPC_TOLERANCE + NOTHING_RETIRED;
}

static void measure_stopped(const struct evidence *e, struct evidence_shares *m)
{
	if (!evidence_has(e, EVIDENCE_MPERF))
		return;
	if (!evidence_is_little(e->slack, e->gap)) {
		m->blurred = true;
		return;
	}
	m->excess |= e->step[EVIDENCE_MPERF] > e->span + e->slack;
	m->stopped = evidence_lack(e->span, e->step[EVIDENCE_MPERF], e->slack);
	m->clock_known = true;
}

/* Count the part of the gap that was forced idle as stopped, too. */
static void take_forced(const struct evidence *e, struct evidence_shares *m, uint64_t lacks)
{
	m->forced = arith_min(lacks, e->gap - arith_min(m->stopped, e->gap));
	m->stopped += m->forced;
}

/*
 * Forced idle: the processor halts a core because of its temperature or power. MPERF goes on "as
 * if the logical processor was active", and APERF stops. APERF's lack shows forced idle only if the
 * loop's frequency is still the one that was learned. So the lack must be about the gap's length,
 * the gap must be a large enough part of the span, and all instructions must be the loop's.
 */
static void measure_forced(const struct evidence *e, struct evidence_shares *m)
{
	uint64_t mperf = e->step[EVIDENCE_MPERF];
	uint64_t aperf = e->step[EVIDENCE_APERF];
	uint64_t rate = e->context->loop_rate;
	uint64_t left = e->gap - arith_min(m->stopped, e->gap);
	uint64_t lacks;

	if (!m->clock_known || !evidence_has(e, EVIDENCE_APERF) || !rate || aperf >= PRODUCT_MAX ||
	    left < e->span / FORCED_WEIGHT || evidence_has_counted(e, EVIDENCE_SMI) ||
	    (can_measure_retired(e) && has_foreign_code(e)))
		return;
	lacks = evidence_lack(mperf, (aperf << 16) / rate, e->slack);
	if (lacks && evidence_is_most(lacks, left) && lacks <= left + left / 8 + e->slack)
		take_forced(e, m, lacks);
}

/*
 * True if APERF stood still together with the cycle counter. Both count the core's cycles, but SMM
 * does not freeze APERF.
 */
static bool aperf_stood_still(const struct evidence *e, uint64_t frozen)
{
	uint64_t aperf = e->step[EVIDENCE_APERF];
	uint64_t mperf = e->step[EVIDENCE_MPERF];

	if (!evidence_has(e, EVIDENCE_APERF) || !evidence_has(e, EVIDENCE_CYCLES) ||
	    aperf >= PRODUCT_MAX || mperf < aperf >> 8)
		return false;
	return evidence_is_little(evidence_lack(aperf, e->step[EVIDENCE_CYCLES], e->slack),
				  scale(aperf, arith_min(frozen, mperf), mperf));
}

/* Measure the time in SMM by the reference counter, or by core cycles, which MPERF makes ticks. */
static void measure_frozen(const struct evidence *e, struct evidence_shares *m)
{
	uint64_t mperf = e->step[EVIDENCE_MPERF];
	uint64_t aperf = e->step[EVIDENCE_APERF];
	uint64_t cycles = e->step[EVIDENCE_CYCLES];

	if (!m->clock_known || !e->context->freeze)
		return;
	if (evidence_has(e, EVIDENCE_REFERENCE)) {
		m->excess |= e->step[EVIDENCE_REFERENCE] > mperf + e->slack;
		m->frozen = evidence_lack(mperf, e->step[EVIDENCE_REFERENCE], e->slack);
		m->frozen -= arith_min(m->frozen, m->forced);
		m->frozen_known = true;
		if (m->frozen > e->slack && !evidence_has_counted(e, EVIDENCE_SMI) &&
		    aperf_stood_still(e, m->frozen)) {
			take_forced(e, m, m->frozen);
			m->frozen = 0;
		}
	} else if (evidence_has(e, EVIDENCE_APERF) && evidence_has(e, EVIDENCE_CYCLES) &&
		   mperf < PRODUCT_MAX) {
		uint64_t ran = scale(mperf, arith_min(cycles, aperf), aperf);

		m->frozen = evidence_lack(mperf, ran, e->slack);
		m->frozen_known = true;
	}
}

/*
 * A core may halt inside SMM while it waits for the others, and MPERF then stops, too. So if an SMI
 * was counted in the gap, the time in which the clock stopped is SMM's as well.
 */
static void halt_in_smm(const struct evidence *e, struct evidence_shares *m)
{
	if (m->frozen_known && evidence_has_counted(e, EVIDENCE_SMI)) {
		m->frozen += m->stopped;
		m->stopped = 0;
	}
}

static void measure_stolen(const struct evidence *e, struct evidence_shares *m)
{
	if (!evidence_has(e, EVIDENCE_STEAL))
		return;
	m->excess |= e->step[EVIDENCE_STEAL] > e->span + e->slack;
	m->stolen = e->step[EVIDENCE_STEAL];
}

/* Instructions that the sampling loop retires in `ticks` of the `ran` ticks that were counted. */
static uint64_t loop_retires(const struct evidence *e, uint64_t ticks, uint64_t ran)
{
	return (scale(e->step[EVIDENCE_CYCLES], ticks, ran) * e->context->loop_ipc) >> 16;
}

/*
 * Estimate the instructions retired in the gap: those of the span less the loop's outside the gap.
 * A gap is idle if it retired fewer than any handler needs or, if the SMI counter rules out SMM, at
 * most an eighth of what the loop would have retired. If the estimate exceeds what the gap's cycles
 * can retire, the loop's rate is not the one that was learned, and nothing is concluded.
 */
static void measure_retired(const struct evidence *e, struct evidence_shares *m)
{
	uint64_t away = m->stopped + m->frozen;
	uint64_t retired = e->step[EVIDENCE_INSTRUCTIONS];
	uint64_t ran, inside, outside, doubt, most;

	if (!can_measure_retired(e) || m->excess)
		return;
	ran = e->span - arith_min(away, e->span);
	inside = arith_min(e->gap - away, ran);
	outside = loop_retires(e, ran - inside, ran);
	doubt = outside / IPC_TOLERANCE;
	most = scale(e->step[EVIDENCE_CYCLES], inside, ran) * WIDEST + NOTHING_RETIRED;
	if (doubt > most || (retired > outside && retired - outside > most + doubt))
		return;
	m->retired = retired > outside ? arith_min(retired - outside, most) : 0;
	m->idle = m->retired + doubt <= NOTHING_RETIRED ||
		  (evidence_has(e, EVIDENCE_SMI) && !evidence_has_counted(e, EVIDENCE_SMI) &&
		   evidence_is_little(m->retired + doubt, loop_retires(e, inside, ran)));
	m->busy = !e->context->overcounts && m->retired > doubt + NOTHING_RETIRED &&
		  has_foreign_code(e);
}

/* Check that the parts fit into the gap, and the gap into the span; discard them otherwise. */
static void check_sums(const struct evidence *e, struct evidence_shares *m)
{
	if (m->clock_known || evidence_has(e, EVIDENCE_STEAL))
		m->excess |= e->gap > e->span + e->slack;
	m->excess |= m->stopped + m->frozen > e->gap + e->slack;
	if (m->excess) {
		m->stopped = m->frozen = m->stolen = 0;
		m->clock_known = m->frozen_known = false;
		return;
	}
	m->stopped = arith_min(m->stopped, e->gap);
	m->frozen = arith_min(m->frozen, e->gap - m->stopped);
	m->stolen = arith_min(m->stolen, e->gap);
}

static struct evidence_shares attribution_smm_measure(const struct evidence *e)
{
	struct evidence_shares m = { .written = evidence_has_counted(e, EVIDENCE_TSC_ADJUST) };

	/* If the clock was written, no time can be measured with it. */
	if (m.written)
		return m;
	measure_stopped(e, &m);
	measure_forced(e, &m);
	measure_frozen(e, &m);
	halt_in_smm(e, &m);
	measure_stolen(e, &m);
	check_sums(e, &m);
	measure_retired(e, &m);
	return m;
}

/*
 * Proofs of causes, for all rows. A guest's MPERF and PMU stand still while the host runs something
 * else, so neither shows what the core did. And a core may halt in SMM.
 */
static const struct attribution_proof proofs[CAUSES] = {
#define PROOF_INTERRUPT(id)                id
#define PROOF_ERROR(id)                    ERROR
#define COUNTED(id, name, from, kind, ...) [CAUSE_##id] = { PROOF_##kind(id), 0 },
#include "core/cause/counted_rows.h"
	[CAUSE_STEAL] = { GUEST | STEAL_CLOCK, 0 },
	[CAUSE_STOPPED] = { CLOCK_KNOWN, GUEST | SMI },
	[CAUSE_STALL] = { CLOCK_KNOWN | IDLE, GUEST | SMI },
	[CAUSE_UNKNOWN] = { 0, 0 },
};

/* Evidence that would help with a gap in which nothing was counted. */
#define WANTED_CLOCK   (EVIDENCE(MPERF))
#define WANTED_RETIRED (EVIDENCE(INSTRUCTIONS) | EVIDENCE(CYCLES))

#define ROW(name, ...) { __VA_ARGS__ },
static const struct attribution_row rows[] = {
#include "attribution_smm_rows.h"
};

const struct attribution_rules attribution_smm = {
	.measure = attribution_smm_measure,
	.row = rows,
	.proof = proofs,
	.error = CAUSE_MCE,
	.part = {
		[PART_SMM] = { CAUSE_SMI, "core cycles frozen" },
		[PART_STOPPED] = { CAUSE_STOPPED, "core clock off" },
		[PART_STOLEN] = { CAUSE_STEAL, "stolen" },
	},
};
