/* SPDX-License-Identifier: BSD-2-Clause */
/* The performance monitors' counters as evidence. Sections are of the Arm ARM (DDI 0487). */
#include "pmu.h"

#include "attribution_levels.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/pack32.h"
#include "core/lib/ticks.h"

#define DFR0_PMUVER(dfr0) ((dfr0) >> 8 & 0xf)
#define PMUVER_OTHER      0xf /* not PMUv3 */
#define PFR0_EL3(pfr0)    ((pfr0) >> 12 & 0xf)

#define PMCR_E    (UINT64_C(1) << 0)
#define PMCR_D    (UINT64_C(1) << 3) /* every 64th cycle */
#define PMCR_DP   (UINT64_C(1) << 5) /* no cycles where events are prohibited */
#define PMCR_LC   (UINT64_C(1) << 6) /* 64 bits of cycles */
#define PMCR_N(v) ((unsigned)((v) >> 11 & 0x1f))

#define MDCR_HPMN UINT64_C(0x1f)
#define MDCR_HPMD (UINT64_C(1) << 17) /* no events at level 2 */
#define MDCR_HCCD (UINT64_C(1) << 23) /* no cycles at level 2 */

/* PMEVTYPER<n>_EL0 and PMCCFILTR_EL0 */
#define COUNT_LEVEL2     (UINT64_C(1) << 27) /* NSH */
#define NOT_AT_LEVEL3    (UINT64_C(1) << 26) /* M, while P is 0 */
#define CPU_CYCLES       0x11
#define INST_RETIRED     0x08
#define STALL_FRONTEND   0x23
#define STALL_BACKEND    0x24
#define STALL            0x3c /* the sum of both */
#define CYCLE_COUNTER    31u
#define CYCLE_COUNTER_ON (UINT64_C(1) << CYCLE_COUNTER)

#define PROOF_READS  1000u
#define SLACK_NS     100
#define SLACK_PACKED 24 /* packing error of a span's clock and counter, pack32.h */
#define SLACK_MOST   (UINT64_C(1) << 44)
#define RATE_BITS    30
#define BELIEVED     2 /* spans of one rate */
#define SPANS        128
#define SPANS_PER_S  500
#define LONG_MIN     (UINT64_C(1) << 16) /* ticks of a span, where there are no gaps */
#define SPAN_MIN     (UINT64_C(1) << 13)
#define SPAN_MAX     (UINT64_C(1) << 32)
#define WRAP         (UINT64_C(1) << 31) /* half the range of an event counter */

/* Counted events, in the order in which event counters are assigned. */
static const struct row {
	const char *name;
	enum evidence_kind kind;
	uint16_t event;
	uint8_t level; /* only if we run at it; 0: in any case */
	uint64_t filter;
} rows[] = {
	/* In the cycle counter; if there is no other counter, the next row is. */
	{ "cycles_all", EVIDENCE_CYCLES_ALL, CPU_CYCLES, 0, COUNT_LEVEL2 },
	{ "cycles", EVIDENCE_CYCLES, CPU_CYCLES, 2, COUNT_LEVEL2 | NOT_AT_LEVEL3 },
	{ "cycles", EVIDENCE_CYCLES, CPU_CYCLES, 1, NOT_AT_LEVEL3 },
	{ "cycles_to_level2", EVIDENCE_CYCLES_LOW, CPU_CYCLES, 1, COUNT_LEVEL2 | NOT_AT_LEVEL3 },
	{ "instructions", EVIDENCE_INSTRUCTIONS, INST_RETIRED, 0, COUNT_LEVEL2 | NOT_AT_LEVEL3 },
	{ "stalls", EVIDENCE_STALLS, STALL, 0, COUNT_LEVEL2 | NOT_AT_LEVEL3 },
	/* If that event is missing: both of these, or neither. */
	{ "stalls_frontend", EVIDENCE_STALLS, STALL_FRONTEND, 0, COUNT_LEVEL2 | NOT_AT_LEVEL3 },
	{ "stalls_backend", EVIDENCE_STALLS, STALL_BACKEND, 0, COUNT_LEVEL2 | NOT_AT_LEVEL3 },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool pmu_moves(const struct pmu *p, unsigned number)
{
	unsigned reg = number == CYCLE_COUNTER ? PMU_CYCLES : PMU_EVENT + number;
	uint64_t first = p->regs->read(reg);

	for (unsigned n = 0; n < PROOF_READS; n++)
		if (p->regs->read(reg) != first)
			return true;
	return false;
}

static unsigned filter_of(unsigned number)
{
	return number == CYCLE_COUNTER ? PMU_CYCLES_FILTER : PMU_EVENT_TYPE + number;
}

static void drop(const struct pmu *p, unsigned number)
{
	p->regs->write(PMU_DISABLE, UINT64_C(1) << number);
	p->regs->write(filter_of(number), p->saved[filter_of(number)]);
}

static void add_slot(struct pmu *p, unsigned row, unsigned number)
{
	p->slot[p->slots] = (struct pmu_slot){ .row = (uint8_t)row, .number = (uint8_t)number };
	p->saved[filter_of(number)] = p->regs->read(filter_of(number));
	p->slots++; /* pmu_restore() drops it from its first write on, which may trap */
	p->regs->write(filter_of(number),
		       rows[row].filter | (number == CYCLE_COUNTER ? 0u : rows[row].event));
	p->regs->write(PMU_SILENCE, UINT64_C(1) << number);
	p->regs->write(PMU_ENABLE, UINT64_C(1) << number);
	if (!pmu_moves(p, number)) {
		drop(p, number);
		p->slots--;
		return;
	}
	if (number != CYCLE_COUNTER)
		p->events = number + 1;
}

static uint16_t newest_event(const struct pmu *p)
{
	return rows[p->slot[p->slots - 1].row].event;
}

static bool wants(const struct pmu *p, const struct row *row, uint64_t there)
{
	if ((row->level && row->level != p->level) || !(there >> row->event & 1))
		return false;
	if (row->event == STALL_BACKEND)
		return newest_event(p) == STALL_FRONTEND;
	return row->event != STALL_FRONTEND || !(there >> STALL & 1);
}

static void add_events(struct pmu *p, uint64_t taken)
{
	unsigned events = PMCR_N(p->regs->read(PMU_PMCR)), number = 0;
	uint64_t there = p->regs->read(PMU_EVENTS_THERE);

	for (unsigned i = 1; i < ROWS && p->slots < PMU_SLOTS; i++) {
		if (!wants(p, &rows[i], there))
			continue;
		while (number < events && taken >> number & 1)
			number++;
		if (number < events && number < PMU_EVENTS)
			add_slot(p, i, number++);
	}
	if (newest_event(p) == STALL_FRONTEND)
		drop(p, p->slot[--p->slots].number);
}

/* If there is only the cycle counter, it counts at our own level. */
static void without_events(struct pmu *p)
{
	for (unsigned i = 1; p->slots == 1 && i < ROWS; i++) {
		if (rows[i].kind != EVIDENCE_CYCLES || rows[i].level != p->level)
			continue;
		p->slot[0].row = (uint8_t)i;
		p->regs->write(PMU_CYCLES_FILTER, rows[i].filter);
	}
}

/* Stalls of the front end and of the back end are of one kind, and share a column. */
static void lay_columns(struct pmu *p)
{
	p->columns = p->slots;
	p->stalls.two = p->slots && newest_event(p) == STALL_BACKEND;
	if (!p->stalls.two)
		return;
	p->stalls.back = p->slot[--p->columns].number;
	p->stalls.front = p->slot[p->columns - 1].number;
}

/* At level 2 we decide ourselves what is counted there. */
static void open_level2(const struct pmu *p)
{
	uint64_t mdcr = p->saved[PMU_MDCR_EL2] & ~(MDCR_HPMN | MDCR_HPMD | MDCR_HCCD);

	p->regs->write(PMU_MDCR_EL2, mdcr | PMCR_N(p->saved[PMU_PMCR]));
}

bool pmu_there(const struct pmu_regs *regs)
{
	uint64_t version = DFR0_PMUVER(regs->read(PMU_DFR0));

	return version && version != PMUVER_OTHER;
}

/*
 * True if a counter is in use by others. After a reset the enable bits are UNKNOWN (D17.5.6), so
 * one counts only if all counters are enabled, and it moves.
 */
static uint64_t in_use(const struct pmu *p)
{
	uint64_t on = p->regs->read(PMU_PMCR) & PMCR_E ? p->regs->read(PMU_ENABLE) : 0;

	for (unsigned n = 0; n < PMU_EVENTS; n++)
		if (on >> n & 1 && !pmu_moves(p, n))
			on &= ~(UINT64_C(1) << n);
	if (on & CYCLE_COUNTER_ON && !pmu_moves(p, CYCLE_COUNTER))
		on &= ~CYCLE_COUNTER_ON;
	return on;
}

void pmu_arm(struct pmu *p, const struct pmu_regs *regs, unsigned level, uint64_t hz)
{
	uint64_t taken;
	struct evidence e = { .gap = 0 };

	*p = (struct pmu){ .regs = regs, .level = level, .hz = hz };
	p->took_min = p->took_last = GAP_UNSTEADY; /* no reading yet */
	p->rate = p->learned.least = UINT32_MAX;
	p->context.rules = &attribution_levels;
	p->context.hypervisor = level == 2 ? HYPERVISOR_NONE : HYPERVISOR_OTHER;
	p->context.level3 = PFR0_EL3(p->regs->read(PMU_PFR0)) != 0;
	if (!pmu_there(regs))
		return;
	taken = in_use(p);
	p->busy = taken & CYCLE_COUNTER_ON;
	if (p->busy)
		return;
	p->saved[PMU_ENABLE] = p->regs->read(PMU_ENABLE);
	p->saved[PMU_PMCR] = p->regs->read(PMU_PMCR);
	if (level == 2)
		p->saved[PMU_MDCR_EL2] = p->regs->read(PMU_MDCR_EL2);
	p->armed = true;
	if (level == 2)
		open_level2(p);
	p->regs->write(PMU_PMCR, (p->saved[PMU_PMCR] & ~(PMCR_D | PMCR_DP)) | PMCR_E | PMCR_LC);
	add_slot(p, 0, CYCLE_COUNTER);
	if (p->slots)
		add_events(p, taken);
	without_events(p);
	lay_columns(p);
	for (unsigned n = 0; n < 8; n++)
		pmu_step(p, &e);
}

void pmu_restore(struct pmu *p)
{
	unsigned slots = p->slots;

	if (!p->armed)
		return;
	p->armed = false;
	p->slots = p->columns = p->events = 0;
	for (unsigned i = 0; i < slots; i++)
		drop(p, p->slot[i].number);
	p->regs->write(PMU_ENABLE, p->saved[PMU_ENABLE]);
	p->regs->write(PMU_PMCR, p->saved[PMU_PMCR]);
	if (p->level == 2)
		p->regs->write(PMU_MDCR_EL2, p->saved[PMU_MDCR_EL2]);
}

bool pmu_open_stolen(struct pmu *p, const volatile struct stolen_time *at)
{
	if (!at || (uintptr_t)at % 8 || at->revision || at->attributes)
		return false;
	p->stolen = at;
	p->stolen_last = at->ns;
	p->context.armed = EVIDENCE(STEAL);
	return true;
}

static bool is_believed(const struct pmu *p)
{
	return p->learned.spans >= BELIEVED;
}

/* Below 2^62 cycles. */
static uint64_t to_ticks(const struct pmu *p, uint64_t cycles)
{
	return ((cycles >> RATE_BITS) * p->rate) +
	       (((cycles & ((UINT64_C(1) << RATE_BITS) - 1)) * p->rate) >> RATE_BITS);
}

static const struct row *row_of(const struct pmu *p, unsigned slot)
{
	return &rows[p->slot[slot].row];
}

/*
 * The step of the counter in slot n. If an event counter counts cycles, its upper bits are taken
 * from the cycle counter, which does not wrap.
 */
static uint64_t slot_step(const struct pmu *p, unsigned n, const struct gap_steps *s)
{
	uint64_t cycles = pack32_unpack(s->count[PMU_COLUMN_CYCLES]);

	if (n == 0)
		return cycles;
	if (row_of(p, n)->event != CPU_CYCLES)
		return s->count[n];
	return cycles + (uint64_t)(int64_t)(int32_t)(s->count[n] - (uint32_t)cycles);
}

/*
 * True if a 32-bit event counter may have wrapped. In a gap of less than half of its range, a
 * counter of cycles lacks less than that of the cycle counter, which has its upper bits; any other
 * is bounded by the cycles.
 */
static bool may_have_wrapped(const struct pmu *p, unsigned n, const struct gap_steps *s,
			     uint64_t gap)
{
	if (n == 0)
		return false;
	return row_of(p, n)->event == CPU_CYCLES ? gap >= to_ticks(p, WRAP)
						 : slot_step(p, 0, s) >= WRAP;
}

static void weigh_slot(const struct pmu *p, unsigned n, const struct gap_steps *s,
		       struct evidence *e)
{
	enum evidence_kind kind = row_of(p, n)->kind;
	uint64_t step = slot_step(p, n, s);

	if (may_have_wrapped(p, n, s, e->gap))
		return;
	e->step[kind] = kind == EVIDENCE_INSTRUCTIONS ? step : to_ticks(p, step);
	e->have |= 1u << kind;
}

/* Set `freeze` once cycles at level 3 are seen: only that shows that CYCLES_ALL has them. */
static void see_level3(struct pmu *p, const struct evidence *e)
{
	const uint32_t both = EVIDENCE(CYCLES) | EVIDENCE(CYCLES_ALL);
	uint64_t low =
		e->step[e->have & EVIDENCE(CYCLES_LOW) ? EVIDENCE_CYCLES_LOW : EVIDENCE_CYCLES];
	uint64_t all = e->step[EVIDENCE_CYCLES_ALL];

	if ((e->have & both) == both && all > low + e->slack &&
	    all - low > (e->span > all ? e->span - all : 0) + e->slack)
		p->context.freeze = true;
}

void pmu_weigh(struct pmu *p, const struct gap_steps *s, struct evidence *e)
{
	e->context = &p->context;
	e->have = 0;
	memset(e->step, 0, sizeof(e->step));
	for (unsigned n = 0; n < p->columns && is_believed(p); n++)
		weigh_slot(p, n, s, e);
	e->span = pack32_unpack(s->span);
	e->slack = s->unsteady == GAP_UNSTEADY ? SLACK_MOST
					       : s->unsteady + 2 + p->hz / (1000000000 / SLACK_NS) +
							 (e->span >> SLACK_PACKED);
	see_level3(p, e);
	if (s->columns >> PMU_COLUMN_STOLEN & 1) {
		e->have |= EVIDENCE(STEAL);
		e->step[EVIDENCE_STEAL] = ticks_from_ns(pack32_unpack(s->count[PMU_COLUMN_STOLEN]),
							p->hz);
	}
}

void pmu_step(struct pmu *p, struct evidence *e)
{
	p->regs->now(p, &p->now);
	pmu_steps(p, &p->now, &p->learned_from);
	pmu_weigh(p, &p->learned_from, e);
}

void pmu_count(struct pmu *p, struct evidence *e)
{
	struct gap_steps *s = &p->learned_from;

	e->have = 0;
	if (!is_believed(p))
		return;
	p->regs->now(p, &p->now);
	pmu_steps(p, &p->now, s);
	e->step[EVIDENCE_APERF] = slot_step(p, 0, s);
	e->step[EVIDENCE_MPERF] = ticks_to_ns(pack32_unpack(s->span), p->hz);
	e->have = EVIDENCE(APERF) | EVIDENCE(MPERF);
	for (unsigned n = 0; n < p->columns; n++) {
		enum evidence_kind kind = row_of(p, n)->kind;

		if (kind != EVIDENCE_CYCLES && kind != EVIDENCE_INSTRUCTIONS)
			continue;
		e->step[kind] = slot_step(p, n, s);
		e->have |= 1u << kind;
	}
}

/*
 * Learn from a span with this rate. The error of all is a tick at each end of a piece, and the
 * difference of spans.
 */
static void add_span(struct pmu *p, uint64_t span, uint64_t cycles, uint32_t rate)
{
	uint64_t spread, doubt;

	p->learned.least = (uint32_t)arith_min(p->learned.least, rate);
	p->learned.most = (uint32_t)arith_max(p->learned.most, rate);
	p->learned.span += span;
	p->learned.cycles += cycles;
	p->learned.spans++;
	p->learned.pieces += !p->learned.open;
	p->learned.open = true;
	p->rate = (uint32_t)((p->learned.span << RATE_BITS) / p->learned.cycles);
	spread = (p->learned.most - p->learned.least) / p->learned.spans + 1;
	doubt = (spread << RATE_BITS) / p->rate +
		((UINT64_C(2) * p->learned.pieces) << RATE_BITS) / p->learned.span;
	p->context.doubt = (uint32_t)arith_min(doubt, UINT32_MAX);
}

/*
 * Interrupts during the loop may stop a counter, so the spans with the highest rate are right.
 * False: this span is not one of them.
 */
static bool learn_rate(struct pmu *p, uint64_t span, uint64_t cycles)
{
	uint64_t rate = (span << RATE_BITS) / cycles, tick = (UINT64_C(2) << RATE_BITS) / cycles;

	if (!rate || rate + tick >= UINT32_MAX || p->learned.span + span >= SPAN_MAX)
		return false;
	if (rate + tick < p->learned.least) {
		memset(&p->learned, 0, sizeof(p->learned));
		p->learned.least = UINT32_MAX;
	} else if (rate > p->learned.least + tick) {
		p->learned.open = false;
		return false;
	}
	add_span(p, span, cycles, (uint32_t)rate);
	return true;
}

/*
 * Length, in ticks, of the spans to learn from. It is short enough that some have only the loop in
 * them, even if firmware interrupts it every few ms.
 */
static uint64_t pmu_span(const struct pmu *p)
{
	return arith_max(p->hz / SPANS_PER_S, LONG_MIN);
}

/* The loop's own rates: instructions per tick, and the share of cycles without issue. */
static void learn_loop(struct pmu *p, uint64_t span)
{
	p->context.loop_stalls = 0;
	for (unsigned n = 0; n < p->columns; n++) {
		enum evidence_kind kind = row_of(p, n)->kind;
		uint64_t step = slot_step(p, n, &p->learned_from);

		if (kind == EVIDENCE_INSTRUCTIONS)
			p->context.loop_ipc = (uint32_t)((step << 16) / span);
		if (kind == EVIDENCE_STALLS)
			p->context.loop_stalls = (uint32_t)((to_ticks(p, step) << 16) / span);
	}
}

/* Learn from the last pmu_step(), whose span had only sampling in it. The first is not used. */
static void pmu_learn(struct pmu *p, const struct evidence *e)
{
	uint64_t cycles = slot_step(p, 0, &p->learned_from);

	if (!p->slots || !cycles || e->span < SPAN_MIN || e->span >= SPAN_MAX ||
	    !learn_rate(p, e->span, cycles))
		return;
	if (cycles < WRAP)
		learn_loop(p, e->span);
	p->context.armed &= EVIDENCE(STEAL);
	for (unsigned i = 0; i < p->columns && is_believed(p); i++)
		p->context.armed |= 1u << row_of(p, i)->kind;
}

void pmu_learn_from(struct pmu *p, struct cpu *cpu, spans_sample *sample)
{
	struct spans s = spans_of(pmu_span(p), SPAN_MIN, SPANS);
	struct evidence e = { .gap = 0 };

	pmu_step(p, &e);
	while (spans_more(&s)) {
		bool whole = sample(cpu, s.ticks, s.through);

		pmu_step(p, &e);
		if (spans_take(&s, whole))
			pmu_learn(p, &e);
		else
			p->learned.open = false;
	}
}

size_t pmu_names(const struct pmu *p, const char **names, size_t max)
{
	size_t count = 0;

	for (unsigned i = 0; i < p->slots && count < max && is_believed(p); i++)
		names[count++] = row_of(p, i)->name;
	return count;
}
