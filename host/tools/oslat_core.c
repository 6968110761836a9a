/* SPDX-License-Identifier: BSD-2-Clause */
/* Buckets of oslat to gaps. */
#include "oslat_core.h"

#include "peer_format.h"

#include "core/lib/arith.h"

uint64_t oslat_width(uint64_t width_ns, uint64_t label_ns, uint64_t next_label_ns)
{
	uint64_t a = arith_less(next_label_ns, label_ns), b = width_ns;

	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void oslat_fill(struct peer_core *core, const struct oslat_bucket *bucket, size_t count,
		uint64_t width_ns, struct range max_ns)
{
	core->events = core->sum_ns = range_exact(0);
	for (size_t i = 1; i < count; i++) {
		uint64_t low = arith_less(bucket[i].label_ns, width_ns), high = bucket[i].label_ns;
		uint64_t events = bucket[i].count;

		if (i + 1 == count && events && max_ns.high > high) {
			/* One of those past the last edge is the longest of all. */
			peer_count(core, arith_max(low, max_ns.low), max_ns.high, 1);
			high = max_ns.high;
			events--;
		}
		peer_count(core, low, high, events);
	}
	core->max_ns = max_ns;
	/* Without a gap the longest turn is none. */
	if (!core->events.high)
		core->max_ns = range_of(0, max_ns.high);
}
