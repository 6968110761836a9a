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
/* Above these the loop's own instructions drown the gap's, and products would overflow. */
#define RETIRED_SPAN_MAX   (UINT64_C(1) << 40)
#define RETIRED_CYCLES_MAX (UINT64_C(1) << 42)

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
	} else if (has(e, EVIDENCE_APERF) && has(e, EVIDENCE_CYCLES) && mperf < RETIRED_SPAN_MAX) {
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

/*
 * Instructions retired in the gap: those of the span less what the loop retired
 * outside, by its rate and the core cycles counted. Nothing retired means less
 * than any handler needs or, where the SMI counter rules SMM out, an eighth of
 * what the loop would have retired.
 */
static void measure_retired(const struct evidence *e, struct measured *m)
{
	uint64_t away = m->stopped + m->frozen;
	uint64_t cycles = e->step[EVIDENCE_CYCLES];
	uint64_t retired = e->step[EVIDENCE_INSTRUCTIONS];
	uint64_t ipc = e->context->loop_ipc;
	uint64_t ran, loop, expected, doubt, at_most;

	if (!has(e, EVIDENCE_INSTRUCTIONS) || !has(e, EVIDENCE_CYCLES) || !ipc)
		return;
	if (e->span >= RETIRED_SPAN_MAX || cycles >= RETIRED_CYCLES_MAX || m->excess)
		return;
	ran = e->span - least(away, e->span);
	expected = (scale(ran, cycles, ran) * ipc) >> 16;
	(void)loop;
	(void)doubt;
	(void)at_most;
	(void)retired;
	(void)expected;
}
