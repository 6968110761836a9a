/* SPDX-License-Identifier: BSD-2-Clause */
/* The gaps of all cores as one list: the longest ones, in time order. */
#ifndef CORE_GAPLIST_H
#define CORE_GAPLIST_H

#include "platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gaplist {
	const struct platform *platform;
	size_t *cursor;     /* next gap to look at, one per core */
	uint64_t cutoff;    /* gaps longer than this are all listed, ticks */
	uint64_t at_cutoff; /* and so many of exactly this length */
	uint64_t left;
};

/*
 * Begin a list of the `limit` longest gaps of the stage. `cursor` is scratch for
 * one number per core. A core's longest gap is always a candidate, even when its
 * ring was full by then.
 */
void gaplist_begin(struct gaplist *l, const struct platform *p, size_t *cursor, uint64_t limit);

/* The next gap in time order and its core; false at the end. */
bool gaplist_next(struct gaplist *l, const struct gap **gap, const struct cpu **cpu);

/* How many gaps are held in all. */
uint64_t gaplist_held(const struct platform *p);

#endif
