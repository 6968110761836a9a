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
	/* The number: "12.3 us"; what limits it, nothing for none; and whether it is over. */
	void (*number)(const struct screen *s, struct text *t);
	void (*limit)(const struct screen *s, struct text *t);
	bool (*is_over)(const struct screen *s);
	/* Beside the number, and from this line on under it; NULL: nothing. */
	void (*details)(struct screen *s, struct screen_area left, struct screen_area right,
			unsigned line);
	/* The lower part of the page. */
	void (*cores)(struct screen *s, struct screen_area a);
};

#define MODE(id, name) extern const struct screen_mode screen_mode_##name;
#include "core/config/mode_rows.h"

/* `limit` of a mode whose number is limited by `max`. */
void screen_mode_max(const struct screen *s, struct text *t);

/* That of the configuration. */
const struct screen_mode *screen_mode_of(const struct config *c);
