/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder of records and a JSON parser must agree on every line, signed on its way. */
#include "tests/fuzz/agrees.h"
#include "tests/fuzz/signed.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const char *text = (const char *)data, *end;
	char *lines;

	if (!bytes || bytes > INPUT_MAX)
		return 0;
	lines = malloc(signed_room(text, bytes));
	if (!lines)
		abort();
	end = lines + signed_lines(text, bytes, lines);
	for (const char *at = lines; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (agrees(at, (size_t)(newline - at)) == AGREES_NOT)
			abort();
		at = newline + 1;
	}
	free(lines);
	return 0;
}
