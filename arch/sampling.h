/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling: the hot loop, and after each gap the slow path, which reads the counters, records the
 * gap and returns to the loop.
 *
 * No moment of a window is blind. The slow path is cut into pieces, each followed by a clock read.
 * The time of a piece beyond its calibrated cost is a gap of its own, queued and recorded like any
 * other; the cost itself does not count as exposure. The start of a gap inside a piece is set to
 * the middle of the piece, with an error of at most half the piece's cost. That is why the pieces
 * are small.
 *
 * Words: an excursion is the way from the loop through the slow path and back. It goes aside when a
 * piece had a gap: the gap is queued, and the counters are read again, before recording continues.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/gaps/judge.h"
#include "core/gaps/platform.h"
#include "core/lib/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define QUEUE_MAX 128

/* One excursion from the loop: the gap that caused it, and gaps found on the way. */
struct sampling_excursion {
	struct gap *end;            /* after the last gap queued */
	struct gap *registers_next; /* first gap since counts in registers were read */
	struct gap *counts_next;    /* first gap since counts of handlers were read */
	struct gap *steps_next;     /* the first since steps of counters that measure were made */
	struct gap *record_next;    /* the next to be recorded */
	size_t share_next;          /* next gap whose counts are shared, if that is done at once */
	struct judge_share share;
	bool cut;  /* the window's start cuts it: its gap may have begun before */
	bool stop; /* a stop limit was reached */
	bool past; /* the last gap ended after the window, and so do its counts */
	const _Atomic uint64_t *until; /* the window's end; a time long past to end it */
	uint64_t resumed;              /* last sample from which the loop was entered */
	int64_t limit[PIECES];         /* a piece that takes so many ticks has a gap */
	uint64_t resume_middle; /* ticks to the middle of the way back and its first sample */
	int64_t took[PIECES];   /* ticks last timed, for calibration */
	uint64_t delay;         /* ticks of a deliberate delay on the first way into the loop */
	uint64_t delayed_from, delayed_until; /* time of the delay; 0: none yet */
	struct gap queue[QUEUE_MAX + 1];      /* the last entry is for a gap without room */
	union gap_detail detail[QUEUE_MAX + 1];
};

/* Initialize, on a core whose pieces are calibrated. */
static inline void sampling_init(struct sampling_excursion *x, const struct cpu *cpu,
				 uint64_t threshold)
{
	for (unsigned p = 0; p < PIECES; p++)
		x->limit[p] = (int64_t)(cpu->cost[p] + threshold);
	x->resume_middle = (cpu->cost[PIECE_RESUME] + cpu->interval_p50) / 2;
}

/* Remove all gaps of a calibration or a self-test. */
static inline void sampling_forget(struct cpu *cpu)
{
	cpu->queue_full = 0;
	cpu->rewinds = 0;
	memset(&cpu->window, 0, sizeof(cpu->window));
	memset(&cpu->worst, 0, sizeof(cpu->worst));
	memset(&cpu->hist, 0, sizeof(cpu->hist));
}

/* Reset the first gap of the queue. Its start and length are set when it is found. */
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
 * Gather, wait for the plan's start, and sample from there to *end, or until a stop limit is
 * reached, which is then in x->stop. Fills cpu->window_start and window_end with the first and the
 * last sample, and the counters' starts with what they are at the first. Steps since the counters'
 * last readings count as before the window, unless the core was interrupted across its start: that
 * is then the window's first gap, with its steps, and the start takes the place of the first
 * sample. Gaps in the ring are not judged yet; gaps that find it full are.
 */
void sampling(struct cpu *cpu, const struct platform_window *plan, const _Atomic uint64_t *end,
	      struct sampling_excursion *x);
