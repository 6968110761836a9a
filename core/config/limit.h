/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits, which make the verdict pass or fail. limit_rows.h has all that is known of each, but how
 * its key is read and printed, which is config_keys.c's, and the value that it is compared with,
 * which is core/report/verdict.c's.
 */
#pragma once

#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

struct config; /* config.h */
struct mode;   /* mode.h */

enum limit {
#define LIMIT(id, ...) LIMIT_##id,
#include "limit_rows.h"
	LIMITS
};

/* What limits are of, as bits. */
enum limit_of {
	LIMIT_OF_GAPS = 1 << 0,
	LIMIT_OF_WORK = 1 << 1,
	LIMIT_OF_CALLS = 1 << 2,
	LIMIT_OF_ALL = LIMIT_OF_GAPS | LIMIT_OF_WORK | LIMIT_OF_CALLS,
	/* Of lengths: no such limit is met where the clock is wrong, or shorter gaps were left out.
	 */
	LIMIT_ON_CLOCK = 1 << 3,
};

struct limit_row {
	const char *name; /* of the key */
	const char *what; /* "longest gap": names the value in a reason */
	unsigned of;      /* bits of enum limit_of */
	/* Print a value in the limit's unit: rounded, and such that it can be distinguished from
	 * any other. */
	void (*print)(struct text *t, uint64_t value);
	void (*exact)(struct text *t, uint64_t value);
};

/* limit < LIMITS */
const struct limit_row *limit_row(enum limit limit);

/* True if the limit is set, and the value is known to be beyond it. */
bool limit_exceeded(const struct config *c, enum limit limit, struct maybe value);

/* True if a limit is set that is of one of these, bits of enum limit_of. */
bool limit_any(const struct config *c, unsigned of);

/* Remove all limits that are of one of these. */
void limit_remove(struct config *c, unsigned of);

/* What a mode measures, bits of enum limit_of. */
unsigned limit_measured(const struct mode *mode);

/* The shortest gaps that have to be recorded for the limits to be judged, ns. */
uint64_t limit_shortest_ns(const struct config *c);
