/* SPDX-License-Identifier: BSD-2-Clause */
/* When events came: what searches for periods are given. */
#pragma once

#include "core/gaps/exposure.h"

#include <stddef.h>
#include <stdint.h>

struct event_series {
	uint64_t *t; /* starts, ns, rising; equal ones are allowed */
	size_t count;
	const struct exposure
		*watched; /* in which they could be seen, on their clock; NULL: ever */
};

/* From the n-th event on. */
static inline struct event_series event_series_from(const struct event_series *s, size_t n)
{
	return (struct event_series){ s->t + n, s->count - n, s->watched };
}
