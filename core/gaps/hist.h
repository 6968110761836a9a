/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log-linear histogram of gap lengths in ticks: exact counts, bucket width at
 * most 1/64 (1.6 %) of the bucket's lower edge, never drops. Lengths below 64
 * ticks have a bucket each.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HIST_SUB_BITS 6
#define HIST_SUB      (1u << HIST_SUB_BITS)
/* Lengths of 2^HIST_MAX_BITS ticks and more (19 hours at 4 GHz) share the last bucket. */
#define HIST_MAX_BITS 48
#define HIST_BUCKETS  ((HIST_MAX_BITS - HIST_SUB_BITS + 1) * HIST_SUB)

struct hist {
	uint64_t count[HIST_BUCKETS];
};

/*
 * The bucket of a length in a histogram whose octaves have 2^sub_bits buckets each, and whose last
 * bucket begins below 2^max_bits. On the slow path of a gap, hence inline.
 */
static inline size_t hist_bucket_of(uint64_t ticks, unsigned sub_bits, unsigned max_bits)
{
	if (ticks >> max_bits)
		return ((size_t)(max_bits - sub_bits + 1) << sub_bits) - 1;

	unsigned octave = 63u - (unsigned)__builtin_clzll(ticks | UINT64_C(1) << sub_bits);
	unsigned shift = octave - sub_bits;

	return ((size_t)shift << sub_bits) + (size_t)(ticks >> shift);
}

static inline size_t hist_bucket(uint64_t ticks)
{
	return hist_bucket_of(ticks, HIST_SUB_BITS, HIST_MAX_BITS);
}

/* The smallest length, in ticks, that falls into the bucket. */
uint64_t hist_low_of(size_t bucket, unsigned sub_bits);
uint64_t hist_low(size_t bucket);

/* The number of lengths counted. */
uint64_t hist_total(const struct hist *h);

/* Which of so many lengths, from 1, is the last of q of 10,000 parts: ceil(total * q / 10000). */
uint64_t hist_rank(uint64_t total, unsigned q);

/*
 * The lower edge of the bucket that holds the q-th of 10,000 parts of all
 * counted lengths (q = 5000: the median). 0 for an empty histogram.
 */
uint64_t hist_quantile(const struct hist *h, unsigned q);
