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
	/* The number: "12.3 us"; what limits it, LIMITS for none, and its value for that. */
	void (*number)(const struct screen *s, struct text *t);
	enum limit limit;
	struct maybe (*value)(const struct screen *s);
	/* Beside the number, and from this line on under it; NULL: nothing. */
	void (*details)(struct screen *s, struct screen_area left, struct screen_area right,
			unsigned line);
	/* The lower part of the page. */
	void (*cores)(struct screen *s, struct screen_area a);
};

#define MODE(id, name) extern const struct screen_mode screen_mode_##name;
#include "core/config/mode_rows.h"

/* Print the limit of the mode's number; nothing where none is set. */
void screen_mode_limit(const struct screen *s, struct text *t);

/* True if the mode's number exceeds that. */
bool screen_mode_is_over(const struct screen *s);

/* That of the configuration. */
const struct screen_mode *screen_mode_of(const struct config *c);
