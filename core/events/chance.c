/* SPDX-License-Identifier: BSD-2-Clause */
/* Fixed-point logarithms, and the tail of the binomial distribution from them. */
#include "chance.h"

/* Logarithms to base 2 are in 2^-16. */
#define LOG2_BITS 16

/* log10(2) in thousandths: 301.03. */
#define LOG10_2       INT64_C(30103)
#define LOG10_2_SCALE INT64_C(100)

uint64_t chance_share(uint64_t part, uint64_t whole)
{
	/* Reduce `whole` to 33 bits, so that the product of `part` and CHANCE_ONE fits 64 bits. */
	while (whole >> 33) {
		whole >>= 1;
		part = (part >> 1) + (part & 1);
	}
	return part >= whole ? CHANCE_ONE : part * CHANCE_ONE / whole + 1;
}

/* log2(x) of x >= 1: the whole part by its highest bit, then a bit of the fraction per squaring. */
static int64_t log2_of(uint64_t x)
{
	int whole = 63 - __builtin_clzll(x);
	uint64_t mantissa = x << (63 - whole) >> 32; /* 1.0 is 2^31 */
	int64_t log = whole;

	for (int bit = 0; bit < LOG2_BITS; bit++) {
		mantissa = mantissa * mantissa >> 31;
		log <<= 1;
		if (mantissa >> 32) {
			mantissa >>= 1;
			log |= 1;
		}
	}
	return log;
}

static int64_t to_log10(int64_t log2)
{
	return log2 * LOG10_2 / (LOG10_2_SCALE << LOG2_BITS);
}

int64_t chance_log10(uint64_t x)
{
	return x ? to_log10(log2_of(x)) : 0;
}

int64_t chance_of_hits(uint64_t hits, uint64_t slots, uint64_t share)
{
	uint64_t missed = slots - hits;
	int64_t one = log2_of(CHANCE_ONE);
	int64_t bits;

	/* hits / slots <= share, without dividing. */
	if (hits * CHANCE_ONE <= share * slots)
		return 0;
	bits = (int64_t)hits * (log2_of(hits) - log2_of(slots) + one - log2_of(share));
	if (missed)
		bits += (int64_t)missed *
			(log2_of(missed) - log2_of(slots) + one - log2_of(CHANCE_ONE - share));
	return bits > 0 ? -to_log10(bits) : 0;
}

uint64_t chance_root(uint64_t x)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1) {
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	}
	return root;
}
