/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which spans of sampling the rates of counters are learned from: those without a gap. What
 * makes gaps is there from power on, and may come each ms: so a span that a gap has ended is
 * followed by one that begins right behind the gap, and where that does not last either, by
 * shorter ones. Where none lasts, spans over gaps have to do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/*
 * Sample for so many ticks. False: a gap has ended it before that; `through`: it goes on over
 * gaps, and is never ended.
 */
typedef bool spans_sample(struct cpu *cpu, uint64_t ticks, bool through);

#define SPANS_TRIES 8u /* for each that is wanted */

struct spans {
	uint64_t ticks; /* of the next */
	uint64_t longest, shortest;
	unsigned wanted, taken, tries;
	bool behind_gap; /* the next begins there */
	bool through;    /* it goes on over gaps */
};

static inline struct spans spans_of(uint64_t longest, uint64_t shortest, unsigned wanted)
{
	return (struct spans){ .ticks = longest,
			       .longest = longest,
			       .shortest = shortest,
			       .wanted = wanted,
			       .tries = SPANS_TRIES * wanted };
}

/* Whether to sample another one. */
static inline bool spans_more(struct spans *s)
{
	if (!s->tries && !s->taken && !s->through) {
		s->through = true;
		s->ticks = s->longest;
		s->tries = s->wanted;
	}
	return s->tries && s->taken < s->wanted;
}

/* What became of it: whole, or ended by a gap. True: learn from it. */
static inline bool spans_take(struct spans *s, bool whole)
{
	bool good = whole || s->through;

	s->tries--;
	s->taken += good;
	if (!good && s->behind_gap && s->ticks / 2 >= s->shortest)
		s->ticks /= 2;
	s->behind_gap = !good;
	return good;
}
