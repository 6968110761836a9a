/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ladder: what each step from stage to stage removed, or added. Printed by
 * the probe and by `noisefloor show` from the same records.
 */
#ifndef CORE_LADDER_H
#define CORE_LADDER_H

#include "ratetest.h"
#include "record.h"
#include "table_lines.h"

#include <stddef.h>
#include <stdint.h>

#define LADDER_RUNGS     8
#define LADDER_NAME_MAX  16
#define LADDER_STAGE_MAX (LADDER_NAME_MAX - 1) /* longer names are cut */

/* One stage, all its cores together. */
struct ladder_rung {
	char stage[LADDER_NAME_MAX];
	uint64_t cores;
	uint64_t exposure_ns, noise_ns, max_ns, gaps;
	struct maybe smi; /* not known where one core does not know it */
};

struct ladder {
	size_t count;
	struct ladder_rung rung[LADDER_RUNGS]; /* in the order in which stages follow each other */
};

/* Add a core's record to its stage. Stages past LADDER_RUNGS are passed over. */
void ladder_add(struct ladder *l, const struct record_cpu *cpu);

/* One kind of count, from a rung to the next. */
struct ladder_change {
	enum rate_change change;
	int64_t chance_milli; /* log10 of how likely chance does this or more, thousandths */
};

/* What happened from rung `to` - 1 to `to`. */
struct ladder_step {
	struct ladder_change gaps, smi;
};

/*
 * The step that leads to rung `to` (1 to count - 1). Counts and times are each
 * core's mean: an SMI that stops all cores is one event and many gaps. Where
 * gaps of cores have nothing to do with each other this understates what is
 * known, and never overstates it. Gaps are taken as independent in time.
 */
void ladder_step(const struct ladder *l, size_t to, struct ladder_step *step);

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
void ladder_print(const struct ladder *l, table_line *line, void *ctx);

#endif
