/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choosing the longest gaps without memory of our own: bisect the length above
 * which no more than `limit` gaps lie, then merge the rings, which are in time
 * order each.
 */
#include "gaplist.h"

/* The n-th gap of a core: the ring's, then its longest when that came too late for the ring. */
static const struct gap *gap_at(const struct cpu *cpu, size_t n)
{
	const struct gap_ring *r = &cpu->ring;

	if (n < r->used)
		return &r->slot[n];
	if (n > r->used || !r->dropped || !cpu->worst.ticks)
		return NULL;
	if (r->used && cpu->worst.start <= r->slot[r->used - 1].start)
		return NULL;
	return &cpu->worst;
}

static uint64_t longer_than(const struct platform *p, uint64_t ticks)
{
	const struct gap *g;
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->cpus; i++)
		for (size_t k = 0; (g = gap_at(&p->cpu[i], k)); k++)
			n += g->ticks > ticks;
	return n;
}

uint64_t gaplist_held(const struct platform *p)
{
	return longer_than(p, 0);
}

void gaplist_begin(struct gaplist *l, const struct platform *p, size_t *cursor, uint64_t limit)
{
	uint64_t low = 0, high = 0;
	uint64_t held = gaplist_held(p);

	l->platform = p;
	l->cursor = cursor;
	for (uint32_t i = 0; i < p->cpus; i++) {
		cursor[i] = 0;
		if (p->cpu[i].stage.max > high)
			high = p->cpu[i].stage.max;
	}
	l->left = held < limit ? held : limit;
	if (held > limit) {
		/* The shortest cutoff with at most `limit` gaps above it. */
		while (low < high) {
			uint64_t middle = low + (high - low) / 2;

			if (longer_than(p, middle) <= limit)
				high = middle;
			else
				low = middle + 1;
		}
	}
	l->cutoff = low;
	l->at_cutoff = l->left - longer_than(p, low);
}

/* The core's next gap that is to be listed, leaving the cursor on it. */
static const struct gap *candidate(struct gaplist *l, uint32_t i)
{
	const struct gap *g;

	while ((g = gap_at(&l->platform->cpu[i], l->cursor[i]))) {
		if (g->ticks > l->cutoff || (g->ticks == l->cutoff && l->at_cutoff))
			return g;
		l->cursor[i]++;
	}
	return NULL;
}

bool gaplist_next(struct gaplist *l, const struct gap **gap, const struct cpu **cpu)
{
	const struct platform *p = l->platform;
	const struct gap *first = NULL;
	uint64_t first_time = 0;
	uint32_t owner = 0;

	for (uint32_t i = 0; l->left && i < p->cpus; i++) {
		const struct gap *g = candidate(l, i);

		if (!g)
			continue;

		uint64_t time = g->start - (uint64_t)p->cpu[i].tsc_offset;

		if (!first || time < first_time) {
			first = g;
			first_time = time;
			owner = i;
		}
	}
	if (!first)
		return false;
	l->cursor[owner]++;
	l->left--;
	if (first->ticks == l->cutoff)
		l->at_cutoff--;
	*gap = first;
	*cpu = &p->cpu[owner];
	return true;
}
