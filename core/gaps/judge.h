/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From what was read with gaps to their causes, for all processors: when the window is over, and
 * at once where a gap finds no room in the ring.
 *
 * A counter's step between two readings may be that of any gap that was found between them. The
 * slow path leaves it with the first. What registers count, SMIs, is then shared: a gap without one
 * that came before its forerunner's were read (gap.behind) takes one from the nearest gap before it
 * that has two or more. A gap that stays without any is of unknown cause. Counters that measure
 * are not shared: steps of several gaps (gap.followers) are judged as one gap's, and show only what
 * then holds of each, see attribution_of_one().
 */
#pragma once

#include "cpu.h"

#include <stddef.h>
#include <stdint.h>

/* For each count, what gaps of a row can still give to later ones, and the last that can give. */
struct judge_share {
	size_t giver[EVIDENCE_COUNTED];
	uint32_t spare[EVIDENCE_COUNTED];
};

/*
 * Judge the gaps of the ring that are not judged yet, in their order: their causes, and with them
 * the window's sums by cause and the longest gap. The core does it behind each window; the boot
 * core for a core that was lost in one.
 */
void judge_ring(struct cpu *cpu);

/*
 * Judge gap n of a row that the ring has no room for, by its own steps. Gaps before it in the row
 * were given to judge_share(), or to this.
 */
void judge_one(struct cpu *cpu, struct gap *row, union gap_detail *detail, size_t n,
	       struct judge_share *share);

/* Share what registers counted in a row's gaps with its gap n. */
void judge_share(struct gap *row, size_t n, struct judge_share *share);
