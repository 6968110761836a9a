/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds from a record of hwlat. */
#include "hwlat_sum.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

uint64_t hwlat_shortest_ns(uint64_t threshold_us)
{
	return arith_times(arith_sum(threshold_us, 1), NS_PER_US);
}

void hwlat_sum_add(struct tool_core *core, const struct hwlat_record *r, uint64_t threshold_us,
		   uint64_t width_ns)
{
	bool in = r->inner_us > threshold_us, out = r->outer_us > threshold_us;
	struct range inner = in ? range_cut(r->inner_us, NS_PER_US) : range_exact(0);
	struct range outer = out ? range_cut(r->outer_us, NS_PER_US) : range_exact(0);
	struct range both = range_add(inner, outer), longest = range_max(inner, outer);
	uint64_t sorts = (uint64_t)in + out;
	uint64_t least = arith_max(r->count.known ? r->count.value : 1, sorts);
	uint64_t most = r->count.known ? arith_times(r->count.value, sorts) : RANGE_OPEN;
	/* Turns beyond those of the two longest have at least the shortest gap that counts. */
	uint64_t low = arith_sum(both.low,
				 arith_times(least - sorts, hwlat_shortest_ns(threshold_us)));
	uint64_t high = r->count.known ? arith_times(r->count.value, both.high) : RANGE_OPEN;

	/* A window ends with the first turn past its width. */
	high = arith_max(low, arith_min(high, arith_sum(width_ns, longest.high)));
	core->events = range_add(core->events, range_of(least, arith_max(least, most)));
	core->sum_ns = range_add(core->sum_ns, range_of(low, high));
	core->max_ns = range_max(core->max_ns, longest);
}

void hwlat_sum_no_interrupts(struct tool_core *core)
{
	static const enum tool_cause off[] = { TOOL_IRQ, TOOL_SOFTIRQ, TOOL_THREAD };

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		core->cause[off[i]].events = core->cause[off[i]].ns = range_exact(0);
}
