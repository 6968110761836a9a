/* SPDX-License-Identifier: BSD-2-Clause */
/* What the pages show of a mode: core/modes/<mode>/<mode>_screen.c. */
#pragma once

#include "screen_draw.h"

#include "core/lib/text.h"

#include <stdbool.h>

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

/* Print the limit of the mode's number; nothing if it is not set. */
void screen_mode_limit(const struct screen *s, struct text *t);

/* True if the mode's number exceeds its limit. */
bool screen_mode_is_over(const struct screen *s);

/* The screen of the mode that the configuration selects. */
const struct screen_mode *screen_mode_of(const struct config *c);
