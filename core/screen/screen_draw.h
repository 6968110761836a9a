/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a page, for core/screen*.c and the modes. */
#pragma once

#include "screen.h"
#include "core/lib/text.h"

#include <stdint.h>

#define SCREEN_LINE        200 /* characters; longer lines are cut */
#define SCREEN_EVENT_WIDTH 38  /* columns of a line of screen_draw_events() */

/* A part of the screen, in cells. */
struct screen_area {
	unsigned x, y, width, height;
};

/* What is left of it below so many lines. */
static inline struct screen_area screen_below(struct screen_area a, unsigned n)
{
	if (n > a.height)
		n = a.height;
	a.y += n;
	a.height -= n;
	return a;
}

/* Formatted text at column x of the area's line n; nothing below its height. Returns columns. */
unsigned screen_print(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
		      uint8_t inks, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same, ended by the right edge, but not before column x. */
void screen_print_right(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
			uint8_t inks, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Words, in as many of the area's lines as they need, from line n on. Returns the next line. */
unsigned screen_wrap(struct screen *s, const struct screen_area *a, unsigned n, uint8_t inks,
		     const char *words);

/* Gaps by length, all cores together; the axis below takes a line, the heading one. */
void screen_draw_histogram(struct screen *s, const struct screen_area *a);

/* Lines that screen_draw_cores() wants in such a wide area, in all. */
unsigned screen_cores_lines(const struct screen *s, unsigned width, unsigned most);

/* A line for each core, or, where they are too many, a strip of one cell for each. */
void screen_draw_cores(struct screen *s, const struct screen_area *a);

void screen_draw_events(struct screen *s, const struct screen_area *a);

/* The longest gap of the stage, and its core; NULL: no gap. */
const struct cpu *screen_worst(const struct screen *s);

/* log2 of n in 256ths, its fraction by straight lines between powers of two; n is above 0. */
unsigned screen_log2(uint64_t n);
