/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way from the loop through the slow path and back, piece by piece. docs/method.md has the
 * diagram of its labels.
 */
#include "sampling.h"

#include "clock_now.h"
#include "evidence.h"
#include "loop.h"

#include <stdatomic.h>

/*
 * Queue full: extend the last queued gap, which then gets the counters' steps of both. If that is
 * being recorded already, its length is in the sums: the time is taken out of exposure, unrecorded.
 */
static __attribute__((noinline, cold)) void push_full(struct cpu *cpu, struct sampling_excursion *x)
{
	struct sampling_queued *last = x->end - 1;

	cpu->queue_full++;
	if (x->record_next == last)
		return;
	last->gap.ticks += x->end->gap.ticks;
	x->smi_next = x->counts_next = last;
}

/* Queue the gap just put there. */
static inline void push(struct cpu *cpu, struct sampling_excursion *x)
{
	if (__builtin_expect(x->end == &x->queue[QUEUE_MAX], false))
		push_full(cpu, x);
	else
		x->end++;
}

/*
 * A counter's steps since it was last read go to the first of the gaps queued since; share() may
 * give some of them to those behind it.
 */
static inline void read_smi(struct cpu *cpu, struct sampling_excursion *x)
{
	x->smi_next->gap.evidence.smi += evidence_smi(cpu);
	x->smi_next = x->end;
}

static inline void read_counts(struct cpu *cpu, struct sampling_excursion *x)
{
	x->counts_next->gap.evidence.nmi += evidence_nmi(cpu);
	x->counts_next->gap.evidence.mce += evidence_mce(cpu);
	x->counts_next = x->end;
}

/* All gaps since the last reading, as one. */
static inline struct gap whole(const struct sampling_excursion *x)
{
	struct gap sum = x->measure_next->gap;

	for (const struct sampling_queued *q = x->measure_next + 1; q < x->end; q++) {
		sum.ticks += q->gap.ticks;
		sum.evidence.smi += q->gap.evidence.smi;
		sum.evidence.nmi += q->gap.evidence.nmi;
		sum.evidence.mce += q->gap.evidence.mce;
	}
	return sum;
}

/*
 * Several gaps since the last reading, or a further one: what was counted is all of theirs. Where
 * it shows the cause of one, it has that; else what was counted in it.
 */
static __attribute__((noinline, cold)) void measure_together(struct cpu *cpu,
							     struct sampling_excursion *x)
{
	struct gap sum;
	struct attribution why;

	if (x->cut || EVIDENCE_WAITS || x->measure_next == x->end) {
		evidence_measure(cpu, NULL, &why);
		return;
	}
	sum = whole(x);
	evidence_measure(cpu, &sum, &why);
	for (struct sampling_queued *q = x->measure_next; q < x->end; q++)
		if (attribution_of_one(&why, sum.ticks, q->gap.ticks, &x->shared))
			q->why = &x->shared;
}

/* What is measured is read for one gap, as a rule. */
static inline void measure(struct cpu *cpu, struct sampling_excursion *x)
{
	bool first = x->measure_next == x->queue && !x->cut;

	if (EVIDENCE_WAITS && __builtin_expect(first, true)) {
		evidence_measure(cpu, &x->queue[0].gap, &x->why);
		x->why.followers = (uint8_t)(x->end - &x->queue[1]);
		x->waits = x->queue;
	} else if (__builtin_expect(first && x->end == &x->queue[1], true)) {
		evidence_measure(cpu, &x->queue[0].gap, &x->why);
		x->queue[0].why = &x->why;
	} else {
		measure_together(cpu, x);
	}
	x->measure_next = x->end;
	x->cut = false;
}

/*
 * Where causes are decided at the window's end, the steps wait in the ring beside the gap. One that
 * the ring has no place for is decided at once. (The first in the queue is the next to be stored.)
 */
static inline bool cannot_wait(const struct cpu *cpu, const struct sampling_excursion *x)
{
	return EVIDENCE_WAITS && x->waits && x->end == &x->queue[1] &&
	       (cpu->ring.used >= cpu->ring.capacity || !cpu->ring.why);
}

static inline void decide(struct cpu *cpu, struct sampling_excursion *x)
{
	evidence_decide(cpu, &x->queue[0].gap, &x->why);
	x->queue[0].why = &x->why;
	x->waits = NULL;
}

/*
 * Between a gap and the read of the counter others may have come, whose SMIs then
 * stand with the first, which so has some to spare. A single step stays: the other
 * gap's cause is then unknown. Looks at one forerunner, the next one back, with
 * each call. (NMIs are too far apart for that.)
 */
static inline void share(struct sampling_excursion *x)
{
	struct gap_evidence *poor = &x->share_next->gap.evidence;
	struct gap_evidence *giver = &(--x->giver)->gap.evidence;
	uint32_t spare = giver->smi >= 2;

	giver->smi -= spare;
	poor->smi = spare;
}

static inline bool may_share(const struct sampling_excursion *x)
{
	return !x->share_next->gap.evidence.smi && x->giver->found_in <= PIECE_SMI;
}

static inline void add_sums(struct cpu_sums *sums, const struct gap *gap)
{
	sums->gaps++;
	sums->noise += gap->ticks;
	sums->slow -= gap->ticks;
	if (gap->ticks > sums->max)
		sums->max = gap->ticks;
}

static inline void add_length(struct hist *hist, const struct gap *gap)
{
	hist->count[hist_bucket(gap->ticks)]++;
}

static inline void find_cause(struct sampling_excursion *x)
{
	const struct attribution *why = x->record_next->why;
	struct gap *gap = &x->record_next->gap;

	if (__builtin_expect(why != NULL, false))
		gap->cause = why->cause;
	else
		gap->cause = (uint8_t)evidence_counted_cause(&gap->evidence);
}

/* The parts of a gap may have causes of their own. */
static __attribute__((noinline, cold)) void add_parts(struct cpu_sums *sums,
						      const struct attribution *why, uint64_t ticks)
{
	attribution_add(why, ticks, sums->cause_ticks);
}

static inline void add_cause(struct cpu_sums *sums, const struct sampling_excursion *x)
{
	const struct attribution *why = x->record_next->why;
	const struct gap *gap = &x->record_next->gap;

	sums->cause_gaps[gap->cause]++;
	if (__builtin_expect(why != NULL, false))
		add_parts(sums, why, gap->ticks);
	else
		sums->cause_ticks[gap->cause] += gap->ticks;
}

static __attribute__((noinline, cold)) void store_why(struct gap_ring *ring,
						      const struct sampling_excursion *x)
{
	struct attribution *to = &ring->why[ring->used];
	const struct attribution *why = x->record_next->why;

	if (EVIDENCE_WAITS && x->record_next == x->waits)
		why = &x->why;
	if (why)
		*to = *why;
	else
		to->rules = NULL;
}

static inline void store(struct gap_ring *ring, const struct sampling_excursion *x)
{
	if (__builtin_expect(ring->used >= ring->capacity, false)) {
		ring->dropped++;
		return;
	}
	if (__builtin_expect(ring->why != NULL, false))
		store_why(ring, x);
	ring->slot[ring->used++] = x->record_next->gap;
}

/* The longest so far. A gap is copied in any case, so that this always takes the same time. */
static inline void worst(struct cpu *cpu, struct sampling_excursion *x, const struct gap *gap)
{
	struct gap *to = &x->shorter;

	if (__builtin_expect_with_probability(gap->ticks > cpu->worst.ticks, true, 0.5))
		to = &cpu->worst;
	*to = *gap;
}

/* The window's end, which is one long past when a stop limit is reached. */
static inline const _Atomic uint64_t *judge(const struct cpu *cpu,
					    const struct platform_window *plan,
					    struct sampling_excursion *x, struct gap *gap,
					    const _Atomic uint64_t *end)
{
	static const _Atomic uint64_t past;

	gap->evidence = (struct gap_evidence){ 0 }; /* for the next in this place */
	x->record_next->why = NULL;
	if (EVIDENCE_WAITS)
		x->waits = NULL;
	if (__builtin_expect(gap->ticks < plan->stop, true) &&
	    __builtin_expect(cpu->window.noise < plan->stop_total, true))
		return end;
	x->stop = true;
	return &past;
}

/* Did the piece of work since the last sample contain a gap? Then it is put into `q`. */
static inline bool find_gap(const struct cpu *cpu, struct sampling_excursion *x,
			    enum cpu_piece piece, struct sampling_queued *q, uint64_t *last)
{
	uint64_t now = clock_now();
	uint64_t before = *last;
	int64_t took = (int64_t)(now - before);

	*last = now;
	x->took[piece] = took;
	if (__builtin_expect(took < x->limit[piece], true))
		return false;
	q->gap.start = before + (cpu->cost[piece] + 1) / 2;
	q->gap.ticks = (uint64_t)took - cpu->cost[piece];
	q->found_in = piece;
	return true;
}

/* The same, and if so it is queued. */
static inline bool gap_in(struct cpu *cpu, struct sampling_excursion *x, enum cpu_piece piece,
			  uint64_t *last)
{
	if (!find_gap(cpu, x, piece, x->end, last))
		return false;
	push(cpu, x);
	return true;
}

/* The same on the way aside, which a gap prolongs; false when the queue is full: it must end. */
static inline bool gap_aside(struct cpu *cpu, struct sampling_excursion *x, enum cpu_piece piece,
			     uint64_t *last)
{
	return gap_in(cpu, x, piece, last) && x->end != &x->queue[QUEUE_MAX];
}

/* Ready for the next gap. */
static inline void reset(struct sampling_excursion *x)
{
	x->smi_next = x->counts_next = x->measure_next = x->record_next = x->queue;
	x->end = x->share_next = x->giver = &x->queue[1];
}

/* Is what made the loop stop at `now` a gap? Then it is first in the queue. */
static inline bool first_gap(struct cpu *cpu, struct sampling_excursion *x, uint64_t before,
			     uint64_t now)
{
	uint64_t ticks = now - before, middle = 0;

	/* The way into the loop is not part of a gap right behind it. */
	if (before == x->resumed) {
		x->took[PIECE_RESUME] = (int64_t)ticks;
		if ((int64_t)ticks < x->limit[PIECE_RESUME])
			return false;
		ticks -= cpu->cost[PIECE_RESUME];
		middle = x->resume_middle;
	}
	x->queue[0].gap.start = before + middle;
	x->queue[0].gap.ticks = ticks;
	return true;
}

/*
 * Wait for the start tick with counters and clock read in turn, so that it is
 * known which steps came before it. Returns the first sample; in *before is the
 * start tick when something held the core across that, else the first sample.
 */
static inline uint64_t wait_for(struct cpu *cpu, const struct sampling_excursion *x, uint64_t start,
				uint64_t *before)
{
	uint32_t smi = cpu->smi.last, nmi = cpu->nmi_last, mce = cpu->mce_last;
	uint64_t now = start, last;

	do {
		last = now;
		cpu->smi.last = smi;
		smi = evidence_smi_now(cpu);
		now = clock_now();
		if ((int64_t)(now - start) >= 0)
			break;
		last = now;
		cpu->nmi_last = nmi;
		cpu->mce_last = mce;
		nmi = evidence_nmi_now(cpu);
		mce = evidence_mce_now(cpu);
		now = clock_now();
	} while ((int64_t)(now - start) < 0);
	*before = start;
	if ((int64_t)(now - start) < x->limit[PIECE_WAIT]) {
		*before = now;
		/* What held it up till after the start, but is no gap of the window. */
		if ((int64_t)(now - last) >= x->limit[PIECE_WAIT]) {
			smi = evidence_smi_now(cpu);
			nmi = evidence_nmi_now(cpu);
			mce = evidence_mce_now(cpu);
		}
		cpu->smi.last = smi;
		cpu->nmi_last = nmi;
		cpu->mce_last = mce;
	}
	cpu->smi_window = cpu->smi.last;
	cpu->nmi_window = cpu->nmi_last;
	cpu->mce_window = cpu->mce_last;
	cpu->window_start = *before;
	return now;
}

/*
 * What is measured counts from the last reading: so read as late as can be. Where something held
 * the core up till too near the start, its steps may be the first gap's.
 */
static inline void measure_before(struct cpu *cpu, uint64_t start)
{
	uint64_t lead = EVIDENCE_WAITS && cpu->measure ? 4 * cpu->cost[PIECE_MEASURE] : 0;
	uint64_t now = clock_now();

	if (!lead || (int64_t)(now - (start - lead)) >= 0)
		return;
	while ((int64_t)(now - (start - lead)) < 0)
		now = clock_now();
	if ((int64_t)(now - (start - lead / 2)) < 0)
		evidence_measure(cpu, NULL, NULL);
}

/* For the self-test: away for a known time, between two samples. */
static __attribute__((noinline, cold)) void delay(struct sampling_excursion *x)
{
	x->delayed_from = clock_now();
	do {
		x->delayed_until = clock_now();
	} while (x->delayed_until - x->delayed_from < x->delay);
}

/*
 * One piece of recording, and where it goes on. The way back from a gap in between
 * ends with a clock read, so that the piece takes as long as ever.
 */
#define RECORD(name, piece, work, after)                                       \
	back_to_##name : if (gap_aside(cpu, x, PIECE_BACK, &now)) goto pushed; \
	name:                                                                  \
	work;                                                                  \
	if (gap_in(cpu, x, piece, &now)) {                                     \
		next = &&back_to_##after;                                      \
		goto pushed;                                                   \
	}                                                                      \
	goto after

__attribute__((noinline)) void sampling(struct cpu *cpu, const struct platform_window *plan,
					const _Atomic uint64_t *end, struct sampling_excursion *x)
{
	void *next; /* where recording goes on after a gap in between */
	uint64_t before, now, first, since = 0;

	/* Before the first there is none it could be linked to. */
	x->queue[0].found_in = PIECE_RESUME;
	reset(x);
	if (plan->gather)
		plan->gather(cpu, plan->gather_ctx);
	if (EVIDENCE_WAITS)
		measure_before(cpu, plan->start + (uint64_t)cpu->tsc_offset);
	now = wait_for(cpu, x, plan->start + (uint64_t)cpu->tsc_offset, &before);
	if (now != before) {
		x->cut = true;
		goto stopped;
	}
	if (find_gap(cpu, x, PIECE_START, x->queue, &now))
		goto entered;
	cpu->window.slow += cpu->cost[PIECE_START];
	if (__builtin_expect(x->delay != 0, false)) {
		x->resumed = now;
		delay(x);
		goto delayed;
	}
loop:
	x->resumed = now;
delayed:
	cpu->window.slow += cpu->cost[PIECE_RESUME];
	before = loop_sample(now, plan->threshold, end, &now);
stopped:
	if (__builtin_expect((int64_t)(now - before) < (int64_t)plan->threshold, false)) {
		cpu->rewinds += (int64_t)(now - before) < 0;
		goto resume;
	}
	if (!first_gap(cpu, x, before, now))
		goto resume;
entered:
	first = now;
	next = &&back_to_sums;
	if (!gap_in(cpu, x, PIECE_ENTRY, &now))
		goto read;
pushed:
	if (gap_aside(cpu, x, PIECE_PUSH, &now))
		goto pushed;
read:
	read_smi(cpu, x);
	if (gap_aside(cpu, x, PIECE_SMI, &now))
		goto pushed;
	read_counts(cpu, x);
	since = first - x->queue[0].gap.ticks;
	if (gap_aside(cpu, x, PIECE_COUNTS, &now))
		goto pushed;
	if (__builtin_expect(cpu->measure != NULL, false)) {
		measure(cpu, x);
		if (gap_aside(cpu, x, PIECE_MEASURE, &now))
			goto pushed;
		if (__builtin_expect(cannot_wait(cpu, x), false)) {
			decide(cpu, x);
			if (gap_aside(cpu, x, PIECE_DECIDE, &now))
				goto pushed;
		}
	}
	while (x->share_next != x->end) {
		bool poor = may_share(x);

		if (gap_aside(cpu, x, PIECE_LOOK, &now))
			goto pushed;
		if (poor) {
			share(x);
			if (gap_aside(cpu, x, PIECE_SHARE, &now))
				goto pushed;
		} else {
			x->giver = ++x->share_next;
			if (gap_aside(cpu, x, PIECE_SHARED, &now))
				goto pushed;
		}
	}
	goto *next;
	RECORD(sums, PIECE_SUMS, add_sums(&cpu->window, &x->record_next->gap), cause);
	RECORD(cause, PIECE_CAUSE, find_cause(x), by_cause);
	RECORD(by_cause, PIECE_BY_CAUSE, add_cause(&cpu->window, x), length);
	RECORD(length, PIECE_LENGTH, add_length(&cpu->hist, &x->record_next->gap), store);
	RECORD(store, PIECE_STORE, store(&cpu->ring, x), worst);
	RECORD(worst, PIECE_WORST, worst(cpu, x, &x->record_next->gap), judge);
	RECORD(judge, PIECE_JUDGE, end = judge(cpu, plan, x, &x->record_next->gap, end), recorded);
back_to_recorded:
recorded:
	if (++x->record_next != x->end) {
		next = &&back_to_sums;
		if (gap_in(cpu, x, PIECE_NEXT, &now))
			goto pushed;
		goto sums;
	}
	cpu->window.slow += now - since + cpu->cost[PIECE_RESET];
	reset(x);
	if (find_gap(cpu, x, PIECE_RESET, x->queue, &now)) {
		if (x->queue[0].gap.start < atomic_load_explicit(end, memory_order_relaxed))
			goto entered;
		cpu->window_end = x->queue[0].gap.start; /* a storm does not prolong it */
		return;
	}
resume:
	/* The loop looks every few samples; in a storm it never gets that far. */
	if (now < atomic_load_explicit(end, memory_order_relaxed))
		goto loop;
	cpu->window_end = now;
}
