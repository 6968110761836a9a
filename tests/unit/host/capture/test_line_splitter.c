/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes to lines: however they come, the lines are the same. */
#include "host/capture/line.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define ROOM 8

static char found[256];
static size_t keep;

/* "abc|" is a line, "abc+" the part of one that goes on. */
static size_t take(void *ctx, const char *bytes, size_t count, bool goes_on)
{
	size_t used = strlen(found);

	assert_ptr_equal(ctx, &keep);
	assert_true(count <= ROOM);
	snprintf(found + used, sizeof(found) - used, "%.*s%c", (int)count, bytes,
		 goes_on ? '+' : '|');
	return goes_on ? keep : 0;
}

/* In pieces of so many bytes. */
static void feed_by(const char *text, size_t piece)
{
	char *room = test_malloc(ROOM);
	struct line_splitter s = { .line = take, .ctx = &keep, .text = room, .room = ROOM };
	size_t bytes = strlen(text);

	found[0] = '\0';
	for (size_t at = 0; at < bytes; at += piece)
		line_splitter_feed(&s, text + at, piece < bytes - at ? piece : bytes - at);
	line_splitter_end(&s);
	line_splitter_end(&s);
	test_free(room);
}

TEST(test_lines)
{
	static const struct {
		size_t keep;
		const char *text, *lines;
	} cases[] = {
		{ 0, "", "" },
		{ 0, "\n", "|" },
		{ 0, "a\n\nbc\n", "a||bc|" },
		{ 0, "a\nno end", "a|no end|" },
		{ 0, "1234567\n8", "1234567|8|" },
		/* Longer than the room, with nothing kept, and two bytes. */
		{ 0, "123456789abcdefghij\nk\n", "12345678+9abcdefg+hij|k|" },
		{ 2, "123456789abcdefghij\nk\n", "12345678+789abcde+defghij|k|" },
		{ 0, "123456789", "12345678+9|" },
		{ 0, "123456789\n", "12345678+9|" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t piece = 1; piece < 25; piece++) {
			keep = cases[i].keep;
			feed_by(cases[i].text, piece);
			assert_string_equal(found, cases[i].lines);
		}
	}
}
