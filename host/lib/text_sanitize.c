/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_sanitize.h"
#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t text_utf8(const char *text, size_t room, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	size_t bytes = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

	if (room < bytes)
		return 0;
	*code = *at & (bytes > 1 ? 0x7fu >> bytes : 0x7fu);
	for (size_t i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	if (*code < least[bytes] || *code > 0x10ffff || *code >> 11 == 0xd800 >> 11)
		return 0;
	/* Neither a byte of the middle nor one past F4 begins a character. */
	return (*at & 0xc0) == 0x80 || *at > 0xf4 ? 0 : bytes;
}

/*
 * Like text_utf8(), for text that ends with a zero. 0, too, for control characters and those that
 * XML lacks.
 */
static size_t character(const unsigned char *at)
{
	uint32_t code;
	size_t bytes;

	if (*at < 0x80)
		return *at >= 0x20 && *at < 0x7f;
	bytes = text_utf8((const char *)at, 4, &code);
	/* U+0080 to U+009F are controls; U+FFFE and U+FFFF are no characters of XML. */
	return bytes && code >= 0xa0 && code >> 1 != 0xfffe >> 1 ? bytes : 0;
}

void text_sanitize(char *text)
{
	unsigned char *at = (unsigned char *)text;

	for (size_t bytes; *at; at += bytes ? bytes : 1) {
		bytes = character(at);
		if (!bytes)
			*at = '?';
	}
}

void text_sanitize_copy(char *to, size_t room, const char *from)
{
	snprintf(to, room, "%s", from);
	text_sanitize(to);
}

void text_sanitize_ascii(char *to, size_t room, const char *from)
{
	size_t n = 0;

	for (; from && from[n] && n < room - 1; n++)
		to[n] = (from[n] >= ' ' && from[n] <= '~') ? from[n] : '?';
	to[n] = '\0';
}

const char *text_sanitize_name(const char *name)
{
	static struct kept {
		struct kept *next;
		char *name;
	} * list;
	struct kept *k;
	char *clean = memory_text(name);

	text_sanitize(clean);
	for (k = list; k && strcmp(k->name, clean) != 0;)
		k = k->next;
	if (k || strcmp(clean, name) == 0) {
		free(clean);
		return k ? k->name : name;
	}
	k = memory_new(1, sizeof(*k));
	*k = (struct kept){ list, clean };
	list = k;
	return clean;
}

#define LINE_MAX_BYTES 512

void text_sanitize_line(void *ctx, const char *line, size_t bytes)
{
	TEXT_DEFINE(t, LINE_MAX_BYTES);

	(void)ctx;
	text_bytes(&t, line, bytes);
	text_sanitize_print(&t);
}

void text_sanitize_print(struct text *t)
{
	text_sanitize(t->buf);
	puts(t->buf);
	text_reset(t);
}

char *text_trim(char *text)
{
	char *end;

	text += strspn(text, TEXT_BLANKS);
	end = text + strlen(text);
	while (end > text && strchr(TEXT_BLANKS, end[-1]))
		*--end = '\0';
	return text;
}

/* ---- Text inside XML and HTML ---- */

static const char *escape_of(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void text_markup(FILE *to, const char *text)
{
	const unsigned char *at = (const unsigned char *)(text ? text : "n/a");

	while (*at) {
		const char *escaped = escape_of(*at);
		size_t bytes = character(at);

		if (escaped)
			fputs(escaped, to);
		else if (bytes)
			fwrite(at, 1, bytes, to);
		else
			fputc('?', to);
		at += bytes ? bytes : 1;
	}
}
