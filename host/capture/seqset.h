/* SPDX-License-Identifier: BSD-2-Clause */
/* Which line numbers of a link have been seen: ranges, so that a long run costs little. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ranges kept; each hole in the lines makes one more. */
#define SEQSET_RANGES_MAX 65536

struct seqset_range {
	uint64_t first, last; /* both inclusive */
};

struct seqset {
	struct seqset_range *range; /* in rising order, never adjacent */
	size_t count;
	uint64_t members;
};

/* All zero is the empty set. */
void seqset_free(struct seqset *s);

enum seqset_added { SEQSET_NEW, SEQSET_KNOWN, SEQSET_FULL };

/* SEQSET_FULL: more than SEQSET_RANGES_MAX ranges would be needed, or memory has run out. */
enum seqset_added seqset_add(struct seqset *s, uint64_t seq);

/* How many numbers from 0 to the highest member are missing. */
uint64_t seqset_missing(const struct seqset *s);

/* The hole number `n` (from 0) in 0 ... highest member; false past the last. */
bool seqset_hole(const struct seqset *s, size_t n, struct seqset_range *hole);
