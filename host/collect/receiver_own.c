/* SPDX-License-Identifier: BSD-2-Clause */
/* A balanced tree whose keys are the ids themselves, not pointers to them. */
#define _GNU_SOURCE /* tdestroy */
#include "receiver_own.h"

#include "host/lib/order.h"

#include <search.h>

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a sid fits into a pointer");

static int by_sid(const void *a, const void *b)
{
	return ORDER((uintptr_t)a, (uintptr_t)b);
}

static void free_nothing(void *sid)
{
	(void)sid;
}

void receiver_own_add(struct receiver_own *o, uint64_t sid)
{
	tsearch((const void *)(uintptr_t)sid, &o->tree, by_sid);
}

void receiver_own_remove(struct receiver_own *o, uint64_t sid)
{
	tdelete((const void *)(uintptr_t)sid, &o->tree, by_sid);
}

bool receiver_own_has(const struct receiver_own *o, uint64_t sid)
{
	return tfind((const void *)(uintptr_t)sid, &o->tree, by_sid) != NULL;
}

void receiver_own_free(struct receiver_own *o)
{
	tdestroy(o->tree, free_nothing);
}
