/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log-linear histogram of gap lengths in ticks. Counts are exact, and every gap is counted. A
 * bucket is at most 1/64 (1.6 %) of its lower edge wide; lengths below 64 ticks have a bucket each.
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
 * The bucket of a length in a histogram with 2^sub_bits buckets per octave, whose last bucket
 * begins below 2^max_bits. Inline because it is on the slow path of a gap.
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

/* The smallest length of a bucket, ticks. */
uint64_t hist_low_of(size_t bucket, unsigned sub_bits);
uint64_t hist_low(size_t bucket);

/* The number of lengths counted. */
uint64_t hist_total(const struct hist *h);

/* Rank, from 1, of the quantile q / 10,000 among `total` lengths: ceil(total * q / 10000). */
uint64_t hist_rank(uint64_t total, unsigned q);

/*
 * The quantile q / 10000 of all lengths (q = 5000: the median), as the lower edge of its bucket. 0
 * for an empty histogram.
 */
uint64_t hist_quantile(const struct hist *h, unsigned q);
