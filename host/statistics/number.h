/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Positive numbers of any size, with 32 significant bits: a substitute for floating point. Each
 * operation rounds down, by at most 2^-31.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* m * 2^e; bit 31 of m is set, or m is 0: zero. */
struct number {
	uint32_t m;
	int32_t e;
};

/* x * 2^e */
static inline struct number number_scaled(uint64_t x, int32_t e)
{
	int shift;

	if (!x)
		return (struct number){ 0, 0 };
	shift = 32 - __builtin_clzll(x);
	return (struct number){ (uint32_t)(shift > 0 ? x >> shift : x << -shift), e + shift };
}

static inline struct number number_of(uint64_t x)
{
	return number_scaled(x, 0);
}

static inline struct number number_multiply(struct number a, struct number b)
{
	return number_scaled((uint64_t)a.m * b.m, a.e + b.e);
}

/* b is not 0. */
static inline struct number number_divide(struct number a, struct number b)
{
	return number_scaled(((uint64_t)a.m << 32) / b.m, a.e - b.e - 32);
}

static inline bool number_is_less(struct number a, struct number b)
{
	if (!a.m || !b.m)
		return !a.m && b.m;
	return a.e < b.e || (a.e == b.e && a.m < b.m);
}

/* The bits of the smaller one, `apart` places below those of the greater. */
static inline uint64_t number_aligned(struct number small, int32_t apart)
{
	return apart > 31 ? 0 : (uint64_t)small.m << 31 >> apart;
}

static inline struct number number_add(struct number a, struct number b)
{
	struct number big = number_is_less(a, b) ? b : a, small = number_is_less(a, b) ? a : b;

	if (!small.m)
		return big;
	return number_scaled(((uint64_t)big.m << 31) + number_aligned(small, big.e - small.e),
			     big.e - 31);
}

/* a - b; zero if b is greater. */
static inline struct number number_subtract(struct number a, struct number b)
{
	if (!b.m || number_is_less(a, b))
		return b.m ? number_of(0) : a;
	return number_scaled(((uint64_t)a.m << 31) - number_aligned(b, a.e - b.e), a.e - 31);
}

/* Rounded down; UINT64_MAX for anything larger. */
static inline uint64_t number_to_u64(struct number a)
{
	if (!a.m || a.e <= -32)
		return 0;
	if (a.e > 32)
		return UINT64_MAX;
	return a.e >= 0 ? (uint64_t)a.m << a.e : a.m >> -a.e;
}
