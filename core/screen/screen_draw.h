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

/* The area without its first `n` lines. */
static inline struct screen_area screen_below(struct screen_area a, unsigned n)
{
	if (n > a.height)
		n = a.height;
	a.y += n;
	a.height -= n;
	return a;
}

/*
 * Print formatted text at column x of the area's line n, if this is within its height. Returns the
 * number of columns.
 */
unsigned screen_print(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
		      uint8_t inks, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* screen_print() aligned to the right edge, but not before column x. */
void screen_print_right(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
			uint8_t inks, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Print words from the area's line n on, in as many lines as they need. Returns the next line. */
unsigned screen_wrap(struct screen *s, const struct screen_area *a, unsigned n, uint8_t inks,
		     const char *words);

/* Draw the gaps of all cores by length. The axis takes a line, and so does the heading. */
void screen_draw_histogram(struct screen *s, const struct screen_area *a);

/* Lines that screen_draw_cores() needs in an area of this width, at most `most`. */
unsigned screen_cores_lines(const struct screen *s, unsigned width, unsigned most);

/* Draw a line for each core or, if there are too many, a strip with one cell for each. */
void screen_draw_cores(struct screen *s, const struct screen_area *a);

void screen_draw_events(struct screen *s, const struct screen_area *a);

/* The longest gap of the stage, and its core; NULL: no gap. */
const struct cpu *screen_worst(const struct screen *s);

/* log2 of n in 256ths, its fraction by straight lines between powers of two; n is above 0. */
unsigned screen_log2(uint64_t n);

/* Clear the screen, and draw the top of the page. Returns the rest of it. */
struct screen_area screen_head(struct screen *s);

/* Draw large letters at the top of the area, in at most `height` lines. Returns the area below. */
struct screen_area screen_large(struct screen *s, struct screen_area a, unsigned height,
				uint8_t inks, const char *text);

/* Draw a line at the bottom of the area, which then excludes this line. */
void screen_foot(struct screen *s, struct screen_area *a, const char *words);

/* ---- What the pages show of a mode: core/modes/<mode>/<mode>_screen.c ---- */

struct screen_mode {
	const char *counts;  /* unit of a stage's length: "window" */
	bool timed;          /* the time of one is known */
	const char *heading; /* heading of the mode's number during the run */
	const char *result;  /* heading at the end, without a verdict */
	const char *named;   /* heading under a verdict: "longest gap " */
	/* Print the mode's number: "12.3 us". */
	void (*number)(const struct screen *s, struct text *t);
	/* The limit of that number; LIMITS: there is none. */
	enum limit limit;
	/* The number in the limit's unit; not called if `limit` is LIMITS. */
	struct maybe (*value)(const struct screen *s);
	/* Draws details beside the number, and below it from `line` on; NULL: none. */
	void (*details)(struct screen *s, struct screen_area left, struct screen_area right,
			unsigned line);
	/* The lower part of the page. */
	void (*cores)(struct screen *s, struct screen_area a);
};

#define MODE(id, name) extern const struct screen_mode screen_mode_##name;
#include "core/config/mode_rows.h"

/* The mode of the configuration. */
const struct screen_mode *screen_mode(const struct screen *s);
