/* SPDX-License-Identifier: BSD-2-Clause */
/* Versions of rt-tests and their rounding, and buckets of oslat to gaps. */
#include "rt_tests.h"

#include "tool_format.h"

#include <stdio.h>

static const struct rt_version any = { 0, RT_VERSION_LAST };

struct rt_version rt_version_read(struct tool *tool, const char *text)
{
	const char *at = text;
	uint64_t major, minor;

	if (!scan_u64(&at, &major) || *at != '.' || !*++at || *at == ' ' ||
	    !scan_u64(&at, &minor) || !scan_end(at)) {
		tool->notes |= TOOL_VERSION;
		return any;
	}
	snprintf(tool->version, sizeof(tool->version), "%.20s", text);
	if (major < 2)
		return (struct rt_version){ 0, 0 };
	if (major == 2 && minor == 10) {
		tool->notes |= TOOL_VERSION;
		return (struct rt_version){ 1, 10 };
	}
	if (minor >= 20 && minor % 10 == 0)
		minor /= 10;
	if (major > 2 || minor > RT_VERSION_LAST) {
		tool->notes |= TOOL_NEWER;
		minor = RT_VERSION_LAST;
	}
	return (struct rt_version){ (unsigned)minor, (unsigned)minor };
}

#define ROUNDS_DOWN_SINCE 7

struct range rt_version_unround(struct rt_version v, uint64_t units, uint64_t unit_ns)
{
	bool down = v.high >= ROUNDS_DOWN_SINCE, up = v.low < ROUNDS_DOWN_SINCE;
	uint64_t ns = arith_times(units, unit_ns);

	return range_of(up ? arith_less(ns, unit_ns) : ns, down ? arith_sum(ns, unit_ns - 1) : ns);
}

uint64_t rt_oslat_width(uint64_t width_ns, uint64_t label_ns, uint64_t next_label_ns)
{
	return arith_divisor(arith_less(next_label_ns, label_ns), width_ns);
}

void rt_oslat_fill(struct tool_core *core, const struct rt_oslat_bucket *bucket, size_t count,
		   uint64_t width_ns, struct range max_ns)
{
	core->events = core->sum_ns = range_exact(0);
	for (size_t i = 1; i < count; i++) {
		uint64_t low = arith_less(bucket[i].label_ns, width_ns), high = bucket[i].label_ns;
		uint64_t events = bucket[i].count;

		if (i + 1 == count && events && max_ns.high > high) {
			/* One of those past the last edge is the longest of all. */
			tool_count(core, arith_max(low, max_ns.low), max_ns.high, 1);
			high = max_ns.high;
			events--;
		}
		tool_count(core, low, high, events);
	}
	core->max_ns = max_ns;
	/* Without a gap the longest turn is none. */
	if (!core->events.high)
		core->max_ns = range_of(0, max_ns.high);
}
