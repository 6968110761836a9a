/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of a gap the counters account for. */
#include "attribution_measure.h"

/* Our own slow path retires some hundred instructions per gap, any SMI handler thousands. */
#define NOTHING_RETIRED 1024
/* The loop's rate in instructions per cycle is known to this share. */
#define IPC_TOLERANCE 256
/* Beyond these a product could overflow; the loop's instructions then drown the gap's anyway. */
#define PRODUCT_MAX  (UINT64_C(1) << 40)
#define LOOP_IPC_MAX (16u << 16)

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

static void measure_stopped(const struct evidence *e, struct evidence_shares *m)
{
	if (!evidence_has(e, EVIDENCE_MPERF))
		return;
	if (!evidence_is_little(e->slack, e->gap)) {
		m->blurred = true;
		return;
	}
	m->excess |= e->step[EVIDENCE_MPERF] > e->span + e->slack;
	m->stopped = lack(e->span, e->step[EVIDENCE_MPERF], e->slack);
	m->clock_known = true;
}

/* By the reference counter, or by core cycles, which MPERF turns into ticks. */
static void measure_frozen(const struct evidence *e, struct evidence_shares *m)
{
	uint64_t mperf = e->step[EVIDENCE_MPERF];
	uint64_t aperf = e->step[EVIDENCE_APERF];
	uint64_t cycles = e->step[EVIDENCE_CYCLES];

	if (!m->clock_known || !e->context->freeze)
		return;
	if (evidence_has(e, EVIDENCE_REFERENCE)) {
		m->excess |= e->step[EVIDENCE_REFERENCE] > mperf + e->slack;
		m->frozen = lack(mperf, e->step[EVIDENCE_REFERENCE], e->slack);
		m->frozen_known = true;
	} else if (evidence_has(e, EVIDENCE_APERF) && evidence_has(e, EVIDENCE_CYCLES) &&
		   mperf < PRODUCT_MAX) {
		uint64_t ran = scale(mperf, evidence_least(cycles, aperf), aperf);

		m->frozen = lack(mperf, ran, e->slack);
		m->frozen_known = true;
	}
}

/*
 * A core may halt inside SMM while it waits for the others, which stops MPERF
 * too: with an SMI in the gap both deficits are SMM's.
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

/* What the sampling loop retires in `ticks` of the `ran` it was counted in. */
static uint64_t loop_retires(const struct evidence *e, uint64_t ticks, uint64_t ran)
{
	return (scale(e->step[EVIDENCE_CYCLES], ticks, ran) * e->context->loop_ipc) >> 16;
}

static bool can_measure_retired(const struct evidence *e)
{
	return evidence_has(e, EVIDENCE_INSTRUCTIONS) && evidence_has(e, EVIDENCE_CYCLES) &&
	       e->context->loop_ipc != 0 && e->context->loop_ipc < LOOP_IPC_MAX &&
	       e->span < PRODUCT_MAX && e->step[EVIDENCE_CYCLES] < PRODUCT_MAX;
}

/*
 * Instructions retired in the gap: those of the span less what the loop retired
 * outside. Nothing retired means less than any handler needs or, where the SMI
 * counter rules SMM out, an eighth of what the loop would have retired.
 */
static void measure_retired(const struct evidence *e, struct evidence_shares *m)
{
	uint64_t away = m->stopped + m->frozen;
	uint64_t retired = e->step[EVIDENCE_INSTRUCTIONS];
	uint64_t ran, inside, outside, doubt;

	if (!can_measure_retired(e) || m->excess)
		return;
	ran = e->span - evidence_least(away, e->span);
	inside = evidence_least(e->gap - away, ran);
	outside = loop_retires(e, ran - inside, ran);
	doubt = outside / IPC_TOLERANCE;
	m->retired = retired > outside ? retired - outside : 0;
	m->idle = m->retired + doubt <= NOTHING_RETIRED ||
		  (evidence_has(e, EVIDENCE_SMI) && !evidence_has_counted(e, EVIDENCE_SMI) &&
		   evidence_is_little(m->retired + doubt, loop_retires(e, inside, ran)));
	m->busy = m->retired > doubt + NOTHING_RETIRED;
}

/* The parts must fit into the gap, and the gap into the span. */
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
	m->stopped = evidence_least(m->stopped, e->gap);
	m->frozen = evidence_least(m->frozen, e->gap - m->stopped);
	m->stolen = evidence_least(m->stolen, e->gap);
}

struct evidence_shares attribution_measure(const struct evidence *e)
{
	struct evidence_shares m = { .written = evidence_has_counted(e, EVIDENCE_TSC_ADJUST) };

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
