/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of numbers. */
#include "receiver_own.h"

#include <stdlib.h>

#define SLOTS_FIRST 64 /* powers of two */

void receiver_own_start(struct receiver_own *o, uint64_t random)
{
	*o = (struct receiver_own){ .odd = random | 1 };
}

void receiver_own_free(struct receiver_own *o)
{
	free(o->slot);
}

/* That of the run, or the free one for it. */
static uint64_t *find(const struct receiver_own *o, uint64_t sid)
{
	uint64_t mixed = (sid ^ sid >> 32) * o->odd;
	size_t at = (mixed ^ mixed >> 32) & (o->slots - 1);

	while (o->slot[at] && o->slot[at] != sid)
		at = (at + 1) & (o->slots - 1);
	return &o->slot[at];
}

static bool grow(struct receiver_own *o)
{
	struct receiver_own more = *o;

	if (2 * o->used < o->slots)
		return true;
	more.slots = o->slots ? 2 * o->slots : SLOTS_FIRST;
	more.slot = calloc(more.slots, sizeof(*more.slot));
	if (!more.slot)
		return false;
	for (size_t i = 0; i < o->slots; i++) {
		if (o->slot[i])
			*find(&more, o->slot[i]) = o->slot[i];
	}
	free(o->slot);
	*o = more;
	return true;
}

void receiver_own_add(struct receiver_own *o, uint64_t sid)
{
	uint64_t *slot;

	if (!grow(o))
		return;
	slot = find(o, sid);
	o->used += *slot != sid;
	*slot = sid;
}

bool receiver_own_has(const struct receiver_own *o, uint64_t sid)
{
	return o->slot && *find(o, sid) == sid;
}
