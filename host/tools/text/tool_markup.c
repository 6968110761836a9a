/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool_markup.h"

#include <stdbool.h>
#include <string.h>

#define EMPHASIS "**"

static bool is_at(const char *at, const char *end, const char *word)
{
	size_t bytes = strlen(word);

	return (size_t)(end - at) >= bytes && memcmp(at, word, bytes) == 0;
}

static const struct {
	const char *text;
	char plain;
} characters[] = {
	{ "\xc2\xa0", ' ' }, /* U+00A0 in UTF-8 */
	{ "&nbsp;", ' ' },   { "&lt;", '<' },  { "&gt;", '>' },   { "&amp;", '&' },
	{ "&quot;", '"' },   { "&#34;", '"' }, { "&#39;", '\'' }, { "&#x27;", '\'' },
};

#define CHARACTERS (sizeof(characters) / sizeof(characters[0]))

static size_t plain_characters(char *line, size_t bytes)
{
	const char *end = line + bytes;
	char *out = line;

	for (const char *at = line; at < end;) {
		size_t n = 0;

		while (n < CHARACTERS && !is_at(at, end, characters[n].text))
			n++;
		*out++ = n < CHARACTERS ? characters[n].plain : *at;
		at += n < CHARACTERS ? strlen(characters[n].text) : 1;
	}
	return (size_t)(out - line);
}

static size_t without_end(const char *line, size_t bytes, const char *word)
{
	size_t end = strlen(word);

	return bytes >= end && memcmp(line + bytes - end, word, end) == 0 ? bytes - end : bytes;
}

static size_t without_emphasis(char *line, size_t bytes)
{
	size_t mark = strlen(EMPHASIS), from = 0;
	size_t end = without_end(line, bytes, EMPHASIS);

	while (from < bytes && (line[from] == ' ' || line[from] == '>'))
		from++;
	if (end == bytes || end < from + mark || memcmp(line + from, EMPHASIS, mark) != 0)
		return bytes;
	memmove(line + from, line + from + mark, end - from - mark);
	return end - mark;
}

size_t tool_markup_undo(char *line, size_t bytes)
{
	if (memchr(line, '\xc2', bytes) || memchr(line, '&', bytes))
		bytes = plain_characters(line, bytes);
	bytes = without_end(line, bytes, "<br>");
	bytes = without_end(line, bytes, "<br/>");
	bytes = without_end(line, bytes, "<br />");
	return without_emphasis(line, bytes);
}
