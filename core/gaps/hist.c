/* SPDX-License-Identifier: BSD-2-Clause */
/* Log-linear histogram: edges, total and quantiles. Counting is hist_bucket(), in the header. */
#include "hist.h"

uint64_t hist_low_of(size_t bucket, unsigned sub_bits)
{
	uint64_t sub = UINT64_C(1) << sub_bits;

	return bucket < sub ? bucket : (sub + bucket % sub) << ((bucket >> sub_bits) - 1);
}

uint64_t hist_low(size_t bucket)
{
	return hist_low_of(bucket, HIST_SUB_BITS);
}

uint64_t hist_total(const struct hist *h)
{
	uint64_t total = 0;

	for (size_t i = 0; i < HIST_BUCKETS; i++)
		total += h->count[i];
	return total;
}

#define PARTS 10000u

/* Computed without overflow. */
uint64_t hist_rank(uint64_t total, unsigned q)
{
	uint64_t rank = total / PARTS * q + (total % PARTS * q + PARTS - 1) / PARTS;

	return rank ? rank : 1;
}

uint64_t hist_quantile(const struct hist *h, unsigned q)
{
	uint64_t total = hist_total(h);
	uint64_t rank = hist_rank(total, q < PARTS ? q : PARTS);
	uint64_t seen = 0;

	for (size_t i = 0; i < HIST_BUCKETS; i++) {
		seen += h->count[i];
		if (seen >= rank)
			return hist_low(i);
	}
	return 0;
}
