/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a run: of all bytes sent or stored, only complete record lines count. */
#include "store.h"

#include "host/capture/reader.h"

#include <string.h>

#define COMPLAINT 256

/* Clang vectorizes by default, and does not know the attribute. */
#ifdef __clang__
#define VECTORS
#else
#define VECTORS __attribute__((optimize("tree-vectorize")))
#endif

/* Test every byte, without an early exit, so that compilers vectorize the loop. */
VECTORS static bool is_printable(const char *text, size_t bytes)
{
	unsigned char worst = 0;

	for (size_t i = 0; i < bytes; i++) {
		unsigned char over = (unsigned char)(text[i] - ' ');

		worst = over > worst ? over : worst;
	}
	return worst <= '~' - ' ';
}

bool store_line_read_any(const char *text, size_t bytes, struct line *line)
{
	TEXT_DEFINE(why, COMPLAINT);

	/* Readers of captures refuse longer lines, too. */
	return bytes < READER_LINE_MAX && is_printable(text, bytes) &&
	       line_read(text, bytes, line, &why) == LINE_OK && line->whole == bytes;
}

bool store_line_read(const char *text, size_t bytes, uint64_t sid, struct line *line)
{
	return store_line_read_any(text, bytes, line) && line->sid == sid;
}

uint64_t store_line_each(const char *text, size_t bytes, uint64_t sid, store_line_take *take,
			 void *ctx)
{
	const char *end = text + bytes;
	uint64_t bad = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)(newline - text) + 1;
		struct line line;

		if (store_line_read(text, length - 1, sid, &line))
			take(ctx, &line, text, length);
		else
			bad++;
		text += length;
	}
	return bad;
}

void store_line_learn(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct store_run *run = ctx;

	(void)text;
	run->summary.lost += line->seq - run->next;
	run->next = line->seq + 1;
	run->bytes += bytes;
	summary_line(&run->summary, line);
}
