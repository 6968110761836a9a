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

static const struct {
	const char *name;
	unsigned share; /* of 10000 */
} percentiles[QUANTILE_PERCENTILES] = {
	{ "p50", 5000 }, { "p90", 9000 }, { "p99", 9900 }, { "p99.9", 9990 }, { "p99.99", 9999 },
};

const char *quantile_percentile_name(unsigned n)
{
	return percentiles[n].name;
}

struct range quantile_percentile(const struct record_cpu *cpu, unsigned n)
{
	const struct record_pairs *h = &cpu->histogram;
	uint64_t count = quantile_count(h), below = 0, rank;

	if (!count || count != cpu->gaps || !is_rising(h))
		return (struct range){ 0 };
	rank = (uint64_t)(((unsigned __int128)count * percentiles[n].share + 9999) / 10000);
	/* The longest of all is known exactly. */
	if (rank == count)
		return range_exact(cpu->max_ns);
	for (size_t i = 0;; i++) {
		below += h->at[i][1];
		if (below >= rank)
			return range_of(h->at[i][0], quantile_bucket_end(h->at[i][0], cpu->max_ns));
	}
}
