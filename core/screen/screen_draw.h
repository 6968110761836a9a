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

/* Clear the screen, and draw what is at the top of each page. Returns what is left. */
struct screen_area screen_head(struct screen *s);

/* Large letters at the top of the area, at most so many lines; returns what is below. */
struct screen_area screen_large(struct screen *s, struct screen_area a, unsigned height,
				uint8_t inks, const char *text);

/* A line at the bottom of the area, which is cut to what is above. */
void screen_foot(struct screen *s, struct screen_area *a, const char *words);

/* ---- What the pages show of a mode: core/modes/<mode>/<mode>_screen.c ---- */

struct screen_mode {
	const char *counts;  /* what a stage is made of: "window" */
	bool timed;          /* how long one takes is known */
	const char *heading; /* of the mode's number, while it runs */
	const char *result;  /* the same at the end, where nothing was judged */
	const char *named;   /* the same under a verdict: "longest gap " */
	/* Print the mode's number: "12.3 us". */
	void (*number)(const struct screen *s, struct text *t);
	/* The limit of that number; LIMITS: there is none. */
	enum limit limit;
	/* The number in the limit's unit; not called if `limit` is LIMITS. */
	struct maybe (*value)(const struct screen *s);
	/* Beside the number, and from this line on under it; NULL: nothing. */
	void (*details)(struct screen *s, struct screen_area left, struct screen_area right,
			unsigned line);
	/* The lower part of the page. */
	void (*cores)(struct screen *s, struct screen_area a);
};

#define MODE(id, name) extern const struct screen_mode screen_mode_##name;
#include "core/config/mode_rows.h"

/* The mode of the configuration. */
const struct screen_mode *screen_mode(const struct screen *s);
