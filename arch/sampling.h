/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling: the hot loop, and behind each gap the slow path, which reads the
 * counters, records the gap and goes back to the loop.
 *
 * No moment of a window is blind. The slow path is cut into pieces, each
 * followed by a clock read. What a piece took beyond its calibrated cost is a gap
 * of its own, queued and recorded like any other; the rest is taken out of
 * exposure. A gap inside a piece began somewhere in it, so its start is set to
 * the middle: the error is at most half the piece's cost. That is why the pieces
 * are small.
 *
 * Words: an excursion is the way from the loop through the slow path and back. It
 * goes aside when a piece held a gap: the gap is queued, and the counters are
 * read again, before it records on.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/gaps/judge.h"
#include "core/gaps/platform.h"
#include "core/lib/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define QUEUE_MAX 128

/* One excursion from the loop: the gap that caused it, and those found on the way. */
struct sampling_excursion {
	struct gap *end;            /* behind the last gap queued */
	struct gap *registers_next; /* the first since what registers count was read */
	struct gap *counts_next;    /* the first since what handlers count was read */
	struct gap *steps_next;     /* the first since steps of counters that measure were made */
	struct gap *record_next;    /* the next to be recorded */
	size_t share_next;          /* the next whose counts are shared, where that is at once */
	struct judge_share share;
	bool cut;  /* by the window's start: its gap began before, maybe */
	bool stop; /* a stop limit was reached */
	bool past; /* what held the core last came behind the window's end, and so do its counts */
	const _Atomic uint64_t *until; /* the window's end; one long past when it was */
	uint64_t resumed;              /* last sample from which the loop was entered */
	int64_t limit[PIECES];         /* ticks from which a piece holds a gap */
	uint64_t resume_middle; /* ticks to the middle of the way back and its first sample */
	int64_t took[PIECES];   /* as last timed, for calibration */
	uint64_t delay;         /* ticks of a deliberate delay on the first way into the loop */
	uint64_t delayed_from, delayed_until; /* when that was; 0: it was not */
	struct gap queue[QUEUE_MAX + 1];      /* the last is for what finds no place */
	union gap_detail detail[QUEUE_MAX + 1];
};

/* Made ready on a core whose pieces are calibrated. */
static inline void sampling_init(struct sampling_excursion *x, const struct cpu *cpu,
				 uint64_t threshold)
{
	for (unsigned p = 0; p < PIECES; p++)
		x->limit[p] = (int64_t)(cpu->cost[p] + threshold);
	x->resume_middle = (cpu->cost[PIECE_RESUME] + cpu->interval_p50) / 2;
}

/* Leave nothing of the gaps of a calibration or a self-test. */
static inline void sampling_forget(struct cpu *cpu)
{
	cpu->queue_full = 0;
	cpu->rewinds = 0;
	memset(&cpu->window, 0, sizeof(cpu->window));
	memset(&cpu->worst, 0, sizeof(cpu->worst));
	memset(&cpu->hist, 0, sizeof(cpu->hist));
}

/* Nothing is known of the first gap yet. Its start and length are set when it is found. */
static inline void sampling_clear_first(struct sampling_excursion *x)
{
	struct gap *gap = x->queue;

	gap->evidence = (struct gap_evidence){ 0 };
	gap->cause = CAUSE_UNKNOWN;
	gap->holds = GAP_NOTHING;
	gap->followers = 0;
	gap->behind = false;
}

/*
 * Gather, wait for the plan's start, and sample from there to *end, or until a stop
 * limit is reached, which is then in x->stop. Fills cpu->window_start and
 * window_end with the first and the last sample, and the counters' starts
 * with what they are at the first. Steps since the counters' last readings count
 * as before it unless something held the core across it: that is then the
 * window's first gap, steps and all, and the start stands for the first sample.
 *
 * Gaps are in the ring unjudged. Those that it has no room for are judged.
 */
void sampling(struct cpu *cpu, const struct platform_window *plan, const _Atomic uint64_t *end,
	      struct sampling_excursion *x);
