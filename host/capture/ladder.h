/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder of a run: its stages, and what each step from one to the next removed, or added. */
#pragma once

#include "host/statistics/ratetest.h"

#include "core/lib/lines.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LADDER_RUNGS 8

struct result_stage; /* result.h */

/* One stage, all its cores together. */
struct ladder_rung {
	const char *stage; /* its name */
	const struct result_stage *of;
	uint64_t cores;
	struct record_cpu sum; /* of them; what one core does not know it does not know */
};

struct ladder {
	size_t count;
	bool no_smi; /* record_no_smi() of the run: printed without them */
	struct ladder_rung rung[LADDER_RUNGS]; /* in the order in which stages follow each other */
};

/* Fill the rungs from the stages, which live as long. Those past LADDER_RUNGS are passed over. */
void ladder_make(struct ladder *l, const struct result_stage *stage, size_t stages);

/* What happened from rung `to` - 1 to `to`. */
struct ladder_step {
	struct ratetest gaps, smi;
};

/*
 * The step that leads to rung `to` (1 to count - 1). Where the rungs have not as many cores, the
 * boot core is compared, which all have: others differ from it. Counts and times are each core's
 * mean: an SMI that stops all cores is one event and many gaps. Where gaps of cores have nothing to
 * do with each other this understates what is known, and never overstates it. Counts are divided by
 * the larger of both stages' bursts, as their windows show them; with fewer than
 * DISPERSION_WINDOWS_MIN of these, gaps are taken as independent in time.
 */
void ladder_step(const struct ladder *l, size_t to, struct ladder_step *step);

/*
 * Print the ladder; nothing for fewer than two stages:
 *
 *   STAGE     CORES  RUNTIME(s)  GAPS/s  SMI/s  NOISE(ppm)  MAX(us)
 *   bare          2       5.000   12.40   2.00        35.1    812.0
 *   handoff       2       5.000   10.40   0.00        30.1    112.0
 *   bare to handoff: gaps 12.40 to 10.40 /s (-16.1 %, not significant, p 0.32); ...
 *
 * All figures but RUNTIME, CORES and MAX are per core.
 */
void ladder_print(const struct ladder *l, lines_put *line, void *ctx);
