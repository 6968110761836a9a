/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a record of the hwlat tracer means for gaps. Of one window it gives the
 * longest gap between the two clock reads of a turn of its loop (inner), the longest
 * between turns (outer), and how many turns had either over the threshold: no list
 * and no sum, so both have bounds only. Lengths are cut to whole us.
 */
#pragma once

#include "tool.h"

#include <stdint.h>

#define HWLAT_WINDOW_NS    UINT64_C(1000000000)
#define HWLAT_WIDTH_NS     UINT64_C(500000000)
#define HWLAT_THRESHOLD_US 10u

struct hwlat_record {
	uint64_t inner_us, outer_us;
	uint64_t count; /* turns over the threshold; TOOL_NONE: older kernels do not print it */
	uint32_t cpu;
};

/* Add a record; `threshold_us` as in tracing_thresh, which is compared with `>`. */
void hwlat_sum_add(struct tool_core *core, const struct hwlat_record *r, uint64_t threshold_us,
		   uint64_t width_ns);

/* The longer of the two gaps, us. */
uint64_t hwlat_longest_us(const struct hwlat_record *r);

/* hwlat samples with interrupts off: these causes took nothing. */
void hwlat_sum_no_interrupts(struct tool_core *core);

/* The shortest gap that counts, of a threshold in us. */
uint64_t hwlat_shortest_ns(uint64_t threshold_us);
