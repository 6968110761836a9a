/* SPDX-License-Identifier: BSD-2-Clause */
/* The gaps of all cores as one list: all, or the longest ones, in time order. */
#pragma once

#include "platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the list stands on one core. */
struct gaplist_head {
	uint64_t time; /* start of the core's next gap, in the boot core's TSC */
	size_t next;
	uint32_t position; /* of the core in platform.cpu */
};

/* Which gaps of a list are chosen, the longest. */
struct gaplist_choice {
	uint64_t cutoff;    /* all that are longer than this, ticks */
	uint64_t at_cutoff; /* and so many of exactly this length: the earliest */
};

struct gaplist {
	const struct platform *platform;
	struct gaplist_head *heap; /* cores that have gaps left, the earliest at the root */
	uint32_t heads;
	struct gaplist_choice choice;
};

/* Choose the `limit` longest gaps of the stage; UINT64_MAX: all. */
struct gaplist_choice gaplist_choose(const struct platform *p, uint64_t limit);

/*
 * True if the gap is chosen, which is then taken. Call it with each gap of a list, in its order,
 * that has at least the chosen ones.
 */
bool gaplist_take(struct gaplist_choice *c, const struct gap *gap);

/* Begin a list of all gaps of the stage that start at `from` or later, in the boot core's TSC. */
void gaplist_begin_from(struct gaplist *l, const struct platform *p, struct gaplist_head *heap,
			uint64_t from);

/*
 * Begin a list of the `limit` longest gaps of the stage; UINT64_MAX: all. `heap` is
 * scratch, one per core. A core's longest gap is always a candidate, even when its
 * ring was full by then. n gaps of c cores are listed in O(n log c).
 */
void gaplist_begin(struct gaplist *l, const struct platform *p, struct gaplist_head *heap,
		   uint64_t limit);

/*
 * The next gap in time order and its core; false at the end. Cores come in their
 * order where starts are equal. A core whose TSC stepped back is listed as it was
 * recorded: its gaps may then come too late, none is lost.
 */
bool gaplist_next(struct gaplist *l, const struct gap **gap, const struct cpu **cpu);

/*
 * What is known of a gap that gaplist_next() gave. False for a core's longest that came too late
 * for the ring, where counters measure: they were judged, and not kept.
 */
bool gaplist_why(const struct cpu *cpu, const struct gap *gap, struct attribution *why);

/* A gap's start in the boot core's TSC. */
static inline uint64_t gaplist_time(const struct cpu *cpu, const struct gap *gap)
{
	return gap->start - (uint64_t)cpu->tsc_offset;
}

/*
 * Up to this tick of the boot core's TSC no gap is missing from the list: then
 * the first ring was full. UINT64_MAX when none was.
 */
uint64_t gaplist_complete_until(const struct platform *p);

/*
 * By how many ticks two cores' times may be off against each other: the sum of
 * the two largest error bounds of tsc_offset among the measured cores.
 */
uint64_t gaplist_uncertainty(const struct platform *p);
