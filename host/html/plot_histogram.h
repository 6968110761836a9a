/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms of gap lengths as SVG: both axes logarithmic, with one scale for all single cores. */
#pragma once

#include "core/records/record.h"

#include <stddef.h>
#include <stdio.h>

/* Histograms of single cores, at most; of more cores, the worst ones. */
#define PLOT_HISTOGRAMS_MAX 512

/*
 * All cores together, large; then each core that has gaps, small, worst cores first where there are
 * more than PLOT_HISTOGRAMS_MAX. `id` makes names unique on the page. Returns how many cores were
 * drawn; 0: no histogram has a gap.
 */
size_t plot_histograms(FILE *f, const struct record_cpu *cpu, size_t cpus, unsigned id);
