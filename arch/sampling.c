/* SPDX-License-Identifier: BSD-2-Clause */
/* An excursion: from the loop through the slow path and back, by pieces. See docs/method.md. */
#include "sampling.h"

#include "clock_now.h"
#include "evidence.h"
#include "loop.h"
#include "window_start.h"
#include "core/gaps/cpu.h"

#define NO_PIECE PIECES

/*
 * The queue is full: extend the last queued gap, which then gets the counters' steps of both. If
 * that gap is already being recorded, its length is in the sums: then the time is only taken out of
 * exposure.
 */
static __attribute__((noinline, cold)) void push_full(struct cpu *cpu, struct sampling_excursion *x)
{
	struct gap *last = x->end - 1;

	cpu->queue_full++;
	if (x->record_next == last)
		return;
	last->ticks += x->end->ticks;
	last->holds = GAP_NOTHING;
	x->registers_next = x->counts_next = last;
}

/* Queue the gap that was stored at the end. Returns false if the queue is full. */
static inline bool push(struct cpu *cpu, struct sampling_excursion *x, struct gap *gap)
{
	if (__builtin_expect(gap == &x->queue[QUEUE_MAX], false)) {
		push_full(cpu, x);
		return false;
	}
	x->end = gap + 1;
	return true;
}

/* Give a counter's steps since its last reading to the first of the gaps queued since then. */
static inline void read_registers(struct cpu *cpu, struct sampling_excursion *x)
{
	evidence_add_registers(cpu, &x->registers_next->evidence);
	x->registers_next = x->end;
}

static inline void read_others(struct cpu *cpu, struct sampling_excursion *x)
{
	evidence_add_handlers(cpu, &x->counts_next->evidence);
	x->counts_next = x->end;
	if (cpu->read_counters)
		cpu->read_counters(cpu);
}

/* Compute steps for the first gap since the last ones: for none if the window's start cuts it. */
static inline void make_steps(struct cpu *cpu, struct sampling_excursion *x)
{
	struct gap *first = x->steps_next;

	cpu->make_steps(cpu, &x->detail[first - x->queue].steps);
	if (__builtin_expect(first != x->end && !x->cut, true)) {
		first->holds = GAP_STEPS;
		first->followers = (uint8_t)(x->end - first - 1);
	}
	x->steps_next = x->end;
	x->cut = false;
}

/* True if the piece of work since the last sample had a gap, which is then stored in *gap. */
static inline __attribute__((always_inline)) bool find_gap(const struct cpu *cpu,
							   struct sampling_excursion *x,
							   enum cpu_piece piece, struct gap *gap,
							   uint64_t *last)
{
	uint64_t now = clock_now(), before = *last;
	int64_t took = (int64_t)(now - before);

	*last = now;
	x->took[piece] = took;
	if (__builtin_expect(took < x->limit[piece], true))
		return false;
	*gap = (struct gap){ .start = before + (cpu->cost[piece] + 1) / 2,
			     .ticks = (uint64_t)took - cpu->cost[piece],
			     .cause = CAUSE_UNKNOWN,
			     .behind = piece <= PIECE_SMI };
	return true;
}

/*
 * True if there is a gap; it is queued, and leads aside. A full queue must end: a gap that finds no
 * slot in it does not lead aside.
 */
static inline __attribute__((always_inline)) bool
gap_in(struct cpu *cpu, struct sampling_excursion *x, enum cpu_piece piece, uint64_t *last)
{
	struct gap *gap = x->end;

	if (__builtin_expect(!find_gap(cpu, x, piece, gap, last), true))
		return false;
	return push(cpu, x, gap);
}

/* Read all counters, and again after each gap meanwhile. `pushed`: one has just been queued. */
static inline __attribute__((always_inline)) void
read_counters(struct cpu *cpu, struct sampling_excursion *x, bool pushed, uint64_t *last)
{
	for (;; pushed = true) {
		while (__builtin_expect(pushed, false))
			pushed = gap_in(cpu, x, PIECE_PUSH, last);
		read_registers(cpu, x);
		if (gap_in(cpu, x, PIECE_SMI, last))
			continue;
		read_others(cpu, x);
		if (gap_in(cpu, x, PIECE_COUNTS, last))
			continue;
		if (!cpu->read_counters)
			return;
		make_steps(cpu, x);
		if (!gap_in(cpu, x, PIECE_STEPS, last))
			return;
	}
}

static const _Atomic uint64_t past;

static inline void add_sums(struct cpu_sums *sums, const struct platform_window *plan,
			    struct sampling_excursion *x)
{
	uint64_t ticks = x->record_next->ticks;

	sums->gaps++;
	sums->noise += ticks;
	sums->slow -= ticks;
	if (ticks > sums->max)
		sums->max = ticks;
	if (__builtin_expect(ticks >= plan->stop || sums->noise >= plan->stop_total, false)) {
		x->stop = true;
		x->until = &past;
	}
}

static inline void add_length(struct hist *hist, const struct gap *gap)
{
	hist->count[hist_bucket(gap->ticks)]++;
}

static inline void store(struct gap_ring *ring, const struct sampling_excursion *x)
{
	const struct gap *gap = x->record_next;
	size_t n = ring->used;

	ring->used = n + 1;
	ring->slot[n] = *gap;
	if (__builtin_expect(ring->detail != NULL, false))
		ring->detail[n] = x->detail[gap - x->queue];
}

/* Count and judge a gap that finds the ring full. */
static __attribute__((noinline, cold)) void drop(struct cpu *cpu, struct sampling_excursion *x)
{
	size_t n = (size_t)(x->record_next - x->queue);

	cpu->ring.dropped++;
	while (x->share_next < n)
		judge_share(x->queue, x->share_next++, &x->share);
	judge_one(cpu, x->queue, x->detail, n, &x->share);
	x->share_next = n + 1;
}

static inline enum cpu_piece put_away(struct cpu *cpu, struct sampling_excursion *x, uint64_t *last)
{
	bool held;

	if (__builtin_expect(cpu->ring.used < cpu->ring.capacity, true)) {
		store(&cpu->ring, x);
		held = gap_in(cpu, x, PIECE_STORE, last);
	} else {
		drop(cpu, x);
		held = gap_in(cpu, x, PIECE_JUDGE, last);
	}
	x->record_next++;
	return held ? PIECE_STORE : NO_PIECE;
}

/*
 * Record the gaps of the queue, from after piece `after` on. The way back to this point is a piece
 * of its own, so that the other pieces keep their cost. Returns the piece that had a further gap;
 * NO_PIECE: none.
 */
static inline __attribute__((always_inline)) enum cpu_piece
record(struct cpu *cpu, const struct platform_window *plan, struct sampling_excursion *x,
       enum cpu_piece after, uint64_t *last)
{
	switch (after) {
	case PIECE_SUMS:
		if (gap_in(cpu, x, PIECE_BACK, last))
			return after;
		goto length;
	case PIECE_LENGTH:
		if (gap_in(cpu, x, PIECE_BACK, last))
			return after;
		goto store;
	default:
		break;
	}
	do {
		if (gap_in(cpu, x, PIECE_BACK, last))
			return PIECE_BACK;
		add_sums(&cpu->window, plan, x);
		if (gap_in(cpu, x, PIECE_SUMS, last))
			return PIECE_SUMS;
	length:
		add_length(&cpu->hist, x->record_next);
		if (gap_in(cpu, x, PIECE_LENGTH, last))
			return PIECE_LENGTH;
	store:
		after = put_away(cpu, x, last);
		if (after != NO_PIECE)
			return after;
	} while (x->record_next != x->end);
	return NO_PIECE;
}

/* Prepare for the next gap. */
static inline void sampling_reset(struct sampling_excursion *x)
{
	x->registers_next = x->counts_next = x->steps_next = x->record_next = x->queue;
	x->end = &x->queue[1];
	x->share_next = 0;
}

/* Handle the queue's first gap, and go back to the loop. True: a further gap is in its place. */
static inline bool excursion(struct cpu *cpu, const struct platform_window *plan,
			     struct sampling_excursion *x, uint64_t *last)
{
	uint64_t since = *last - x->queue[0].ticks;
	bool pushed = gap_in(cpu, x, PIECE_ENTRY, last);
	enum cpu_piece held = PIECE_ENTRY;

	do {
		read_counters(cpu, x, pushed, last);
		held = record(cpu, plan, x, held, last);
		pushed = true;
	} while (__builtin_expect(held != NO_PIECE, false));
	cpu->window.slow += *last - since + cpu->cost[PIECE_RESET];
	sampling_reset(x);
	return find_gap(cpu, x, PIECE_RESET, x->queue, last);
}

/* True if the two samples are a gap apart, which is then first in the queue. */
static inline bool first_gap(struct cpu *cpu, const struct platform_window *plan,
			     struct sampling_excursion *x, uint64_t before, uint64_t now)
{
	uint64_t ticks = now - before, middle = 0;

	if (__builtin_expect((int64_t)ticks < (int64_t)plan->threshold, false)) {
		cpu->rewinds += (int64_t)ticks < 0;
		return false;
	}
	/* The way into the loop is not part of a gap right after it. */
	if (before == x->resumed) {
		x->took[PIECE_RESUME] = (int64_t)ticks;
		if ((int64_t)ticks < x->limit[PIECE_RESUME])
			return false;
		ticks -= cpu->cost[PIECE_RESUME];
		middle = x->resume_middle;
	}
	x->queue[0].start = before + middle;
	x->queue[0].ticks = ticks;
	return true;
}

/* For the self-test: stay away for a known time between two samples. */
static __attribute__((noinline, cold)) void delay(struct sampling_excursion *x)
{
	x->delayed_from = clock_now();
	do
		x->delayed_until = clock_now();
	while (x->delayed_until - x->delayed_from < x->delay);
	x->delay = 0;
}

/* Run the loop until a gap or the end. False: there is no gap between the samples. */
static inline bool sample(struct cpu *cpu, const struct platform_window *plan,
			  struct sampling_excursion *x, uint64_t *now)
{
	uint64_t before;

	sampling_clear_first(x); /* here, as first_gap() is short */
	if (__builtin_expect(x->delay != 0, false))
		delay(x);
	do { /* with a coarse clock the way in may reach the threshold: then try again */
		x->resumed = *now;
		cpu->window.slow += cpu->cost[PIECE_RESUME];
		before = loop_sample(*now, plan->threshold, x->until, now);
		if (first_gap(cpu, plan, x, before, *now))
			return true;
	} while (*now < *x->until);
	return false;
}

/* Go to the window's first sample. True: the core was interrupted across it, or right after it. */
static inline bool sampling_begin(struct cpu *cpu, const struct platform_window *plan,
				  struct sampling_excursion *x, uint64_t *now)
{
	uint64_t start;

	sampling_reset(x);
	sampling_clear_first(x);
	/* Set in advance: the way from the wait to the slow path's first sample is timed. */
	x->cut = true;
	if (plan->gather)
		plan->gather(cpu, plan->gather_ctx);
	start = plan->start + (uint64_t)cpu->tsc_offset;
	window_start_steps(cpu, start);
	if (window_start_wait(cpu, (uint64_t)x->limit[PIECE_SMI], &start, now)) {
		x->queue[0].start = start;
		x->queue[0].ticks = *now - start;
		return true;
	}
	x->cut = false;
	if (find_gap(cpu, x, PIECE_START, x->queue, now))
		return true;
	cpu->window.slow += cpu->cost[PIECE_START];
	return false;
}

__attribute__((noinline)) void sampling(struct cpu *cpu, const struct platform_window *plan,
					const _Atomic uint64_t *end, struct sampling_excursion *x)
{
	uint64_t now;
	bool gap;

	x->until = end;
	gap = sampling_begin(cpu, plan, x, &now);
	for (;;) {
		if (!gap)
			gap = sample(cpu, plan, x, &now);
		while (gap && !x->past) {
			gap = excursion(cpu, plan, x, &now);
			x->past = gap && x->queue[0].start >= *x->until;
		}
		/* In a storm of gaps the loop never gets as far as its own check of the end. */
		if (now >= *x->until)
			break;
	}
	cpu->window_end = x->past ? x->queue[0].start : now; /* a storm does not prolong it */
}
