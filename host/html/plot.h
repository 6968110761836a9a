/* SPDX-License-Identifier: BSD-2-Clause */
/* What plots share: scales, their ticks, and the marks of causes. */
#pragma once

#include "core/cause/cause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* From values to positions along an axis. */
struct plot_scale {
	double low, high; /* values; low < high, above 0 where logarithmic */
	double from, to;  /* places */
	bool log;
};

/* The position of a value; values outside are at the ends. */
double plot_place(const struct plot_scale *s, double value);

/* Widen it to whole decades, at least one. */
void plot_decades(struct plot_scale *s);

#define PLOT_TICKS_MAX 32

/* Ticks: powers of ten, or 4 to 10 round values. Returns their number. */
size_t plot_ticks(const struct plot_scale *s, double tick[PLOT_TICKS_MAX]);

/* A length of time on an axis: "1 us", "20 s". */
void plot_time(FILE *f, double ns);

/* The same in a path: each cause has a shape of its own, some 6 wide, around (x, y). */
void plot_mark(FILE *f, enum cause cause, int x, int y);

/* Shapes, colours and names of the causes whose bit is set in `causes`: an <svg> of its own. */
void plot_legend(FILE *f, uint32_t causes);
