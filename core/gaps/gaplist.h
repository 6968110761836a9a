/* SPDX-License-Identifier: BSD-2-Clause */
/* The gaps of all cores as one list in time order. */
#pragma once

#include "platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next gap of one core. */
struct gaplist_head {
	uint64_t time; /* start of the core's next gap, in the boot core's TSC */
	size_t next;
	uint32_t position; /* index of the core in platform.cpu */
};

struct gaplist {
	const struct platform *platform;
	struct gaplist_head *heap; /* cores that have gaps left, the earliest at the root */
	uint32_t heads;
	uint32_t causes; /* gaps of these are listed: a bit per enum cause */
};

#define GAPLIST_ALL UINT32_MAX /* gaps of any cause */

/*
 * Begin a list of the stage's gaps of some causes, a bit for each. `heap` is scratch, one per core.
 * A core's longest gap is always listed, even when its ring was full by then. n gaps of c cores are
 * listed in O(n log c).
 */
void gaplist_begin(struct gaplist *l, const struct platform *p, struct gaplist_head *heap,
		   uint32_t causes);

/*
 * The next gap in time order, and its core; false at the end. Of equal starts, the core with the
 * lower position is first. If a core's TSC stepped back, its gaps keep their order: some may be
 * late, none is lost.
 */
bool gaplist_next(struct gaplist *l, const struct gap **gap, const struct cpu **cpu);

/*
 * The attribution of a gap that gaplist_next() gave. False for a core's longest gap that came too
 * late for the ring, if counters measure: its attribution was not kept; and on a core without a
 * context.
 */
bool gaplist_why(const struct cpu *cpu, const struct gap *gap, struct attribution *why);

/* A gap's start in the boot core's TSC. */
static inline uint64_t gaplist_time(const struct cpu *cpu, const struct gap *gap)
{
	return gap->start - (uint64_t)cpu->tsc_offset;
}

/*
 * The list is complete up to this tick of the boot core's TSC, at which the first ring was full.
 * UINT64_MAX if none was.
 */
uint64_t gaplist_complete_until(const struct platform *p);

/*
 * Largest error, in ticks, between two cores' times: the sum of the two largest error bounds of
 * tsc_offset among the measured cores.
 */
uint64_t gaplist_uncertainty(const struct platform *p);
