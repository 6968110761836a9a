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
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/gaps/platform.h"

#include <stdbool.h>
#include <stdint.h>

#define QUEUE_MAX 128

/* A gap that waits to be recorded. */
struct sampling_queued {
	struct gap gap;
	enum cpu_piece found_in;
	const struct attribution *why; /* where that is measured; NULL: it is not */
};

/* One excursion from the loop: the gap that caused it, and those found on the way. */
struct sampling_excursion {
	struct sampling_queued *end;                    /* behind the last gap queued */
	struct sampling_queued *smi_next, *counts_next; /* the next to get a counter's steps */
	struct sampling_queued
		*share_next;           /* the next to get its share of its forerunners' steps */
	struct sampling_queued *giver; /* the forerunner looked at */
	struct sampling_queued *record_next;  /* the next to be recorded */
	struct sampling_queued *measure_next; /* the first of those since the last reading */
	bool cut;                      /* by the window's start: its gap began before, maybe */
	struct sampling_queued *waits; /* the gap of which `why` has steps; NULL: none */
	struct attribution why;
	struct attribution shared; /* of each of several gaps that were measured together */
	bool stop;                 /* a stop limit was reached */
	uint64_t resumed;          /* last sample from which the loop was entered */
	int64_t limit[PIECES];     /* ticks from which a piece holds a gap */
	uint64_t resume_middle;    /* ticks to the middle of the way back and its first sample */
	int64_t took[PIECES];      /* as last timed, for calibration */
	struct gap shorter;        /* not the worst, see worst() */
	uint64_t delay;            /* ticks of a deliberate delay on the first way into the loop */
	uint64_t delayed_from, delayed_until;        /* when that was; 0: it was not */
	struct sampling_queued queue[QUEUE_MAX + 1]; /* the last is for what finds no place */
};

/* Made ready on a core whose pieces are calibrated. */
static inline void sampling_init(struct sampling_excursion *x, const struct cpu *cpu,
				 uint64_t threshold)
{
	for (unsigned p = 0; p < PIECES; p++)
		x->limit[p] = (int64_t)(cpu->cost[p] + threshold);
	x->resume_middle = (cpu->cost[PIECE_RESUME] + cpu->interval_p50) / 2;
}

/*
 * Gather, wait for the plan's start, and sample from there to *end, or until a stop
 * limit is reached, which is then in x->stop. Fills cpu->window_start and
 * window_end with the first and the last sample, and smi_window and nmi_window
 * with the counters at the first. Steps since the counters' last readings count
 * as before it unless something held the core across it: that is then the
 * window's first gap, steps and all, and the start stands for the first sample.
 */
void sampling(struct cpu *cpu, const struct platform_window *plan, const _Atomic uint64_t *end,
	      struct sampling_excursion *x);
