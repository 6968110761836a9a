/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stretch of two runs: by core, kernel and phase, has a quantum's time changed?
 *
 * Quanta of one turn are alike, so they count as one observation: of 20 on each side, in any order
 * by chance. More: the k-th lowest after, of 20, is above the k-th highest before (precedence test,
 * core/kinds/interfere/interfere.c), by the edges of the histograms that speak against it; k such
 * that chance has 1 in 100 of calling any row of the stage. p99.9, the mean and the best are of too
 * few observations to be judged.
 */
#pragma once

#include "host/capture/result_stage.h"

#include "core/events/ratetest.h"

#include <stddef.h>

struct diff_stretch_row {
	const struct record_stretch *side[2]; /* before, after */
	double best_ns[2];                    /* below 0: not known */
	double percent;                       /* change of the mean time of a quantum */
	enum ratetest_change change;
};

struct diff_stretch {
	struct diff_stretch_row *row; /* of what both have */
	size_t rows;
	unsigned rank; /* k */
};

/* Of a stage, by the rates of the clocks. Ends the program when memory has run out. */
void diff_stretch_read(struct diff_stretch *d, const struct result_stage *before, uint64_t hz,
		       const struct result_stage *after, uint64_t hz_after);
