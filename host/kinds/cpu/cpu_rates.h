/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stage of two runs: how often each kind of event was counted, and whether chance explains the
 * change.
 */
#pragma once

#include "host/capture/result.h"
#include "host/statistics/dispersion.h"

#include "core/events/ratetest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gaps, SMIs, NMIs, machine checks, gaps over the other run's longest, gaps of each cause. */
#define CPU_RATES_MAX (5 + CAUSES)

struct cpu_rate_side {
	struct maybe count; /* of all cores */
	/* Per second and core, with its 95 % limits; where the count is known. */
	double per_s, low, high;
	struct dispersion bursts; /* in which they come */
};

struct cpu_rate {
	char what[40];
	struct cpu_rate_side before, after;
	enum ratetest_change change; /* against chance at 1 in 100 for all rows together */
	int64_t chance_milli;        /* log10 of how likely chance does this or more, thousandths */
	char why[40];                /* it is not judged; "" where it is, or a count is not known */
};

struct cpu_longest {
	uint64_t ns;
	uint32_t cpu;
};

struct cpu_rates {
	uint64_t cores_before, cores_after;
	uint64_t exposure_before_ns, exposure_after_ns; /* the mean of the cores */
	struct cpu_longest longest_before, longest_after;
	double spread; /* between equal runs, as stated */
	size_t count;
	struct cpu_rate rate[CPU_RATES_MAX];
};

/*
 * Events count as bursts, as each row's own times in the windows of the stage show them; and chance
 * is that of two runs whose rates' logarithms have a standard deviation of `spread`. What chance
 * would not explain is not judged if a run has too few windows to show how events come. False if
 * there is nothing to compare: no cpu record, or no exposure.
 */
bool cpu_rates_read(struct cpu_rates *d, const struct result *before, const struct result *after,
		    const char *stage, double spread);
