/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder of a run: its stages, and what each step from one to the next removed, or added. */
#pragma once

#include "host/statistics/chance.h"

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
	struct record_cpu sum; /* of all its cores; a figure that one core lacks is not known */
};

struct ladder {
	size_t count;
	bool no_smi; /* record_no_smi() of the run: SMIs are not printed */
	struct ladder_rung rung[LADDER_RUNGS]; /* in the order in which stages follow each other */
};

/* Fill the rungs from the stages, which live as long. Stages past LADDER_RUNGS are left out. */
void ladder_make(struct ladder *l, const struct result_stage *stage, size_t stages);

/* What happened from rung `to` - 1 to `to`. */
struct ladder_step {
	struct ratetest gaps, smi;
};

/*
 * The step that leads to rung `to` (1 to count - 1). Where the rungs have different numbers of
 * cores, the boot core alone is compared, which all have: other cores differ from it. Counts and
 * times are means of the cores: an SMI that stops all cores is one event and many gaps. Where the
 * gaps of the cores are independent, this understates the evidence, and it never overstates it.
 * Counts are divided by the larger of both stages' bursts, as their windows show them; with fewer
 * windows than DISPERSION_WINDOWS_MIN, gaps are taken as independent in time.
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
 * GAPS/s, SMI/s and NOISE are per core, RUNTIME is the mean of the cores, and MAX the longest gap
 * of any core.
 */
void ladder_print(const struct ladder *l, lines_put *line, void *ctx);
