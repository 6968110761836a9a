/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic that stops at 0 and at the largest number. Records may come from captures with any
 * contents: results computed from them must not wrap.
 */
#pragma once

#include <stdint.h>

static inline uint64_t arith_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t arith_less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Distance of two numbers. */
static inline uint64_t arith_apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static inline uint64_t arith_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* The greatest common divisor; 0 divides nothing, and is divided by all. */
static inline uint64_t arith_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* value / by to the nearest; by > 0. */
static inline uint64_t arith_rounded(uint64_t value, uint64_t by)
{
	return value / by + (value % by >= (by + 1) / 2);
}

static inline uint64_t arith_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t arith_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
