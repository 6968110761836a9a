/* SPDX-License-Identifier: BSD-2-Clause */
/* The shortest of the longest lengths decides; lengths in rising order are a heap, too. */
#include "longest.h"

#include "core/lib/arith.h"
#include "core/lib/sort.h"

/* Replace the root of the heap. */
static void replace_least(struct longest *l, uint64_t length)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < l->used) {
		child += child + 1 < l->used && l->length[child + 1] < l->length[child];
		if (l->length[child] >= length)
			break;
		l->length[i] = l->length[child];
		i = child;
	}
	l->length[i] = length;
}

void longest_add(struct longest *l, uint64_t length)
{
	l->count++;
	if (l->used < l->capacity) {
		l->length[l->used++] = length;
		if (l->used == l->capacity)
			sort_u64(l->length, l->used);
	} else if (l->used && length > l->length[0]) {
		replace_least(l, length);
	}
}

struct longest_choice longest_choose(struct longest *l, uint64_t limit)
{
	struct longest_choice c = { .chosen = l->count, .at_cutoff = UINT64_MAX };
	size_t from;

	if (limit == UINT64_MAX || l->count <= limit)
		return c;
	c = (struct longest_choice){ .chosen = arith_min(limit, l->used), .cutoff = UINT64_MAX };
	if (!c.chosen)
		return c;
	sort_u64(l->length, l->used);
	from = l->used - (size_t)c.chosen;
	c.cutoff = l->length[from];
	while (from < l->used && l->length[from++] == c.cutoff)
		c.at_cutoff++;
	return c;
}

bool longest_take(struct longest_choice *c, uint64_t length)
{
	if (length < c->cutoff || (length == c->cutoff && !c->at_cutoff))
		return false;
	c->at_cutoff -= length == c->cutoff;
	return true;
}
