/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms of records; captures may hold anything. */
#include "quantile.h"

#include "core/lib/arith.h"

#include <stdbool.h>
#include <stddef.h>

uint64_t quantile_bucket_end(uint64_t low, uint64_t max_ns)
{
	return arith_max(low, arith_min(arith_sum(low, low / 64 + 2), max_ns));
}

uint64_t quantile_count(const struct record_pairs *h)
{
	uint64_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count = arith_sum(count, h->at[i][1]);
	return count;
}

uint64_t quantile_below(const struct record_pairs *h, uint64_t ns)
{
	uint64_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count = arith_sum(count, h->at[i][0] < ns ? h->at[i][1] : 0);
	return count;
}

static bool is_rising(const struct record_pairs *h)
{
	for (size_t i = 1; i < h->count; i++) {
		if (h->at[i][0] <= h->at[i - 1][0])
			return false;
	}
	return true;
}

struct maybe quantile_at(const struct record_pairs *h, double share)
{
	double rank = share * (double)quantile_count(h), below = 0;
	struct maybe at = { 0, false };

	if (!is_rising(h))
		return at;
	for (size_t i = 0; i < h->count; i++) {
		if (!h->at[i][1])
			continue;
		at = (struct maybe){ h->at[i][0], true };
		below += (double)h->at[i][1];
		if (below >= rank)
			break;
	}
	return at;
}
