/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One window on one core: the hot loop, and the slow path behind each gap.
 *
 * No moment of a window is blind. The slow path is cut into pieces, each
 * followed by a clock read (a lap). A piece's calibrated cost is taken out of
 * exposure; what it took beyond that is a gap of its own, queued and recorded
 * like any other. A gap inside a piece began somewhere in it, so its start is
 * set to the middle: the error is at most half the piece's cost.
 */
#include "probe.h"

#include "arch.h"
#include "core/mem.h"
#include "evidence.h"
#include "loop.h"

#include <stdatomic.h>

#define QUEUE_MAX       32
#define CALIBRATIONS    129
#define INTERVAL_ROUNDS 16
#define LATE_TICKS      (UINT64_C(1) << 16) /* waiting gives way until this close to the start */

/* One excursion from the loop: the gap that caused it, and those found on the way. */
struct excursion {
	struct gap gap[QUEUE_MAX];
	uint32_t used;
	uint32_t recording;     /* the gap being recorded; what is behind it waits */
	uint64_t last;          /* last sample */
	uint64_t ticks[PIECES]; /* as last timed, for calibration */
};

static inline struct gap *push(struct cpu *cpu, struct excursion *x, uint64_t start, uint64_t ticks)
{
	struct gap *gap;

	if (__builtin_expect(x->used == QUEUE_MAX, false)) {
		cpu->queue_full++;
		/* One that still waits takes it along; else the time is no exposure. */
		if (x->recording < x->used - 1)
			x->gap[x->used - 1].ticks += ticks;
		else
			cpu->window.slow += ticks;
		return NULL;
	}
	gap = &x->gap[x->used++];
	gap->start = start;
	gap->ticks = ticks;
	gap->evidence = (struct gap_evidence){ 0 };
	return gap;
}

static inline void share(uint32_t *rich, uint32_t *poor)
{
	if (*rich >= 2 && !*poor) {
		--*rich;
		++*poor;
	}
}

static inline void share_between(struct gap_evidence *a, struct gap_evidence *b)
{
	share(&a->smi, &b->smi);
	share(&b->smi, &a->smi);
	share(&a->nmi, &b->nmi);
	share(&b->nmi, &a->nmi);
}

/* What a piece of work took since the last sample. Beyond its cost it holds a gap. */
static inline bool timed(struct cpu *cpu, const struct window_plan *plan, struct excursion *x,
			 enum piece piece, uint64_t *start, uint64_t *ticks)
{
	uint64_t cost = cpu->cost[piece];
	uint64_t now = clock_now();
	uint64_t last = x->last;
	uint64_t took = now - last;

	x->last = now;
	x->ticks[piece] = took;
	if (__builtin_expect((int64_t)(took - cost) < (int64_t)plan->threshold, true)) {
		cpu->window.slow += took;
		return false;
	}
	cpu->window.slow += cost;
	*start = last + cost / 2;
	*ticks = took - cost;
	return true;
}

static void found(struct cpu *cpu, const struct window_plan *plan, struct excursion *x,
		  uint64_t start, uint64_t ticks);

static inline void lap(struct cpu *cpu, const struct window_plan *plan, struct excursion *x,
		       enum piece piece)
{
	uint64_t start, ticks;

	if (__builtin_expect(timed(cpu, plan, x, piece, &start, &ticks), false))
		found(cpu, plan, x, start, ticks);
}

/*
 * Gaps from number `from` on follow each other so closely that a counter's step
 * may belong to one or its neighbour: all that is certain is that it came before
 * the read. Of two or more steps each gap gets its share, the nearest first. A
 * single step stays where it was read: the other gap's cause is then unknown,
 * which is what is known.
 */
static void settle(struct cpu *cpu, const struct window_plan *plan, struct excursion *x,
		   uint32_t from)
{
	uint32_t end = x->used;

	for (uint32_t distance = 1; from + distance < end; distance++) {
		for (uint32_t i = from; i + distance < end; i++) {
			share_between(&x->gap[i].evidence, &x->gap[i + distance].evidence);
			lap(cpu, plan, x, PIECE_SETTLE);
		}
	}
}

/*
 * Further gaps, found before the counters could be read for `unread`, or, when
 * that is NULL, while they were read for the last in the queue. Pushing is timed
 * too; what is found in it shares the read. The steps go to the first that waits
 * for them: behind an SMI, with its caches cold, the slow path itself is slow.
 */
static __attribute__((noinline)) void witness_more(struct cpu *cpu, const struct window_plan *plan,
						   struct excursion *x, struct gap *unread,
						   uint64_t start, uint64_t ticks)
{
	uint32_t from = x->used - 1;
	struct gap *gap;
	bool more;

	do {
		do {
			gap = push(cpu, x, start, ticks);
			if (!unread)
				unread = gap;
			more = timed(cpu, plan, x, PIECE_PUSH, &start, &ticks);
		} while (more && gap);
		if (!unread)
			break;
		evidence_step(cpu, &unread->evidence);
		unread = NULL;
		more = timed(cpu, plan, x, PIECE_MORE, &start, &ticks);
	} while (more);
	settle(cpu, plan, x, from);
}

/*
 * Read the counters for a gap at once, so that each step is found next to its
 * gap; then the same for gaps found while reading them.
 */
static inline void witness(struct cpu *cpu, const struct window_plan *plan, struct excursion *x,
			   struct gap *gap)
{
	uint64_t start, ticks;

	evidence_step(cpu, &gap->evidence);
	if (__builtin_expect(timed(cpu, plan, x, PIECE_EVIDENCE, &start, &ticks), false))
		witness_more(cpu, plan, x, NULL, start, ticks);
}

/* A gap found in a piece of the slow path. */
static __attribute__((noinline)) void found(struct cpu *cpu, const struct window_plan *plan,
					    struct excursion *x, uint64_t start, uint64_t ticks)
{
	uint64_t next_start, next_ticks;
	/* The way here is a piece of work of its own. */
	bool another = timed(cpu, plan, x, PIECE_FOUND, &next_start, &next_ticks);
	struct gap *gap = push(cpu, x, start, ticks);

	if (!gap)
		return;
	if (another)
		witness_more(cpu, plan, x, gap, next_start, next_ticks);
	else
		witness(cpu, plan, x, gap);
}

static inline void add_sums(struct cpu *cpu, const struct gap *gap)
{
	cpu->window.gaps++;
	cpu->window.noise += gap->ticks;
}

static inline void add_cause(struct cpu *cpu, const struct gap *gap)
{
	enum cause cause = gap_cause(&gap->evidence);

	cpu->window.cause_gaps[cause]++;
	cpu->window.cause_ticks[cause] += gap->ticks;
}

static inline void add_length(struct cpu *cpu, const struct gap *gap)
{
	if (gap->ticks > cpu->window.max)
		cpu->window.max = gap->ticks;
	cpu->hist.count[hist_bucket(gap->ticks)]++;
}

static inline void store(struct cpu *cpu, const struct gap *gap)
{
	struct gap_ring *ring = &cpu->ring;

	if (__builtin_expect(ring->used < ring->capacity, true))
		ring->slot[ring->used++] = *gap;
	else
		ring->dropped++;
}

static void end_for_all(struct window_plan *plan)
{
	plan->end = 0;
	for (uint32_t i = 0; i < plan->cpus; i++)
		plan->cpu[i].end = 0;
}

static inline void judge(struct cpu *cpu, struct window_plan *plan, const struct gap *gap)
{
	if (gap->ticks > cpu->worst.ticks)
		cpu->worst = *gap;
	if (gap->ticks >= plan->stop || cpu->window.noise >= plan->stop_total)
		end_for_all(plan);
}

/*
 * Record the gap that ended with sample `now`, and all that happens meanwhile.
 * Returns the last sample.
 */
static __attribute__((noinline)) uint64_t slow_path(struct cpu *cpu, struct window_plan *plan,
						    struct excursion *x, uint64_t start,
						    uint64_t ticks, uint64_t now)
{
	struct gap *gap;

	x->used = 0;
	x->recording = 0;
	x->last = now;
	gap = push(cpu, x, start, ticks);
	if (__builtin_expect(timed(cpu, plan, x, PIECE_ENTRY, &start, &ticks), false))
		witness_more(cpu, plan, x, gap, start, ticks);
	else
		witness(cpu, plan, x, gap);
	for (; gap < &x->gap[x->used]; gap++, x->recording++) {
		add_sums(cpu, gap);
		lap(cpu, plan, x, PIECE_SUMS);
		add_cause(cpu, gap);
		lap(cpu, plan, x, PIECE_CAUSE);
		add_length(cpu, gap);
		lap(cpu, plan, x, PIECE_LENGTH);
		store(cpu, gap);
		lap(cpu, plan, x, PIECE_STORE);
		judge(cpu, plan, gap);
		lap(cpu, plan, x, PIECE_JUDGE);
	}
	cpu->window.slow += cpu->cost[PIECE_RESUME];
	return x->last;
}

static void counters_at_start(struct cpu *cpu)
{
	struct gap_evidence step;

	evidence_step(cpu, &step);
	cpu->window.smi_out += step.smi;
	cpu->window.nmi_out += step.nmi;
	cpu->smi_window = cpu->smi.last;
	cpu->nmi_window = cpu->nmi_last;
	cpu->mce_window = (uint32_t)*cpu->mce_count;
}

static void counters_at_end(struct cpu *cpu)
{
	struct gap_evidence step;

	evidence_step(cpu, &step);
	cpu->window.smi = cpu->smi.last - cpu->smi_window;
	cpu->window.nmi = cpu->nmi_last - cpu->nmi_window;
	cpu->window.mce = (uint32_t)*cpu->mce_count - cpu->mce_window;
	cpu->smi.moved = cpu->smi.moved || cpu->smi.last != 0;
}

/*
 * Wait for the start tick. Returns the first sample: the start tick itself when
 * something held the core across it, so that the time is not lost.
 */
static uint64_t wait_start(struct cpu *cpu, const struct window_plan *plan, uint64_t start)
{
	uint64_t now;

	/* Read again and again, so that a step belongs to what holds the core up next. */
	counters_at_start(cpu);
	while ((int64_t)(start - clock_now()) > (int64_t)LATE_TICKS) {
		clock_relax();
		if ((int64_t)(start - clock_now()) > 0)
			counters_at_start(cpu);
	}
	do
		now = clock_now();
	while ((int64_t)(now - start) < 0);
	if (now - start >= plan->threshold)
		return start;
	/* Whatever came between the two reads was before the window. */
	counters_at_start(cpu);
	return clock_now();
}

/*
 * Deal with what made the loop stop at `now`. Returns the sample to go on from;
 * *resumed is the last one that ended a slow path.
 */
static uint64_t after_gap(struct cpu *cpu, struct window_plan *plan, struct excursion *x,
			  uint64_t before, uint64_t now, uint64_t *resumed)
{
	/* The way back from the slow path is not part of a gap right behind it. */
	uint64_t cost = before == *resumed ? cpu->cost[PIECE_RESUME] : 0;

	if ((int64_t)(now - before) < 0) {
		cpu->rewinds++;
		return now;
	}
	if ((int64_t)(now - before - cost) < (int64_t)plan->threshold)
		return now;
	*resumed = slow_path(cpu, plan, x, before + cost / 2, now - before - cost, now);
	return *resumed;
}

void probe_window(struct cpu *cpu, struct window_plan *plan)
{
	struct excursion x;
	uint64_t start = plan->start + (uint64_t)cpu->tsc_offset;
	/* With a TSC of its own, a core needs an end of its own. */
	const _Atomic uint64_t *end = cpu->tsc_offset ? &cpu->end : &plan->end;
	uint64_t before, now, resumed = 0;

	memset(&cpu->window, 0, sizeof(cpu->window));
	cpu->end = plan->end + (uint64_t)cpu->tsc_offset;
	/* Another core may have ended the window in between. */
	if (!plan->end)
		cpu->end = 0;
	before = wait_start(cpu, plan, start);
	cpu->window_start = before;
	/* The loop looks at the end every few samples; in a storm it never gets that far. */
	do {
		before = loop_sample(before, plan->threshold, end, &now);
		if (now - before >= plan->threshold)
			now = before = after_gap(cpu, plan, &x, before, now, &resumed);
	} while (now < atomic_load_explicit(end, memory_order_relaxed));
	/* A window that ends in the slow path has no way back. */
	if (now == resumed)
		cpu->window.slow -= cpu->cost[PIECE_RESUME];
	cpu->window_end = now;
	cpu->window.length = now - cpu->window_start;
	counters_at_end(cpu);
	cpu->unmasked |= !arch_interrupts_masked();
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static void sort(uint64_t *v, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < n; i++)
			for (uint32_t j = i; j >= gap && v[j - gap] > v[j]; j -= gap) {
				uint64_t t = v[j];

				v[j] = v[j - gap];
				v[j - gap] = t;
			}
}

void probe_intervals(struct cpu *cpu, uint64_t *scratch)
{
	struct hist *h = &cpu->hist;
	uint64_t step = 0;

	memset(h, 0, sizeof(*h));
	cpu->interval_floor = UINT64_MAX;
	for (unsigned round = 0; round < INTERVAL_ROUNDS; round++) {
		loop_intervals(scratch, PROBE_INTERVALS);
		for (unsigned i = 0; i < PROBE_INTERVALS; i++) {
			h->count[hist_bucket(scratch[i])]++;
			if (!step || scratch[i] % step)
				step = gcd(step, scratch[i]);
		}
		sort(scratch, PROBE_INTERVALS);

		uint64_t p999 = scratch[PROBE_INTERVALS - 1 - PROBE_INTERVALS / 1000];

		if (p999 < cpu->interval_floor)
			cpu->interval_floor = p999;
	}
	cpu->interval_p50 = hist_quantile(h, 5000);
	cpu->interval_p999 = hist_quantile(h, 9990);
	cpu->quantum = (uint32_t)step;
	memset(h, 0, sizeof(*h));
}

/* One pass through the slow path and back into the loop, for its timings. */
static void calibrate_once(struct cpu *cpu, struct window_plan *plan, uint64_t took[PIECES])
{
	struct excursion x = { 0 };
	uint64_t now = clock_now();
	uint64_t resumed = slow_path(cpu, plan, &x, now - 1, 1, now);

	plan->end = 0;
	loop_sample(resumed, 0, &plan->end, &now);
	x.ticks[PIECE_RESUME] = now - resumed;
	memcpy(took, x.ticks, sizeof(x.ticks));
}

/* The median of many passes, of each piece in `pieces`, a bit mask. */
static void calibrate_pieces(struct cpu *cpu, struct window_plan *plan, uint32_t pieces,
			     uint64_t cost[PIECES])
{
	uint64_t took[PIECES][CALIBRATIONS];
	uint64_t once[PIECES];

	for (unsigned i = 0; i < CALIBRATIONS; i++) {
		calibrate_once(cpu, plan, once);
		for (unsigned p = 0; p < PIECES; p++)
			took[p][i] = once[p];
	}
	/* A piece that is not part of this pass has no meaning here. */
	for (unsigned p = 0; p < PIECES; p++) {
		if (!(pieces >> p & 1))
			continue;
		sort(took[p], CALIBRATIONS);
		cost[p] = took[p][CALIBRATIONS / 2];
	}
}

/* The ways to a further gap: pretend that each `holds` piece has one in it, and no other. */
static void calibrate_rare(struct cpu *cpu, enum piece holds, uint32_t pieces,
			   uint64_t cost[PIECES])
{
	struct window_plan plan = { .threshold = 1, .stop = UINT64_MAX, .stop_total = UINT64_MAX };

	for (unsigned p = 0; p < PIECES; p++)
		cpu->cost[p] = p == holds ? 0 : INT64_MAX;
	calibrate_pieces(cpu, &plan, pieces, cost);
}

void probe_calibrate(struct cpu *cpu)
{
	struct gap_ring ring = cpu->ring;
	struct window_plan plan = { .threshold = INT64_MAX,
				    .stop = UINT64_MAX,
				    .stop_total = UINT64_MAX };
	uint64_t cost[PIECES];

	memset(cpu->cost, 0, sizeof(cpu->cost));
	calibrate_pieces(cpu, &plan, UINT32_MAX, cost);
	calibrate_rare(cpu, PIECE_SUMS, 1u << PIECE_FOUND, cost);
	calibrate_rare(cpu, PIECE_EVIDENCE,
		       1u << PIECE_PUSH | 1u << PIECE_MORE | 1u << PIECE_SETTLE, cost);
	/* The way back holds one sample of the loop, which is exposure. */
	cost[PIECE_RESUME] -= cost[PIECE_RESUME] < cpu->interval_p50 ? cost[PIECE_RESUME]
								     : cpu->interval_p50;
	memcpy(cpu->cost, cost, sizeof(cpu->cost));
	cpu->ring = ring;
	cpu->queue_full = 0;
	memset(&cpu->window, 0, sizeof(cpu->window));
	memset(&cpu->worst, 0, sizeof(cpu->worst));
	memset(&cpu->hist, 0, sizeof(cpu->hist));
}
