/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gaps over time, as SVG: above, the longest of each moment, by cause; below, on which cores, one
 * row each; under it, when cores sampled. What hit several cores at the same time lines up
 * vertically.
 */
#pragma once

#include "host/capture/run_stage.h"

#include "core/records/record.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct plot_timeline {
	const struct run_stage *stage;
	const struct record_cpu *cpu; /* by number */
	size_t cpus;
};

/* The causes that occur, as bits 1 << cause; 0: there is nothing to draw. */
uint32_t plot_timeline(FILE *f, const struct plot_timeline *t);
