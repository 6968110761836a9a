/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of evidence, and code common to all its rows. */
#include "counters_row.h"

#include "core/lib/mem.h"
#include "core/lib/pack32.h"
#include "core/lib/steps.h"

#define MSR_MPERF        0xe7u
#define MSR_APERF        0xe8u
#define MSR_TSC_ADJUST   0x3bu
#define MSR_THERM_STATUS 0x19cu

#define FAMILY_CORE 6u
#define FAMILY_NEXT 18u /* 15 is the Pentium 4's */

#define PROOF_READS 1000u /* a counter that runs has moved by then */
#define WARM_UPS    8u
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

bool counter_bare(const struct counters *c)
{
	return c->context.hypervisor == HYPERVISOR_NONE;
}

bool counter_vendor(const struct counters *c, const char *vendor)
{
	return !strcmp(c->id->vendor, vendor);
}

bool counter_update(const struct counters *c, uint32_t msr, uint64_t mask, uint64_t bits)
{
	uint64_t v;

	steps_note_at("setting MSR", msr);
	return c->regs->rdmsr(msr, &v) && c->regs->wrmsr(msr, (v & ~mask) | bits) &&
	       c->regs->rdmsr(msr, &v) && (v & mask) == bits;
}

bool counter_moves(const struct counters *c, const struct counter_slot *slot)
{
	uint64_t first, now;

	if (!c->regs->rdmsr(slot->msr, &first))
		return false;
	for (unsigned n = 0; n < PROOF_READS; n++)
		if (c->regs->rdmsr(slot->msr, &now) && now != first)
			return true;
	return false;
}

static enum counter_state readable(const struct counters *c, struct counter_slot *slot,
				   uint32_t msr, uint64_t mask)
{
	uint64_t v;

	steps_note_at("reading MSR", msr);
	if (!c->regs->rdmsr(msr, &v))
		return COUNTER_ABSENT;
	slot->msr = msr;
	slot->mask = mask;
	return COUNTER_FOUND;
}

/*
 * MSR_SMI_COUNT has no CPUID bit. Intel has it since Nehalem and Silvermont: family 6, and
 * those after it, 18 (Nova Lake) and 19 (Diamond Rapids; Linux, asm/intel-family.h). QEMU's TCG
 * counts in it, and KVM its virtual SMIs, whatever vendor they show. AMD has no such register.
 */
static enum counter_state smi_detect(struct counters *c, const struct counter_row *row,
				     struct counter_slot *slot)
{
	bool intel = counter_vendor(c, "GenuineIntel") &&
		     (c->id->family == FAMILY_CORE || c->id->family >= FAMILY_NEXT);
	bool virtual = c->context.hypervisor == HYPERVISOR_KVM ||
		       c->context.hypervisor == HYPERVISOR_TCG;

	return intel || virtual ? readable(c, slot, row->param, UINT32_MAX) : COUNTER_ABSENT;
}

/*
 * MPERF and APERF, but not in a guest, where they stand still whenever the host runs something
 * else.
 */
static enum counter_state perf_detect(struct counters *c, const struct counter_row *row,
				      struct counter_slot *slot)
{
	if (!counter_bare(c) || !regs_has_leaf(c->regs, LEAF_THERMAL) ||
	    !(c->regs->cpuid(LEAF_THERMAL, 0).ecx & ECX_APERFMPERF))
		return COUNTER_ABSENT;
	return readable(c, slot, row->param, UINT64_MAX);
}

static enum counter_state adjust_detect(struct counters *c, const struct counter_row *row,
					struct counter_slot *slot)
{
	if (!regs_has_leaf(c->regs, LEAF_EXTENDED) ||
	    !(c->regs->cpuid(LEAF_EXTENDED, 0).ebx & EBX_TSC_ADJUST))
		return COUNTER_ABSENT;
	return readable(c, slot, row->param, UINT64_MAX);
}

/* Our own trap handlers count, on any processor. */
static enum counter_state always(struct counters *c, const struct counter_row *row,
				 struct counter_slot *slot)
{
	(void)c;
	(void)row;
	(void)slot;
	return COUNTER_FOUND;
}

static const struct counter_ops smi_ops = { .detect = smi_detect };
static const struct counter_ops perf_ops = { .detect = perf_detect };
static const struct counter_ops adjust_ops = { .detect = adjust_detect };
static const struct counter_ops handler_ops = { .detect = always };

/* Clock-like counters come first, so that they are read close to the clock. */
/* clang-format off */
static const struct counter_row rows[] = {
	/* SDM vol. 3 and APM vol. 2, MPERF */
	{ "mperf", EVIDENCE_MPERF, READ_CLOCK, PROOF_RATE, &perf_ops, MSR_MPERF },
	/* SDM vol. 3, IA32_FIXED_CTR2 */
	{ "reference", EVIDENCE_REFERENCE, READ_CLOCK, PROOF_RATE, &counter_fixed_ops, 2 },
	/* SDM vol. 3 and APM vol. 2, APERF */
	{ "aperf", EVIDENCE_APERF, READ_CLOCK, PROOF_RUNS, &perf_ops, MSR_APERF },
	/* SDM vol. 3, IA32_FIXED_CTR1 */
	{ "cycles", EVIDENCE_CYCLES, READ_CLOCK, PROOF_RUNS, &counter_fixed_ops, 1 },
	/* AMD PPR, PMCx076 */
	{ "cycles", EVIDENCE_CYCLES, READ_CLOCK, PROOF_RUNS, &counter_amd_ops, 0x76 },
	/* SDM vol. 3, IA32_FIXED_CTR0 */
	{ "instructions", EVIDENCE_INSTRUCTIONS, READ_CLOCK, PROOF_RUNS, &counter_fixed_ops, 0 },
	/* AMD PPR, PMCx0C0 */
	{ "instructions", EVIDENCE_INSTRUCTIONS, READ_CLOCK, PROOF_RUNS, &counter_amd_ops, 0xc0 },
	/* SDM vol. 3, IA32_DEBUGCTL, FREEZE_WHILE_SMM */
	{ "freeze_in_smm", EVIDENCE_KINDS, READ_ELSEWHERE, PROOF_NONE, &counter_freeze_ops, 0 },
	/* SDM vol. 4, MSR_SMI_COUNT */
	{ "smi_count", EVIDENCE_SMI, READ_ELSEWHERE, PROOF_SEEN, &smi_ops, MSR_SMI_COUNT },
	/* AMD PPR, PMCx02B */
	{ "smi_received", EVIDENCE_SMI, READ_ELSEWHERE, PROOF_SEEN, &counter_amd_ops, 0x2b },
	/* counted by our handler */
	{ "nmi_count", EVIDENCE_NMI, READ_ELSEWHERE, PROOF_NONE, &handler_ops, 0 },
	/* counted by our handler */
	{ "mce_count", EVIDENCE_MCE, READ_ELSEWHERE, PROOF_NONE, &handler_ops, 0 },
	/* SDM vol. 3, IA32_TSC_ADJUST */
	{ "tsc_adjust", EVIDENCE_TSC_ADJUST, READ_COUNT, PROOF_NONE, &adjust_ops, MSR_TSC_ADJUST },
	/* Linux, Documentation/virt/kvm/x86/msr.rst */
	{ "steal_clock", EVIDENCE_STEAL, READ_COUNT, PROOF_NONE, &counter_steal_ops, 0 },
	/* SDM vol. 3 and APM vol. 2, IA32_MCi_STATUS */
	{ "mce_banks", EVIDENCE_MCE_LOG, READ_LOG, PROOF_NONE, &counter_banks_ops, 0 },
	/* SDM vol. 3, IA32_THERM_STATUS */
	{ "thermal", EVIDENCE_THROTTLE, READ_LOG, PROOF_NONE, &counter_thermal_ops,
	  MSR_THERM_STATUS },
	/* SDM vol. 3, IA32_PACKAGE_THERM_STATUS */
	{ "package_thermal", EVIDENCE_THROTTLE, READ_LOG, PROOF_NONE, &counter_thermal_ops,
	  MSR_PACKAGE_STATUS },
};
/* clang-format on */

#define ROWS      (sizeof(rows) / sizeof(rows[0]))
#define MPERF_ROW 0

_Static_assert(ROWS <= COUNTER_ROWS_MAX, "a slot per row");

static enum evidence_hypervisor hypervisor_kind(const char *name)
{
	if (!name[0])
		return HYPERVISOR_NONE;
	if (!strcmp(name, "KVM"))
		return HYPERVISOR_KVM;
	return strcmp(name, "TCG") ? HYPERVISOR_OTHER : HYPERVISOR_TCG;
}

void counters_detect(struct counters *c, const struct regs *regs, const struct arch_identity *id,
		     uint64_t hz, struct counter_steal_area *area)
{
	*c = (struct counters){ .regs = regs, .id = id, .hz = hz, .area = area };
	c->context.hypervisor = hypervisor_kind(id->hypervisor);
	for (unsigned i = 0; i < ROWS; i++)
		c->slot[i].state = (uint8_t)rows[i].ops->detect(c, &rows[i], &c->slot[i]);
}

static bool read_now(const struct counters *c, unsigned i, uint64_t *now)
{
	const struct counter_slot *slot = &c->slot[i];

	return rows[i].ops->read ? rows[i].ops->read(c, slot, now) : c->regs->rdmsr(slot->msr, now);
}

static void put_back(struct counters *c, unsigned i)
{
	if (rows[i].ops->restore)
		rows[i].ops->restore(c, &c->slot[i]);
}

static bool arms(struct counters *c, unsigned i)
{
	const struct counter_row *row = &rows[i];

	if (row->ops->arm && !row->ops->arm(c, row, &c->slot[i]))
		return false;
	return (row->proof != PROOF_RUNS && row->proof != PROOF_RATE) ||
	       counter_moves(c, &c->slot[i]);
}

/* Rows of READ_CLOCK come first. One core never has more of both kinds than there are columns. */
static void add_column(struct counters *c, unsigned i)
{
	const struct counter_slot *slot = &c->slot[i];

	if (c->columns == GAP_COLUMNS)
		return;
	c->column[c->columns++] = (struct counter_column){
		.mask = slot->mask, .last = slot->last, .msr = slot->msr, .row = (uint8_t)i
	};
	c->clocks += rows[i].reader == READ_CLOCK;
}

static void arm_row(struct counters *c, unsigned i)
{
	struct counter_slot *slot = &c->slot[i];

	if (!arms(c, i)) {
		put_back(c, i);
		slot->state = COUNTER_SILENT;
		return;
	}
	slot->state = COUNTER_ARMED;
	slot->believed = rows[i].proof != PROOF_RATE;
	slot->fresh = false;
	slot->rate = (struct counter_rate){ 0 };
	if (rows[i].reader == READ_LOG)
		c->log[c->logs++] = (uint8_t)i;
	else if (rows[i].reader != READ_ELSEWHERE)
		add_column(c, i);
}

/* Update the kinds that are read at each gap and believed. */
static void note_armed(struct counters *c)
{
	c->context.armed = 0;
	for (unsigned i = 0; i < ROWS; i++)
		if (c->slot[i].state == COUNTER_ARMED && c->slot[i].believed &&
		    (rows[i].reader == READ_CLOCK || rows[i].reader == READ_COUNT))
			c->context.armed |= 1u << rows[i].kind;
}

void counters_arm(struct counters *c, bool clear_logs)
{
	struct evidence e = { .gap = 0 };

	for (unsigned i = 0; i < ROWS; i++) {
		if (c->slot[i].state != COUNTER_FOUND)
			continue;
		arm_row(c, i);
		if (clear_logs && rows[i].ops->clear)
			rows[i].ops->clear(c, &c->slot[i]);
	}
	/* The first steps have no start; later ones show the time of an undisturbed reading. */
	c->took_min = UINT64_MAX;
	c->doubt = c->fresh = 0;
	c->apart = c->logs_fresh = false;
	for (unsigned n = 0; n < WARM_UPS; n++)
		counters_step(c, true, &e);
	c->throttled = c->banks = 0;
	note_armed(c);
}

void counters_restore(struct counters *c)
{
	for (unsigned i = ROWS; i-- > 0;) {
		if (c->slot[i].state != COUNTER_ARMED)
			continue;
		put_back(c, i);
		c->slot[i].state = COUNTER_FOUND;
	}
	c->clocks = c->columns = c->logs = 0;
}

/*
 * The part `share`, 2^-32, of a number of ticks; 0 if that is more than a counter can have stepped.
 */
static int64_t part_of(uint64_t ticks, int64_t share)
{
	return ticks < SCALABLE ? ((int64_t)(ticks >> 8) * share) >> 24 : 0;
}

static bool read_column(const struct counters *c, const struct counter_column *column,
			uint64_t *now)
{
	const struct counter_row *row = &rows[column->row];

	return row->ops->read ? row->ops->read(c, &c->slot[column->row], now)
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
	c->logs_fresh = false;
}

/* No kind has two rows that count on one core. */
static void weigh_column(struct counters *c, unsigned n, uint32_t count, struct evidence *e)
{
	const struct counter_row *row = &rows[c->column[n].row];
	struct counter_slot *slot = &c->slot[c->column[n].row];

	slot->step = n < c->clocks ? pack32_unpack(count) : (uint64_t)pack32_unpack_signed(count);
	if (row->ops->weigh)
		slot->step = row->ops->weigh(c, slot->step);
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

static void step_log(struct counters *c, unsigned i, bool was_fresh, struct evidence *e)
{
	struct counter_slot *slot = &c->slot[i];
	uint64_t now, step;

	was_fresh = was_fresh && slot->fresh;
	slot->fresh = rows[i].ops->read(c, slot, &now);
	if (!slot->fresh)
		return;
	step = rows[i].ops->step(c, slot, now);
	slot->last = now;
	if (rows[i].kind == EVIDENCE_THROTTLE)
		c->throttled |= (uint32_t)step;
	if (rows[i].kind == EVIDENCE_MCE_LOG)
		c->banks |= (uint32_t)step;
	if (!was_fresh)
		return;
	e->step[rows[i].kind] |= step;
	if (slot->believed)
		e->have |= 1u << rows[i].kind;
}

void counters_step(struct counters *c, bool logs, struct evidence *e)
{
	struct gap_steps steps;
	bool were_fresh = c->logs_fresh;

	counters_read(c);
	counters_steps(c, &steps);
	counters_weigh(c, &steps, e);
	for (unsigned n = 0; logs && n < c->logs; n++)
		step_log(c, c->log[n], were_fresh, e);
	c->logs_fresh = logs;
}

static bool freeze_armed(const struct counters *c)
{
	for (unsigned i = 0; i < ROWS; i++) {
		if (rows[i].ops == &counter_freeze_ops)
			return c->slot[i].state == COUNTER_ARMED;
	}
	return false;
}

/* True if the counter froze during an SMI. That a processor accepts the bit does not show it. */
static bool froze(const struct counters *c, const struct evidence *e)
{
	const uint32_t both = EVIDENCE(MPERF) | EVIDENCE(REFERENCE);

	return freeze_armed(c) && (e->have & both) == both &&
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

		if (rows[i].proof != PROOF_RATE)
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
	uint64_t mperf = e->step[EVIDENCE_MPERF], aperf = e->step[EVIDENCE_APERF];

	if (c->slot[MPERF_ROW].believed && mperf && aperf < UINT64_C(1) << 32)
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

		counters_step(c, false, &e);
		whole = sample(cpu, s.ticks, s.through);
		counters_step(c, false, &e);
		c->apart |= !whole;
		if (spans_take(&s, whole))
			counters_learn(c, &e);
	}
}

/* The armed row of a kind; ROWS if there is none. */
static unsigned armed_row(const struct counters *c, enum evidence_kind kind)
{
	unsigned i = 0;

	while (i < ROWS && (rows[i].kind != kind || c->slot[i].state != COUNTER_ARMED))
		i++;
	return i;
}

bool counters_register(const struct counters *c, enum evidence_kind kind, uint32_t *msr)
{
	unsigned row = armed_row(c, kind);

	if (row == ROWS)
		return false;
	*msr = c->slot[row].msr;
	return true;
}

bool counters_proved(const struct counters *c, enum evidence_kind kind)
{
	unsigned row = armed_row(c, kind);

	return row < ROWS && c->slot[row].proved;
}

bool counters_tsc_adjust(const struct counters *c, uint64_t *value)
{
	unsigned row = armed_row(c, EVIDENCE_TSC_ADJUST);

	return row < ROWS && read_now(c, row, value);
}

bool counters_measure(const struct counters *c)
{
	return c->columns;
}

size_t counters_names(const struct counters *c, enum counter_state state, const char **names,
		      size_t max)
{
	size_t n = 0;

	for (unsigned i = 0; i < ROWS && n < max; i++) {
		if (c->slot[i].state == state)
			names[n++] = rows[i].name;
	}
	return n;
}

size_t counters_believed(const struct counters *c, uint32_t known, const char **names, size_t max)
{
	size_t n = 0;

	for (unsigned i = 0; i < ROWS && n < max; i++) {
		bool seen = rows[i].proof == PROOF_SEEN
				    ? known >> rows[i].kind & 1 || c->slot[i].proved
				    : c->slot[i].believed;

		if (c->slot[i].state == COUNTER_ARMED && seen)
			names[n++] = rows[i].name;
	}
	return n;
}
