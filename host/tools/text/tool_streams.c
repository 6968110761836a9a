/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool_streams.h"

#include <ctype.h>
#include <string.h>

/* One letter is cyclictest's "T:". */
#define NAME_LEAST 2
#define NAME_MOST  80

/* "Nov 22 21:50:01 " */
#define TIME_BYTES 16

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || strchr("-_./[]", c);
}

static size_t time_before(const char *line, size_t bytes)
{
	static const char form[] = "Aaa 00 00:00:00 ";

	if (bytes < TIME_BYTES)
		return 0;
	for (size_t i = 0; i < TIME_BYTES; i++) {
		unsigned char c = (unsigned char)line[i];
		bool is = form[i] == '0'   ? isdigit(c) || (c == ' ' && i == 4)
			  : form[i] == 'A' ? isupper(c)
			  : form[i] == 'a' ? islower(c)
					   : c == (unsigned char)form[i];

		if (!is)
			return 0;
	}
	return TIME_BYTES;
}

static size_t word(const char *at, const char *end)
{
	size_t bytes = 0;

	while (at + bytes < end && is_name(at[bytes]))
		bytes++;
	return bytes;
}

/* Where the name begins, and how long it is with what ends it; 0: there is none. */
static size_t name_of(const char *line, size_t bytes, const char **name)
{
	const char *end = line + bytes, *at = line + time_before(line, bytes);
	size_t first = word(at, end);

	*name = at;
	if (first < NAME_LEAST || first > NAME_MOST)
		return 0;
	if (at > line) { /* host, and then whose */
		size_t second = at + first < end && at[first] == ' ' ? word(at + first + 1, end)
								     : 0;

		first += second ? 1 + second : 0;
	}
	at += first;
	if (at < end && *at == ':' && (at + 1 == end || at[1] == ' '))
		return first + 1;
	if ((*name)[0] == '[' && at[-1] == ']' && (at == end || *at == ' '))
		return first;
	while (at < end && *at == ' ')
		at++;
	return at > *name + first && at < end && *at == '|' ? first : 0;
}

static bool is_stream(const struct tool_streams *s, size_t n, const char *name, size_t bytes)
{
	return s->stream[n].bytes == bytes && memcmp(s->stream[n].name, name, bytes) == 0;
}

static size_t find(const struct tool_streams *s, const char *name, size_t bytes)
{
	size_t n = 0;

	while (n < s->count && !is_stream(s, n, name, bytes))
		n++;
	return n;
}

static size_t line_bytes(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return (size_t)((newline ? newline : end) - at);
}

bool tool_streams_find(struct tool_streams *s, const char *text, size_t bytes)
{
	const char *end = text + bytes, *name;
	size_t last = 0, changes = 0, line;

	*s = (struct tool_streams){ .count = 0 };
	for (const char *at = text; at < end; at += line + 1) {
		size_t n, of;

		line = line_bytes(at, end);
		if (!line || (line == 1 && *at == '\r'))
			continue;
		of = name_of(at, line, &name);
		if (!of)
			return false;
		n = find(s, name, of);
		if (n == TOOL_STREAMS_MAX)
			return false;
		if (n == s->count) {
			s->stream[n].name = name;
			s->stream[s->count++].bytes = of;
		}
		changes += n != last;
		last = n;
	}
	return changes >= s->count && s->count > 1;
}

void tool_streams_copy(const struct tool_streams *s, size_t n, const char *text, size_t bytes,
		       char *to)
{
	const char *end = text + bytes, *name;
	size_t line;

	memcpy(to, text, bytes);
	for (const char *at = text; at < end; at += line + 1) {
		size_t of;

		line = line_bytes(at, end);
		of = name_of(at, line, &name);
		if (!of || !is_stream(s, n, name, of))
			memset(to + (at - text), ' ', line);
	}
}
