/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings of the counters, their steps, and what is learned from those of the loop. */
#include "counters.h"

#include "core/lib/mem.h"
#include "core/lib/pack32.h"
#include "core/lib/ticks.h"

#define WARM_UPS    8u
#define STEAL_READS 1000u
/* Counters at the clock's rate may step by some hundred ticks, and drift by 1 ppm. */
#define SLACK_TICKS  256u
#define SLACK_DRIFT  20
#define SLACK_PACKED 24 /* packing error of clock and counter, pack32.h */

/* Rates are learned within 1.6 % of the clock's, from spans of at least so many ticks. */
#define RATE_RANGE (INT64_C(1) << 26)
#define SPAN_MIN   (UINT64_C(1) << 19)
#define SPAN_MAX   UINT64_C(8000000)
#define RATE_SAME  (INT64_C(1) << 18) /* spans agree: 61 ppm */
#define SCALABLE   (UINT64_C(1) << 44)

/*
 * The part `share`, 2^-32, of a number of ticks; 0 if that is more than a counter can have stepped.
 */
static int64_t part_of(uint64_t ticks, int64_t share)
{
	return ticks < SCALABLE ? ((int64_t)(ticks >> 8) * share) >> 24 : 0;
}

/*
 * The version is odd while the host writes, and changes with each write. A call keeps the slow path
 * of cores without a steal clock short.
 */
static __attribute__((noinline)) bool read_steal(const struct counters *c, uint64_t *now)
{
	const volatile struct counter_steal_area *area = c->area;

	for (unsigned i = 0; i < STEAL_READS; i++) {
		uint32_t version = area->version;

		*now = area->steal_ns;
		if (!(version & 1) && area->version == version)
			return true;
	}
	return false;
}

static bool read_column(const struct counters *c, const struct counter_column *column,
			uint64_t *now)
{
	return counter_rows[column->row].reader == READ_STEAL ? read_steal(c, now)
							      : c->regs->rdmsr(column->msr, now);
}

void counters_read(struct counters *c)
{
	uint64_t start = c->regs->clock();
	uint32_t fresh = 0;
	unsigned n = 0;

	for (; n < c->clocks; n++)
		fresh |= (uint32_t)c->regs->rdmsr(c->column[n].msr, &c->column[n].now) << n;
	c->now.took = c->regs->clock() - start;
	for (; n < c->columns; n++)
		fresh |= (uint32_t)read_column(c, &c->column[n], &c->column[n].now) << n;
	c->now.clock = start;
	c->now.fresh = fresh;
}

void counters_steps(struct counters *c, struct gap_steps *steps)
{
	for (unsigned n = 0; n < c->columns; n++) {
		struct counter_column *column = &c->column[n];
		uint64_t step = column->now - column->last;

		if (!(c->now.fresh >> n & 1))
			continue;
		steps->count[n] = n < c->clocks ? pack32(step & column->mask)
						: pack32_signed((int64_t)step);
		column->last = column->now;
	}
	steps->span = pack32(c->now.clock - c->clock_last);
	steps->unsteady = gap_unsteady(c->now.took, &c->took_min, &c->took_last);
	steps->columns = (uint8_t)(c->now.fresh & c->fresh);
	c->fresh = c->now.fresh;
	c->clock_last = c->now.clock;
}

/* No kind has two rows that count on one core. */
static void weigh_column(struct counters *c, unsigned n, uint32_t count, struct evidence *e)
{
	const struct counter_row *row = &counter_rows[c->column[n].row];
	struct counter_slot *slot = &c->slot[c->column[n].row];

	slot->step = n < c->clocks ? pack32_unpack(count) : (uint64_t)pack32_unpack_signed(count);
	if (row->reader == READ_STEAL)
		slot->step = ticks_from_ns(slot->step, c->hz);
	e->step[row->kind] = slot->step + (uint64_t)part_of(slot->step, slot->rate.off);
	if (slot->believed)
		e->have |= 1u << row->kind;
}

/*
 * Time by which clock and counters may have been read apart: delays of this reading or the one
 * before, at any point in it.
 */
static uint64_t slack(const struct counters *c, uint32_t unsteady, const struct evidence *e)
{
	uint64_t outside = e->span > e->gap ? e->span - e->gap : 0;

	if (unsteady == GAP_UNSTEADY)
		return SCALABLE;
	return unsteady + SLACK_TICKS + (outside >> SLACK_DRIFT) + (e->span >> SLACK_PACKED) +
	       (uint64_t)part_of(outside, c->doubt);
}

void counters_weigh(struct counters *c, const struct gap_steps *steps, struct evidence *e)
{
	e->context = &c->context;
	e->have = 0;
	memset(e->step, 0, sizeof(e->step));
	for (unsigned n = 0; n < c->columns; n++) {
		c->slot[c->column[n].row].step = 0;
		if (steps->columns >> n & 1)
			weigh_column(c, n, steps->count[n], e);
	}
	e->span = pack32_unpack(steps->span);
	e->slack = slack(c, steps->unsteady, e);
}

void counters_step(struct counters *c, struct evidence *e)
{
	struct gap_steps steps;

	counters_read(c);
	counters_steps(c, &steps);
	counters_weigh(c, &steps, e);
}

/* Update the kinds that are read at each gap and believed. */
static void note_armed(struct counters *c)
{
	c->context.armed = 0;
	for (unsigned n = 0; n < c->columns; n++)
		if (c->slot[c->column[n].row].believed)
			c->context.armed |= 1u << counter_rows[c->column[n].row].kind;
}

/* The first steps have no start; later ones show the time of an undisturbed reading. */
void counters_begin(struct counters *c)
{
	struct evidence e = { .gap = 0 };

	c->took_min = UINT64_MAX;
	c->doubt = c->fresh = 0;
	c->apart = false;
	for (unsigned n = 0; n < WARM_UPS; n++)
		counters_step(c, &e);
	note_armed(c);
}

/* True if the counter froze during an SMI. That a processor accepts the bit does not show it. */
static bool froze(const struct counters *c, const struct evidence *e)
{
	const uint32_t both = EVIDENCE(MPERF) | EVIDENCE(REFERENCE);

	return counters_armed(c, COUNTER_FREEZE) && (e->have & both) == both &&
	       e->step[EVIDENCE_MPERF] > e->step[EVIDENCE_REFERENCE] + e->slack;
}

void counters_counted(struct counters *c, uint32_t known, const struct gap_evidence *counted,
		      struct evidence *e)
{
	uint32_t have = known;

#define HAVE_REGISTER(name)          (counted->name != 0)
#define HAVE_HANDLER(name)           true
#define COUNTED(id, name, from, ...) have |= HAVE_##from(name) ? EVIDENCE(id) : 0;
#include "core/cause/counted_rows.h"
	attribution_add_counts(e, have, counted);
	if (counted->smi && !c->context.freeze)
		c->context.freeze = froze(c, e);
}

/* True if the readings themselves were not delayed: then a rate can be learned from them. */
static bool calm(const struct counters *c, const struct evidence *e)
{
	return e->span >= SPAN_MIN && e->span < SCALABLE &&
	       e->slack - part_of(e->span, c->doubt) <= 2 * SLACK_TICKS + (e->span >> SLACK_DRIFT);
}

/*
 * Choose the rate. The loop never halts, but an interruption may stop a counter, so the span with
 * the highest count is right, and so are spans that agree with it.
 */
static void settle_rate(struct counter_rate *r, uint64_t slack, uint64_t span, bool apart)
{
	int64_t least = r->seen[0], sum = 0, most = 0;
	unsigned same = 0;

	for (unsigned n = 1; n < r->spans; n++)
		if (r->seen[n] < least)
			least = r->seen[n];
	for (unsigned n = 0; n < r->spans; n++) {
		if (r->seen[n] - least > RATE_SAME)
			continue;
		sum += r->seen[n];
		most = r->seen[n] > most || !same ? r->seen[n] : most;
		same++;
	}
	r->off = (int32_t)(sum / same);
	/*
	 * In consecutive spans, if one reading is too late, the next span is too short by the same
	 * time.
	 */
	r->doubt = same > 1 ? (uint32_t)((most - least) / (apart ? 2 : same))
			    : (uint32_t)((slack << 32) / span);
}

static void learn_rate(const struct counters *c, struct counter_slot *slot,
		       const struct evidence *e)
{
	struct counter_rate *r = &slot->rate;
	int64_t off = (int64_t)(e->span - slot->step);

	if (r->spans == COUNTER_SPANS || !calm(c, e) || !slot->step ||
	    off > (int64_t)(e->span >> 6) || off < -(int64_t)(e->span >> 6))
		return;
	/* Below 2^44 ticks, 1/64 of the step fits with 25 more bits; further bits do not matter. */
	off = (off * (INT64_C(1) << 24)) / (int64_t)(slot->step >> 8);
	if (off >= RATE_RANGE || off <= -RATE_RANGE)
		return;
	r->seen[r->spans++] = (int32_t)off;
	settle_rate(r, e->slack, e->span, c->apart);
	slot->believed = true;
}

/* Steps start with the first reading; e->have has only those that are believed. */
static void learn_rates(struct counters *c, const struct evidence *e)
{
	uint32_t doubt = 0;

	for (unsigned n = 0; n < c->clocks; n++) {
		unsigned i = c->column[n].row;
		struct counter_slot *slot = &c->slot[i];

		if (counter_rows[i].proof != PROOF_RATE)
			continue;
		learn_rate(c, slot, e);
		if (slot->rate.doubt > doubt)
			doubt = slot->rate.doubt;
	}
	c->doubt = doubt;
}

static void learn_ipc(struct counters *c, const struct evidence *e)
{
	const uint32_t both = EVIDENCE(INSTRUCTIONS) | EVIDENCE(CYCLES);
	uint64_t cycles = e->step[EVIDENCE_CYCLES];
	uint64_t retired = e->step[EVIDENCE_INSTRUCTIONS];

	if ((e->have & both) == both && cycles && retired < UINT64_C(1) << 32)
		c->context.loop_ipc = (uint32_t)((retired << 16) / cycles);
}

/* Learn the loop's core cycles per tick of MPERF, which give the core's frequency. */
static void learn_frequency(struct counters *c, const struct evidence *e)
{
	const struct counter_slot *slot = counters_armed(c, EVIDENCE_MPERF);
	uint64_t mperf = e->step[EVIDENCE_MPERF], aperf = e->step[EVIDENCE_APERF];

	if (slot && slot->believed && mperf && aperf < UINT64_C(1) << 32)
		c->context.loop_rate = (uint32_t)((aperf << 16) / mperf);
}

void counters_learn(struct counters *c, const struct evidence *e)
{
	learn_rates(c, e);
	learn_ipc(c, e);
	learn_frequency(c, e);
	note_armed(c);
}

void counters_learn_from(struct counters *c, struct cpu *cpu, spans_sample *sample)
{
	struct spans s = spans_of(SPAN_MAX, SPAN_MIN, COUNTER_SPANS);
	struct evidence e = { .gap = 0 };

	while (spans_more(&s)) {
		bool whole;

		counters_step(c, &e);
		whole = sample(cpu, s.ticks, s.through);
		counters_step(c, &e);
		c->apart |= !whole;
		if (spans_take(&s, whole))
			counters_learn(c, &e);
	}
}
