/* SPDX-License-Identifier: BSD-2-Clause */
/* A mode's part of the pages: core/modes/<mode>/<mode>_screen.c. */
#pragma once

#include "core/lib/lines.h"
#include "core/report/report.h"

struct screen_mode {
	const char *counts;  /* unit of a stage's length: "window" */
	bool timed;          /* the time of one is known */
	const char *heading; /* heading of the mode's number */
	const char *named;   /* heading under a verdict: "longest gap " */
	/* Print the mode's number: "12.3 us". */
	void (*number)(const struct report *r, struct text *t);
	/* Print where that number comes from, for the page of the run. NULL: nothing. */
	void (*origin)(const struct report *r, struct text *t);
	/* The limit of that number; LIMITS: there is none. */
	enum limit limit;
	/* The number in the limit's unit; not called if `limit` is LIMITS. */
	struct maybe (*value)(const struct report *r);
	/* Print the lower part of the page. */
	void (*lines)(const struct report *r, struct lines *out);
};

#define MODE(id, name) extern const struct screen_mode screen_mode_##name;
#include "core/config/mode_rows.h"
