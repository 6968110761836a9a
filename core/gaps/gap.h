/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One gap as the measuring core stores it, and the bounded ring for it: 64 bytes per gap if the
 * core has counters that measure, else 32. The words:
 *
 *   gap        a time of at least the threshold between two samples of a core.
 *   counted    events that registers or handlers count: SMIs, NMIs, machine checks.
 *   counters   that measure: clocks, cycles, instructions. They show what the core did.
 *   step       the increase of a counter between two readings.
 *   evidence   the counts' steps that are attributed to a gap, or all that is known of it.
 *   judge      to derive the gap's cause from its evidence and its steps (judge.h).
 *
 * The loop finds a gap. The slow path (arch/sampling.h) reads the counters, adds the gap to sums
 * and histogram, and stores it in the ring. After the window, gaps are judged; at once if the ring
 * is full, as such gaps are not stored. After the stage, gaplist.h lists the gaps of all cores.
 */
#pragma once

#include "core/cause/attribution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Contents of gap_detail, if there is one. */
enum gap_holds {
	GAP_NOTHING, /* no measurement: the evidence alone decides about the cause */
	GAP_STEPS,
	GAP_WHY,
};

struct gap {
	uint64_t start; /* TSC of the last sample before it; an estimate within the slow path */
	uint64_t ticks; /* length */
	struct gap_evidence evidence;
	uint8_t cause;     /* enum cause; CAUSE_UNKNOWN until it is judged */
	uint8_t holds;     /* enum gap_holds */
	uint8_t followers; /* number of gaps after it that its steps cover, too */
	bool behind;       /* began before the SMIs of the gap before it were read */
};

#define GAP_COLUMNS  6
#define GAP_UNSTEADY ((UINT32_C(1) << 24) - 1) /* saturates here */

/*
 * Ticks by which this reading, which took `took`, and the last one exceed the quickest, in sum:
 * their counters were then not read at one moment.
 */
static inline uint32_t gap_unsteady(uint64_t took, uint64_t *least, uint64_t *last)
{
	uint64_t more;

	if (took < *least)
		*least = took;
	more = took - *least + (*last - *least);
	*last = took;
	return more < GAP_UNSTEADY ? (uint32_t)more : GAP_UNSTEADY;
}

/*
 * Steps of the counters that measure, from the reading before the gap to the one after it. Only the
 * ISA's code knows which counter has which column. Counts are packed: pack32.h.
 */
struct gap_steps {
	uint32_t span;          /* ticks between the readings, packed */
	uint32_t unsteady : 24; /* gap_unsteady() */
	uint32_t columns : 8;   /* mask of columns that have a step */
	uint32_t count[GAP_COLUMNS];
};

/* Further data of each gap in a ring; gap.holds selects the member. */
union gap_detail {
	struct gap_steps steps;
	struct attribution_kept why;
};

/* Start and length (8 bytes each), the counts, and 4 members of one byte. */
#define GAP_BYTES (20 + sizeof(struct gap_evidence))
_Static_assert(sizeof(struct gap) == (GAP_BYTES + 7) / 8 * 8 && sizeof(union gap_detail) == 32,
	       "what a gap takes in memory");

/* Gaps in time order. Gaps that find the ring full are counted in `dropped`, and in all sums. */
struct gap_ring {
	struct gap *slot;
	union gap_detail *detail; /* one per slot; NULL where only counts are known */
	size_t capacity;
	size_t used, judged; /* number of stored gaps; of judged ones */
	uint64_t dropped;
};

static inline void gap_ring_clear(struct gap_ring *ring)
{
	ring->used = ring->judged = 0;
	ring->dropped = 0;
}
