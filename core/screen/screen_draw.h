/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a page, for the files of this folder. */
#pragma once

#include "core/lib/lines.h"
#include "screen.h"
#include "screen_mode.h"

#include <stdint.h>

#define SCREEN_LINE 200 /* characters; longer lines are cut */

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

/* The names at the head of a page: version and machine, firmware, processor and cores. */
struct screen_head {
	char version[SCREEN_LINE], machine[SCREEN_LINE], firmware[SCREEN_LINE];
	char processor[SCREEN_LINE], cores[SCREEN_LINE];
};

void screen_name(struct screen_head *head, const struct record_begin *begin);

/* Clear the screen, and draw the top of the page. Returns the rest of it. */
struct screen_area screen_draw_head(struct screen *s, const struct screen_head *head);

/* Draw words from the area's line n on, in as many lines as they need. Returns the next line. */
unsigned screen_wrap(struct screen *s, const struct screen_area *a, unsigned n, uint8_t inks,
		     const char *words);

/* Lines that follow each other down an area. */
struct screen_flow {
	struct screen *s;
	struct screen_area a;
	unsigned n;       /* lines drawn */
	unsigned missing; /* lines for which there was no room */
	uint8_t ink;
};

/* A lines_put: draws a line, wrapped; ctx is a struct screen_flow. */
void screen_flow_line(void *ctx, const char *line, size_t bytes);

/* If lines are missing, the last line ends with "and N more lines". */
void screen_flow_end(struct screen_flow *f);

/* Draw large letters at the top of the area, in at most `height` lines. Returns the area below. */
struct screen_area screen_large(struct screen *s, struct screen_area a, unsigned height,
				uint8_t inks, const char *text);

/* Draw a line at the bottom of the area, which then excludes this line. */
void screen_foot(struct screen *s, struct screen_area *a, const char *words);

/* The part of the report's mode. */
const struct screen_mode *screen_mode(const struct report *r);
