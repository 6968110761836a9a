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

#define QUEUE_MAX       16
#define CALIBRATIONS    129
#define INTERVAL_ROUNDS 16
#define LATE_TICKS      (UINT64_C(1) << 16) /* waiting gives way until this close to the start */

/* One excursion from the loop: the gap that caused it, and those found on the way. */
struct excursion {
	struct gap gap[QUEUE_MAX];
	uint32_t used, done;
	uint64_t last;          /* last sample */
	uint64_t ticks[PIECES]; /* as last timed, for calibration */
};

/*
 * Two neighbouring gaps, the second found in the very piece that read the
 * counters for the first, so a step may belong to either. Steps that the second
 * read still finds came later and are the second's. Otherwise all came before:
 * with two or more of a kind each gap gets its share; with one, nobody can say
 * whose it is, and the two, a sample apart, become one gap.
 */
static void settle(struct excursion *x, struct gap *first, struct gap *second)
{
	struct gap_evidence *a = &first->evidence;
	struct gap_evidence *b = &second->evidence;

	if (b->smi || b->nmi || !(a->smi || a->nmi))
		return;
	if (a->smi >= 2) {
		a->smi--;
		b->smi++;
	} else if (a->nmi >= 2) {
		a->nmi--;
		b->nmi++;
	} else {
		first->ticks = second->start + second->ticks - first->start;
		x->used--;
	}
}

/*
 * Queue a gap and read the counters for it at once, so that each step is found
 * next to its gap; then the same for a gap found while reading them.
 */
static void witness(struct cpu *cpu, const struct window_plan *plan, struct excursion *x,
		    uint64_t start, uint64_t ticks)
{
	uint64_t cost = cpu->cost[PIECE_EVIDENCE];
	struct gap *earlier = NULL;

	for (;;) {
		if (x->used == QUEUE_MAX) {
			/* Nothing is claimed of this time: it is no exposure. */
			cpu->window.slow += ticks;
			cpu->queue_full++;
			return;
		}

		struct gap *gap = &x->gap[x->used++];

		gap->start = start;
		gap->ticks = ticks;
		evidence_step(cpu, &gap->evidence);
		if (__builtin_expect(earlier != NULL, false))
			settle(x, earlier, gap);

		uint64_t now = clock_now();
		uint64_t took = now - x->last;

		x->ticks[PIECE_EVIDENCE] = took;
		if (__builtin_expect((int64_t)(took - cost) < (int64_t)plan->threshold, true)) {
			cpu->window.slow += took;
			x->last = now;
			return;
		}
		cpu->window.slow += cost;
		start = x->last + cost / 2;
		ticks = took - cost;
		x->last = now;
		earlier = &x->gap[x->used - 1];
	}
}

static inline void lap(struct cpu *cpu, const struct window_plan *plan, struct excursion *x,
		       enum piece piece)
{
	uint64_t now = clock_now();
	uint64_t last = x->last;
	uint64_t took = now - last;
	uint64_t cost = cpu->cost[piece];

	x->ticks[piece] = took;
	x->last = now;
	if (__builtin_expect((int64_t)(took - cost) < (int64_t)plan->threshold, true)) {
		cpu->window.slow += took;
		return;
	}
	cpu->window.slow += cost;
	witness(cpu, plan, x, last + cost / 2, took - cost);
}

static inline void add_sums(struct cpu *cpu, const struct gap *gap)
{
	enum cause cause = gap_cause(&gap->evidence);

	cpu->window.gaps++;
	cpu->window.noise += gap->ticks;
	cpu->window.cause_gaps[cause]++;
	cpu->window.cause_ticks[cause] += gap->ticks;
	if (gap->ticks > cpu->window.max)
		cpu->window.max = gap->ticks;
	cpu->hist.count[hist_bucket(gap->ticks)]++;
}

static inline void store(struct cpu *cpu, const struct gap *gap)
{
	struct gap_ring *ring = &cpu->ring;

	if (gap->ticks > cpu->worst.ticks)
		cpu->worst = *gap;
	if (ring->used < ring->capacity)
		ring->slot[ring->used++] = *gap;
	else
		ring->dropped++;
}

/*
 * Record the gap that ended with sample `now`, and all that happens meanwhile.
 * Returns the last sample.
 */
static __attribute__((noinline)) uint64_t slow_path(struct cpu *cpu, struct window_plan *plan,
						    struct excursion *x, uint64_t start,
						    uint64_t ticks, uint64_t now)
{
	x->used = 0;
	x->last = now;
	witness(cpu, plan, x, start, ticks);
	for (x->done = 0; x->done < x->used; x->done++) {
		const struct gap *gap = &x->gap[x->done];

		add_sums(cpu, gap);
		lap(cpu, plan, x, PIECE_SUMS);
		store(cpu, gap);
		if (gap->ticks >= plan->stop || cpu->window.noise >= plan->stop_total)
			plan->end = 0;
		lap(cpu, plan, x, PIECE_RING);
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
	cpu->mce_window = *cpu->mce_count;
}

static void counters_at_end(struct cpu *cpu)
{
	struct gap_evidence step;

	evidence_step(cpu, &step);
	cpu->window.smi = (uint32_t)cpu->smi.last - (uint32_t)cpu->smi_window;
	cpu->window.nmi = cpu->nmi_last - cpu->nmi_window;
	cpu->window.mce = *cpu->mce_count - cpu->mce_window;
	cpu->smi.moved = cpu->smi.moved || cpu->smi.last != 0;
}

/*
 * Wait for the start tick. Returns the first sample: the start tick itself when
 * something held the core across it, so that the time is not lost.
 */
static uint64_t wait_start(struct cpu *cpu, const struct window_plan *plan, uint64_t start)
{
	uint64_t now;

	while ((int64_t)(start - clock_now()) > (int64_t)LATE_TICKS)
		clock_relax();
	counters_at_start(cpu);
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
	if (now - before - cost < plan->threshold)
		return now;
	*resumed = slow_path(cpu, plan, x, before + cost / 2, now - before - cost, now);
	return *resumed;
}

void probe_window(struct cpu *cpu, struct window_plan *plan)
{
	struct excursion x;
	uint64_t start = plan->start + (uint64_t)cpu->tsc_offset;
	uint64_t before, now, resumed = 0;

	memset(&cpu->window, 0, sizeof(cpu->window));
	before = wait_start(cpu, plan, start);
	cpu->window_start = before;
	/* The loop looks at the end every few samples; in a storm it never gets that far. */
	do {
		before = loop_sample(before, plan->threshold, &plan->end, &now);
		if (now - before >= plan->threshold)
			now = before = after_gap(cpu, plan, &x, before, now, &resumed);
	} while (now < atomic_load_explicit(&plan->end, memory_order_relaxed));
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
	struct excursion x;
	uint64_t now = clock_now();
	uint64_t resumed = slow_path(cpu, plan, &x, now - 1, 1, now);

	plan->end = 0;
	loop_sample(resumed, 0, &plan->end, &now);
	x.ticks[PIECE_RESUME] = now - resumed;
	memcpy(took, x.ticks, sizeof(x.ticks));
}

void probe_calibrate(struct cpu *cpu)
{
	static const struct window_plan never = { .threshold = INT64_MAX,
						  .stop = UINT64_MAX,
						  .stop_total = UINT64_MAX };
	struct gap_ring ring = cpu->ring;
	struct window_plan plan = never;
	uint64_t took[PIECES][CALIBRATIONS];
	uint64_t once[PIECES];

	memset(cpu->cost, 0, sizeof(cpu->cost));
	for (unsigned i = 0; i < CALIBRATIONS; i++) {
		calibrate_once(cpu, &plan, once);
		for (unsigned p = 0; p < PIECES; p++)
			took[p][i] = once[p];
	}
	for (unsigned p = 0; p < PIECES; p++) {
		sort(took[p], CALIBRATIONS);
		cpu->cost[p] = took[p][CALIBRATIONS / 2];
	}
	/* The way back holds one sample of the loop, which is exposure. */
	cpu->cost[PIECE_RESUME] -= cpu->cost[PIECE_RESUME] < cpu->interval_p50
					   ? cpu->cost[PIECE_RESUME]
					   : cpu->interval_p50;
	cpu->ring = ring;
	memset(&cpu->window, 0, sizeof(cpu->window));
	memset(&cpu->worst, 0, sizeof(cpu->worst));
	memset(&cpu->hist, 0, sizeof(cpu->hist));
}
