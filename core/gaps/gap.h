/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One gap as the measuring core stores it, and the bounded ring it goes into: 64 bytes where there
 * are counters that measure, else 32. The slow path stores what it has read; judge.h turns that
 * into causes when the window is over.
 */
#pragma once

#include "core/cause/attribution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What gap_detail holds, where there is one. */
enum gap_holds {
	GAP_NOTHING, /* nothing was measured: the cause is by the gap's evidence alone */
	GAP_STEPS,
	GAP_WHY,
};

struct gap {
	uint64_t start; /* TSC of the last sample before the gap */
	uint64_t ticks; /* length */
	struct gap_evidence evidence;
	uint8_t cause;     /* enum cause; unknown until it is judged */
	uint8_t holds;     /* enum gap_holds */
	uint8_t followers; /* gaps right behind whose steps are in this one's, too */
	bool behind;       /* it came before the SMIs of the gap before it were read */
};

#define GAP_COLUMNS  6
#define GAP_UNSTEADY ((UINT32_C(1) << 24) - 1) /* or more */

/*
 * By how much a reading that took so many ticks, and the last one, exceed the quickest: they are
 * then not of one moment.
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
 * Steps of the counters that measure, from the reading before the gap to the one after. The ISA
 * knows which counter a column is of. Counts are packed: pack32.h.
 */
struct gap_steps {
	uint32_t span;          /* ticks between the readings, packed */
	uint32_t unsteady : 24; /* ticks that both readings took longer than the quickest */
	uint32_t columns : 8;   /* mask of those that hold a step */
	uint32_t count[GAP_COLUMNS];
};

/* Beside each gap of a ring. */
union gap_detail {
	struct gap_steps steps;
	struct attribution_kept why;
};

/* Start and length, 8 bytes each, the counts, and 4 members of one byte. */
#define GAP_BYTES (20 + sizeof(struct gap_evidence))
_Static_assert(sizeof(struct gap) == (GAP_BYTES + 7) / 8 * 8 && sizeof(union gap_detail) == 32,
	       "what a gap takes in memory");

/* Gaps in time order. When full, further gaps are counted in `dropped`. */
struct gap_ring {
	struct gap *slot;
	union gap_detail *detail; /* of each slot; NULL where nothing but counts is known */
	size_t capacity;
	size_t used, judged; /* the first so many */
	uint64_t dropped;
};

static inline void gap_ring_clear(struct gap_ring *ring)
{
	ring->used = ring->judged = 0;
	ring->dropped = 0;
}
