/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes that come in any pieces, as lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct line_splitter {
	/*
	 * A line, without its newline. `goes_on`: it is longer than the room, and this is as much
	 * of it; returns how many of its last bytes are to stand before what follows.
	 */
	size_t (*line)(void *ctx, const char *bytes, size_t count, bool goes_on);
	void *ctx;
	char *text; /* has room for so many bytes */
	size_t room;
	size_t held;  /* bytes of a line that has not ended */
	bool goes_on; /* it has begun before these */
};

void line_splitter_feed(struct line_splitter *s, const char *bytes, size_t count);

/* Nothing follows: what is held is a line. */
void line_splitter_end(struct line_splitter *s);
