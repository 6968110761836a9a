/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a step takes of which every rank does the same work and all wait for the slowest. Ranks
 * are independent, and so are the pieces of work of one: the distribution function of the slowest
 * is the product of theirs. Ranks that are slow at the same time wait less. A rank whose slow
 * pieces come in a row waits longer, but no step is longer, by the mean, than one of a single
 * piece.
 */
#pragma once

#include "core/records/record.h"

#include <stddef.h>
#include <stdint.h>

/* By how much a piece of work takes longer, in millionths of what it takes at best. */
struct slowest_point {
	double at, mass; /* not negative; all masses sum up to 1 */
};

/* One kind of rank: a core. */
struct slowest_core {
	double best;                 /* of its piece of work, in units of the quickest core's */
	struct slowest_point *point; /* `at` rises; freed by the caller */
	size_t points;
};

enum slowest_edge {
	SLOWEST_LOW,  /* all quanta at the lower edges of their buckets */
	SLOWEST_SEEN, /* within them, so that the mean is the record's */
	/*
	 * At the upper edges, every count of longer quanta at its 95 % upper limit, and one more of
	 * `unseen` that all may have missed, as slowdown's BOUND.
	 */
	SLOWEST_BOUND,
	SLOWEST_EDGES
};

/* What a record has of one quantum; its histogram has all its quanta, of which there are any. */
void slowest_read(struct slowest_core *core, const struct record_stretch *r, enum slowest_edge edge,
		  double unseen);

/* One piece of work becomes `times` (not 0) in a row. Points within 1/64 are taken together. */
void slowest_repeat(struct slowest_core *core, uint64_t times);

/*
 * The mean length of a step on so many ranks, spread evenly over the cores, which ever get the last
 * ones: for each of `counts`, in units of the quickest core's best.
 */
void slowest_expect(const struct slowest_core *core, size_t cores, const uint64_t *ranks,
		    size_t counts, double *slower);
