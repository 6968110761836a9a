/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans of sampling without a gap, from which the rates of counters are learned. The causes of gaps
 * are active from power on, and may recur every ms: so a span that a gap has ended is followed by
 * one that begins right behind the gap, and if that does not last either, by shorter ones. If none
 * lasts, spans over gaps have to do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/*
 * Sample for `ticks`. False: a gap has ended the span early; `through`: it continues through gaps.
 */
typedef bool spans_sample(struct cpu *cpu, uint64_t ticks, bool through);

#define SPANS_TRIES 8u /* tries for each span that is wanted */

struct spans {
	uint64_t ticks; /* length of the next span */
	uint64_t longest, shortest;
	unsigned wanted, taken, tries;
	bool behind_gap; /* the next begins after the last gap */
	bool through;    /* spans continue over gaps */
};

static inline struct spans spans_of(uint64_t longest, uint64_t shortest, unsigned wanted)
{
	return (struct spans){ .ticks = longest,
			       .longest = longest,
			       .shortest = shortest,
			       .wanted = wanted,
			       .tries = SPANS_TRIES * wanted };
}

/* True if another span is to be sampled. */
static inline bool spans_more(struct spans *s)
{
	if (!s->tries && !s->taken && !s->through) {
		s->through = true;
		s->ticks = s->longest;
		s->tries = s->wanted;
	}
	return s->tries && s->taken < s->wanted;
}

/* Report a span's outcome: whole, or ended by a gap. True: learn from it. */
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
