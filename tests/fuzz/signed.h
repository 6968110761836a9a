/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a fuzzer's input, each with a checksum that is right for it: it cannot guess them. */
#pragma once

#include "core/lib/crc32c.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNED_EXTRA 32 /* what signing adds to a line */

static inline size_t signed_room(const char *text, size_t bytes)
{
	size_t lines = 1;

	for (size_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	return bytes + lines * SIGNED_EXTRA + 1;
}

/* `out` has signed_room() bytes. Returns how many there are. */
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
