/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder: what each step from stage to stage removed, or added. */
#pragma once

#include "number.h"
#include "ratetest.h"

#include "core/lib/lines.h"
#include "core/records/record.h"

#include <stddef.h>
#include <stdint.h>

#define LADDER_RUNGS     8
#define LADDER_NAME_MAX  16
#define LADDER_STAGE_MAX (LADDER_NAME_MAX - 1) /* longer names are cut */

/* How much the counts of a stage's windows differ: sums over the windows. */
struct ladder_spread {
	struct number squares; /* count^2 / length */
	uint64_t counts, length_us;
};

/* What one core had. */
struct ladder_core {
	uint64_t exposure_ns, gaps;
	struct maybe smi;
};

/* One stage, all its cores together. */
struct ladder_rung {
	char stage[LADDER_NAME_MAX];
	uint64_t cores;
	uint64_t windows; /* those below are of */
	struct ladder_spread gaps_spread, smi_spread;
	uint64_t exposure_ns, noise_ns, max_ns, gaps;
	struct maybe smi;         /* not known where one core does not know it */
	struct ladder_core first; /* the boot core; no exposure: it was not measured */
};

struct ladder {
	size_t count;
	bool no_smi; /* record_no_smi() of the run: printed without them */
	struct ladder_rung rung[LADDER_RUNGS]; /* in the order in which stages follow each other */
};

/* Add a core's record, or a window's, to its stage. Stages past LADDER_RUNGS are passed over. */
void ladder_add(struct ladder *l, const struct record_cpu *cpu);
void ladder_add_window(struct ladder *l, const struct record_window *window);

/* From so many windows on their differences are an estimate. */
#define LADDER_WINDOWS_MIN 5

#define LADDER_BURST_ONE 256u

/* One kind of count, from a rung to the next. */
struct ladder_change {
	enum ratetest_change change;
	uint64_t burst; /* so many of them, in parts of LADDER_BURST_ONE, are taken as one event */
	int64_t chance_milli; /* log10 of how likely chance does this or more, thousandths */
};

/* What happened from rung `to` - 1 to `to`. */
struct ladder_step {
	struct ladder_change gaps, smi;
};

/*
 * The step that leads to rung `to` (1 to count - 1). Where the rungs have not as many cores, the
 * boot core is compared, which all have: others differ from it. Counts and times are each
 * core's mean: an SMI that stops all cores is one event and many gaps. Where
 * gaps of cores have nothing to do with each other this understates what is
 * known, and never overstates it.
 *
 * Gaps that come in bursts are fewer events than they are gaps. So counts are
 * divided by the index of dispersion of the windows of the two stages (Pearson's
 * chi-square over its degrees of freedom, as in quasi-Poisson models), where it
 * is above 1 and both have LADDER_WINDOWS_MIN windows; with fewer, gaps are taken
 * as independent in time.
 */
void ladder_step(const struct ladder *l, size_t to, struct ladder_step *step);

/* Two rungs of whichever ladders, by the same rules. */
void ladder_compare(const struct ladder_rung *before, const struct ladder_rung *after,
		    struct ladder_step *step);

/*
 * Print the ladder; nothing for fewer than two stages:
 *
 *   STAGE     CORES  RUNTIME(s)  GAPS/s  SMI/s  NOISE(ppm)  MAX(us)
 *   bare          2       5.000   12.40   2.00        35.1    812.0
 *   handoff       2       5.000   10.40   0.00        30.1    112.0
 *   bare to handoff: gaps 12.40 to 10.40 /s (-16.1 %, as chance may do: p 0.32); ...
 *
 * All figures but RUNTIME, CORES and MAX are per core.
 */
void ladder_print(const struct ladder *l, lines_put *line, void *ctx);
