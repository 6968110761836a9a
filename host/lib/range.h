/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A quantity that is known within bounds: what a tool rounded, counted in buckets or left out, or
 * what follows from a rate. Exact if both ends are equal; between others a value may be the likely
 * one. Sums saturate at the largest number, which as an upper end means: unbounded.
 */
#pragma once

#include "core/lib/arith.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

#define RANGE_OPEN UINT64_MAX

struct range {
	uint64_t low, high; /* low <= value <= high; RANGE_OPEN: no upper bound */
	bool known;         /* else all are 0 */
	struct maybe value;
};

static inline struct range range_of(uint64_t low, uint64_t high)
{
	return (struct range){ low, high, true, { low == high ? low : 0, low == high } };
}

static inline struct range range_exact(uint64_t value)
{
	return range_of(value, value);
}

/* `value`, if there is one, is moved into the range. */
static inline struct range range_around(uint64_t low, struct maybe value, uint64_t high)
{
	struct range r = range_of(low, high);

	if (value.known)
		r.value = (struct maybe){ arith_max(low, arith_min(value.value, high)), true };
	return r;
}

/* A number that a tool has truncated to `units` multiples of `unit`. */
static inline struct range range_cut(uint64_t units, uint64_t unit)
{
	return range_of(arith_times(units, unit), arith_sum(arith_times(units, unit), unit - 1));
}

/* Make an unknown count zero. */
static inline void range_count_none(struct range *r)
{
	if (!r->known)
		*r = range_exact(0);
}

/* Sum a + b; unknown numbers add nothing. */
static inline struct range range_add(struct range a, struct range b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	return range_around(arith_sum(a.low, b.low), value_sum(a.value, b.value),
			    arith_sum(a.high, b.high));
}

/* The larger of two numbers; unknown numbers are ignored. */
static inline struct range range_max(struct range a, struct range b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	return range_of(arith_max(a.low, b.low), arith_max(a.high, b.high));
}

/* Difference a - b where b is part of a: never below 0. Known where both are. */
static inline struct range range_less(struct range a, struct range b)
{
	const struct maybe value = { arith_less(a.value.value, b.value.value),
				     a.value.known && b.value.known };

	if (!a.known || !b.known)
		return (struct range){ 0 };
	return range_around(arith_less(a.low, b.high), value,
			    a.high == RANGE_OPEN ? RANGE_OPEN : arith_less(a.high, b.low));
}

/* part / whole in units of 1/scale, rounded outwards; at most the whole. Unknown for 0 of 0. */
struct range range_share(struct range part, struct range whole, uint64_t scale);

struct text;

/* r in whole units: an exact value is cut, bounds are rounded outwards. */
struct range range_in_units(struct range r, uint64_t unit);

/* True if any bound is known: else there is nothing to print. */
static inline bool range_is_bounded(struct range r)
{
	return r.known && (r.low || r.high != RANGE_OPEN);
}

/*
 * Append r / 10^digits: as few decimals as the bounds make certain, rounded outwards: "228.000",
 * "12028-12029"; "12028-" if only the lower bound is known, "n/a" if neither is.
 */
void range_text(struct text *t, struct range r, unsigned digits);

/* us of ns, and per cent of hundredths. */
#define RANGE_US      3
#define RANGE_PERCENT 2
