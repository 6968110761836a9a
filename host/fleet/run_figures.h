/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `noisefloor fleet list` compares machines by. A collector reads it once of each run that has
 * ended, and stores it beside the run: so nobody else reads the run's lines for it.
 */
#pragma once

#include "fleet_services.h"
#include "store/store.h"

#include "host/capture/figures.h"

/* Of a larger run it takes too long, and too much memory. */
#define RUN_FIGURES_BYTES_MAX ((uint64_t)64 << 20)

/*
 * Compute figures from a run's lines, which are fed in order. `run` gets its mode, if other records
 * than `begin` have it.
 */
struct run_figures;
struct run_figures *run_figures_begin(void);
void run_figures_feed(struct run_figures *r, const char *text, size_t bytes);
void run_figures_end(struct run_figures *r, struct store_run *run, struct figures *f,
		     struct fleet_services *services);

/*
 * Read and store those of up to `most` runs that have ended and have none, the oldest first; their
 * number is in *count. Runs that are too large, or have calls of firmware, are marked: whoever
 * wants their figures reads their lines.
 */
int run_figures_fill(struct store *s, unsigned most, unsigned *count);

/*
 * Call `take` for each run that meets `where`, with its stored figures; NULL: the store does not
 * have them.
 */
int run_figures_each(struct store *s, const char *where,
		     int (*take)(void *ctx, const struct store_run *run, const struct figures *f),
		     void *ctx);
