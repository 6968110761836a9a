/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drawings of a report: one self-contained HTML page without scripts, readable in light, dark and
 * print, and well-formed as XML.
 */
#pragma once

#include "host/capture/result.h"

#include "core/cause/cause.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* host/html/page.css */
extern const char html_style[];

/* The class that gives a cause its colour: "k-stall"; its mark, as a path around a place. */
const char *html_cause_class(enum cause cause);
const char *html_cause_shape(enum cause cause);

/* "152 us", in a buffer of the caller. */
const char *html_duration(uint64_t ns, char buf[24]);

/* ---- Plots as SVG, and what they share: scales, their ticks, and the marks of causes ---- */

/* Scale of an axis: from values to positions. */
struct plot_scale {
	double low, high; /* values; low < high, above 0 where logarithmic */
	double from, to;  /* places */
	bool log;
};

/* The position of a value; values outside are at the ends. */
double plot_place(const struct plot_scale *s, double value);

/* Widen the scale to hold a value. */
void plot_widen(struct plot_scale *s, double value);

/* Widen the scale to whole decades, at least one. */
void plot_decades(struct plot_scale *s);

/* Position and size inside the viewBox; the places of both scales are within them. */
struct plot_axes {
	struct plot_scale x, y;
	void (*x_label)(FILE *f, double value), (*y_label)(FILE *f, double value);
	int left, top, width, height;
};

/* Lines with their labels, as many as there is room for. */
void plot_axes(FILE *f, const struct plot_axes *a);

/* A length of time on an axis: "1 us", "20 s". */
void plot_time(FILE *f, double ns);

/* A gap's mark, inside a path: each cause has a shape, some 6 wide, around (x, y). */
void plot_mark(FILE *f, enum cause cause, int x, int y);

/* Shapes, colours and names of the causes whose bit is set in `causes`: an <svg> of its own. */
void plot_legend(FILE *f, uint32_t causes);

/* Histograms of single cores, at most; of more cores, the worst ones. */
#define PLOT_HISTOGRAMS_MAX 512

/*
 * Histograms of gap lengths, both axes logarithmic, with one scale for all single cores. All cores
 * together, large; then each core that has gaps, small, worst cores first where there are more than
 * PLOT_HISTOGRAMS_MAX; none of a stage of one core. A limit of 0 is none. `id` makes names unique
 * on the page. Returns how many cores were drawn; 0: no histogram has a gap.
 */
size_t plot_histograms(FILE *f, const struct result_stage *stage, uint64_t limit_ns, unsigned id);

/* Histograms that are drawn as one: their sum. */
struct plot_group {
	char title[64];
	const struct record_pairs **of;
	size_t count;
};

/* Histograms, small, side by side. */
struct plot_grid {
	const char *name; /* with `id`, an id of the page */
	unsigned id;
	uint64_t limit; /* on a length; 0: none */
	void (*label)(FILE *f,
		      double length); /* prints a length, which is in the unit of `limit` */
	struct plot_group *group;
	size_t groups;
};

/* Both axes logarithmic, with one scale for all; nothing if all are empty. */
void plot_grid(FILE *f, const struct plot_grid *grid);

/*
 * Gaps over time: above, the longest of each moment, by cause; below, on which cores, one row each;
 * under it, when cores sampled. What hit several cores at the same time lines up vertically.
 * Returns the causes that occur, as bits 1 << cause; 0: there is nothing to draw.
 */
uint32_t plot_timeline(FILE *f, const struct result_stage *stage, uint64_t limit_ns);
