/* SPDX-License-Identifier: BSD-2-Clause */
/* A link whose lines gather in memory, as a capture would hold them. */
#pragma once

#include "core/records/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct capture {
	struct record_link link; /* first: record_send() knows only this */
	char *bytes;
	size_t count, room;
	unsigned lines;
	size_t longest;
};

static inline void capture_bytes(struct capture *c, const char *bytes, size_t count)
{
	if (c->count + count + 1 > c->room) {
		c->room = 2 * (c->count + count + 1);
		c->bytes = realloc(c->bytes, c->room);
	}
	if (!c->bytes)
		abort();
	memcpy(c->bytes + c->count, bytes, count);
	c->count += count;
	c->bytes[c->count] = '\0';
}

static inline void capture_text(struct capture *c, const char *text)
{
	capture_bytes(c, text, strlen(text));
}

static inline void capture_line(struct record_link *link, const char *line, size_t bytes)
{
	struct capture *c = (struct capture *)link;

	capture_bytes(c, line, bytes);
	c->lines++;
	if (bytes > c->longest)
		c->longest = bytes;
}

static inline void capture_start(struct capture *c, uint64_t sid)
{
	*c = (struct capture){ .link = { .write = capture_line, .sid = sid } };
}

static inline void capture_free(struct capture *c)
{
	free(c->bytes);
	c->bytes = NULL;
	c->count = c->room = 0;
}

/* Line number `n` from 0, for the test to change; NULL past the last. */
static inline char *capture_at(struct capture *c, unsigned n)
{
	char *at = c->bytes;

	for (; at && n; n--) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at && *at ? at : NULL;
}

/* Take line number `n` out. */
static inline void capture_lose(struct capture *c, unsigned n)
{
	char *at = capture_at(c, n);
	char *next = strchr(at, '\n') + 1;

	memmove(at, next, (size_t)(c->bytes + c->count + 1 - next));
	c->count -= (size_t)(next - at);
}
