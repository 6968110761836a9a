/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A number of which only bounds are known: what a tool rounded, counted in buckets or left out.
 * Exact if both ends are equal. Sums saturate at the largest number, which as an upper end means:
 * unbounded.
 */
#pragma once

#include "core/lib/arith.h"

#include <stdbool.h>
#include <stdint.h>

#define RANGE_OPEN UINT64_MAX

struct range {
	uint64_t low, high; /* low <= high; RANGE_OPEN: no upper bound */
	bool known;         /* else both are 0 */
};

static inline struct range range_of(uint64_t low, uint64_t high)
{
	return (struct range){ low, high, true };
}

static inline struct range range_exact(uint64_t value)
{
	return range_of(value, value);
}

/* What a tool printed as a whole number of units of `unit`, and cut to it. */
static inline struct range range_cut(uint64_t units, uint64_t unit)
{
	return range_of(arith_times(units, unit), arith_sum(arith_times(units, unit), unit - 1));
}

/* a + b; unknown numbers add nothing. */
static inline struct range range_add(struct range a, struct range b)
{
	return (struct range){ arith_sum(a.low, b.low), arith_sum(a.high, b.high),
			       a.known || b.known };
}

/* The larger of two numbers; unknown numbers are ignored. */
static inline struct range range_max(struct range a, struct range b)
{
	return (struct range){ arith_max(a.low, b.low), arith_max(a.high, b.high),
			       a.known || b.known };
}

/* a - b where b is part of a: never below 0. Known where both are. */
static inline struct range range_less(struct range a, struct range b)
{
	if (!a.known || !b.known)
		return (struct range){ 0 };
	return range_of(arith_less(a.low, b.high),
			a.high == RANGE_OPEN ? RANGE_OPEN : arith_less(a.high, b.low));
}
