/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floor versus OS as SVG: for each core a bar of the noise seen from inside, divided by cause. The
 * numbers come from the caller, which compares a floor with an OS.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

enum plot_split_part {
	SPLIT_FLOOR, /* what the probe measured without an OS */
	SPLIT_NMI,
	SPLIT_IRQ,
	SPLIT_SOFTIRQ,
	SPLIT_THREAD,
	SPLIT_UNEXPLAINED,
	SPLIT_PARTS
};

struct plot_split_bar {
	char name[32];        /* "cpu 3", "all" */
	uint64_t exposure_ns; /* measured from inside */
	uint64_t part_ns[SPLIT_PARTS];
};

/* The bars, in ppm of each one's exposure, with a legend. Nothing if there are none. */
void plot_split(FILE *f, const struct plot_split_bar *bar, size_t count);
