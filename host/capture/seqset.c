/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorted ranges of numbers. Lines mostly arrive in order: the last range grows. */
#include "seqset.h"

#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

void seqset_free(struct seqset *s)
{
	free(s->range);
	*s = (struct seqset){ 0 };
}

/* The first range that ends at or after `seq`; `count` when there is none. */
static size_t find(const struct seqset *s, uint64_t seq)
{
	size_t low = 0, high = s->count;

	if (s->count && s->range[s->count - 1].last < seq)
		return s->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->range[middle].last < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(struct seqset *s)
{
	struct seqset_range *range;

	if (s->count == SEQSET_RANGES_MAX)
		return false;
	range = memory_try_grow(s->range, s->count, sizeof(*range));
	if (range)
		s->range = range;
	return range;
}

static bool insert(struct seqset *s, size_t at, uint64_t seq)
{
	if (!make_room(s))
		return false;
	memmove(&s->range[at + 1], &s->range[at], (s->count - at) * sizeof(s->range[0]));
	s->range[at] = (struct seqset_range){ seq, seq };
	s->count++;
	return true;
}

/* Join range `at` with the one behind it when nothing is missing between them. */
static void close_up(struct seqset *s, size_t at)
{
	if (at + 1 >= s->count || s->range[at].last + 1 != s->range[at + 1].first)
		return;
	s->range[at].last = s->range[at + 1].last;
	s->count--;
	memmove(&s->range[at + 1], &s->range[at + 2], (s->count - at - 1) * sizeof(s->range[0]));
}

enum seqset_added seqset_add(struct seqset *s, uint64_t seq)
{
	size_t at = find(s, seq);

	if (at < s->count && s->range[at].first <= seq)
		return SEQSET_KNOWN;
	if (at && s->range[at - 1].last + 1 == seq) {
		s->range[at - 1].last = seq;
		close_up(s, at - 1);
	} else if (at < s->count && s->range[at].first == seq + 1) {
		s->range[at].first = seq;
	} else if (!insert(s, at, seq)) {
		return SEQSET_FULL;
	}
	s->members++;
	return SEQSET_NEW;
}

uint64_t seqset_missing(const struct seqset *s)
{
	return s->count ? s->range[s->count - 1].last - (s->members - 1) : 0;
}

bool seqset_hole(const struct seqset *s, size_t n, struct seqset_range *hole)
{
	bool at_start = s->count && s->range[0].first > 0;

	if (at_start && n == 0) {
		*hole = (struct seqset_range){ 0, s->range[0].first - 1 };
		return true;
	}
	n -= at_start;
	if (n + 1 >= s->count)
		return false;
	*hole = (struct seqset_range){ s->range[n].last + 1, s->range[n + 1].first - 1 };
	return true;
}
