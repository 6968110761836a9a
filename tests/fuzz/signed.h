/* SPDX-License-Identifier: BSD-2-Clause */
/* Append the right checksum to each line of a fuzzer's input, which cannot guess it. */
#pragma once

#include "core/lib/crc32c.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNED_EXTRA 32 /* bytes that signing adds to a line */

/* `out` has SIGNED_EXTRA bytes per line and one more than the text. Returns how many there are. */
static inline size_t signed_lines(const char *text, size_t bytes, char *out)
{
	const char *at = text, *end = text + bytes;
	char *to = out;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t count = (size_t)((newline ? newline : end) - at);

		memcpy(to, at, count);
		to += sprintf(to + count, ",\"crc\":\"%08x\"}\n", crc32c(at, count)) + count;
		at += count + (newline != NULL);
	}
	return (size_t)(to - out);
}

/* The signed lines in new memory, which the caller frees. */
static inline char *signed_new(const char *text, size_t bytes, size_t *count)
{
	size_t room = bytes + SIGNED_EXTRA + 1;
	char *lines;

	for (size_t i = 0; i < bytes; i++)
		room += text[i] == '\n' ? SIGNED_EXTRA : 0;
	lines = malloc(room);
	if (!lines)
		abort();
	*count = signed_lines(text, bytes, lines);
	return lines;
}
