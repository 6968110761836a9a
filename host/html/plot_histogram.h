/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms of gap lengths as SVG: both axes logarithmic, those of all single cores the same. */
#ifndef HOST_PLOT_HISTOGRAM_H
#define HOST_PLOT_HISTOGRAM_H

#include "core/records/record.h"

#include <stddef.h>
#include <stdio.h>

/* Histograms of single cores, at most: of more, those of the worst. */
#define PLOT_HISTOGRAMS_MAX 512

/*
 * All cores together, large; then each core that has gaps, small, worst cores first
 * where there are more than PLOT_HISTOGRAMS_MAX. `id` makes names unique on the page.
 * Returns how many cores were drawn; 0: no gap has a place in a histogram.
 */
size_t plot_histograms(FILE *f, const struct record_cpu *cpu, size_t cpus, unsigned id);

#endif
