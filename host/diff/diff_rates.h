/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stage of two runs: how often each kind of event was counted, and whether chance explains the
 * change.
 */
#pragma once

#include "host/capture/result.h"

#include "core/table/ladder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gaps, SMIs, NMIs, machine checks, gaps over the other run's longest, gaps of each cause. */
#define DIFF_RATES_MAX (5 + CAUSES)

struct diff_side {
	struct maybe count; /* of all cores */
	/* Per second and core, with its 95 % limits; where the count is known. */
	double per_s, low, high;
};

struct diff_rate {
	char what[40];
	struct diff_side before, after;
	struct ladder_change change; /* against chance at 1 in 100 for all rows together */
};

struct diff_longest {
	uint64_t ns;
	uint32_t cpu;
};

struct diff_rates {
	uint64_t cores_before, cores_after;
	uint64_t exposure_before_ns, exposure_after_ns; /* the mean of the cores */
	struct diff_longest longest_before, longest_after;
	size_t count;
	struct diff_rate rate[DIFF_RATES_MAX];
};

/* False if there is nothing to compare: no cpu record, or no exposure. */
bool diff_rates_read(struct diff_rates *d, const struct result *before, const struct result *after,
		     const char *stage);
