/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits, by which the verdict is pass or fail. limit_rows.h has one row for each limit.
 * config_keys.c parses and prints their keys; core/report/verdict.c judges values by them.
 */
#pragma once

#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

struct config; /* config.h */

enum limit {
#define LIMIT(id, ...) LIMIT_##id,
#include "limit_rows.h"
	LIMITS
};

/* Subjects of a limit, as bits. */
enum limit_of {
	LIMIT_OF_GAPS = 1 << 0,
	LIMIT_OF_WORK = 1 << 1,
	LIMIT_OF_CALLS = 1 << 2,
	LIMIT_OF_ALL = LIMIT_OF_GAPS | LIMIT_OF_WORK | LIMIT_OF_CALLS,
	/* A limit of lengths: it cannot be judged if the clock ran wrong or gaps were left out. */
	LIMIT_ON_CLOCK = 1 << 3,
};

struct limit_row {
	const char *name;               /* the key's name */
	const char *what;               /* "longest gap": names the value in a reason */
	unsigned of;                    /* bits of enum limit_of */
	const struct config_unit *unit; /* config_keys.h */
};

/* The row of a limit, which is less than LIMITS. */
const struct limit_row *limit_row(enum limit limit);

/* True if the limit is set, and `value`, in its unit, is known and greater. */
bool limit_exceeded(const struct config *c, enum limit limit, struct maybe value);

/* True if any limit is set whose `of` has one of these bits of enum limit_of. */
bool limit_any(const struct config *c, unsigned of);

/* The longest threshold, in ns, with which the limits can still be judged. */
uint64_t limit_shortest_ns(const struct config *c);
