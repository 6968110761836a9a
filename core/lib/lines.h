/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for people, line by line, and prose that is broken into lines. */
#pragma once

#include "text.h"

#include <stddef.h>

#define LINES_CONTINUED 4   /* blanks before the next line of a sentence */
#define LINES_MAX       600 /* longer lines are cut */
#define LINES_COLUMNS   80  /* width of terminals on a serial port; a BMC's wraps, or cuts */

/* Receives one line at a time, without its newline. */
typedef void lines_put(void *ctx, const char *line, size_t bytes);

/* Lines that are passed on one at a time. */
struct lines {
	struct text out;
	char buf[LINES_MAX];
	lines_put *put;
	void *ctx;
};

void lines_init(struct lines *l, lines_put *put, void *ctx);

/* Pass on the line in `out`, and start the next one. */
void lines_end(struct lines *l);

/*
 * lines_end() for prose: breaks at blanks so that no line exceeds LINES_COLUMNS, unless by a single
 * word. Lines after the first begin with `indent` blanks, fewer than LINES_COLUMNS.
 */
void lines_wrap(struct lines *l, unsigned indent);

/* Pass on the lines of a text, each of which ends with a newline. */
void lines_split(const char *text, lines_put *put, void *ctx);
