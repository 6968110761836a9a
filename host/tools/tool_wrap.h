/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines that a terminal broke, in a log that was copied from it. A line as wide as the terminal is
 * kept back until it is known whether it makes sense with those that follow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOOL_WRAP_COLUMNS 80 /* unless the log has another width, of these: */
#define TOOL_WRAP_LEAST   72
#define TOOL_WRAP_MOST    200
#define TOOL_WRAP_LINES   32

enum tool_wrap_result { TOOL_WRAP_IGNORED, TOOL_WRAP_TAKEN, TOOL_WRAP_REFUSED };

struct tool_wrap {
	/* Offer a line; if only to `try` it, one that is refused must leave no trace. */
	enum tool_wrap_result (*offer)(void *ctx, const char *line, uint64_t number, bool try);
	void *ctx;
	size_t columns;
	uint64_t joined; /* lines that were put together */
	size_t held;
	struct {
		uint64_t number;
		size_t bytes;
		char text[TOOL_WRAP_MOST + 1];
	} hold[TOOL_WRAP_LINES];
};

/* A line of so many bytes may be a full row of the terminal. */
bool tool_wrap_may_break(const struct tool_wrap *w, size_t bytes);

/* The next line. `keep`: it may be the beginning of a broken one. */
void tool_wrap_add(struct tool_wrap *w, const char *line, uint64_t number, bool keep);

/* Nothing more follows what is kept back. */
void tool_wrap_end(struct tool_wrap *w);
