/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judging: from the readings of gaps to their causes, for all processors. It is done after the
 * window, or at once for a gap that finds the ring full.
 *
 * If several gaps are found between two readings of a counter, its step may belong to any of them.
 * The slow path gives it to the first. Steps of registers that count (SMIs) are then shared: a gap
 * without a step that began before its predecessor's were read (gap.behind) takes one from the
 * nearest gap before it that has two or more. If it gets none, its cause is unknown. Steps of
 * counters that measure are not shared: gaps with common steps (gap.followers) are judged together,
 * as if they were one gap, and each gets only what is then certain of it: attribution_of_one().
 *
 * A row below is an array of consecutive gaps: the ring, or the queue of the slow path.
 */
#pragma once

#include "cpu.h"

#include <stddef.h>
#include <stdint.h>

/* For each count: steps that gaps of a row can still give away, and the last gap that can. */
struct judge_share {
	size_t giver[EVIDENCE_COUNTED];
	uint32_t spare[EVIDENCE_COUNTED];
};

/*
 * Judge the remaining gaps of the ring in order: set their causes, and add them to the window's
 * sums by cause and to the longest gap. Each core does this after its window; the boot core does it
 * for a core that was lost in one.
 */
void judge_ring(struct cpu *cpu);

/*
 * Judge gap n of a row, which finds the ring full, by its own steps. For each gap before it in the
 * row, judge_share() or this has been called.
 */
void judge_one(struct cpu *cpu, struct gap *row, union gap_detail *detail, size_t n,
	       struct judge_share *share);

/* Share the row's steps of registers that count with gap n. */
void judge_share(struct gap *row, size_t n, struct judge_share *share);
