/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_sanitize.h"
#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lead bytes with the range of the byte that follows: RFC 3629, section 4. */
static const struct {
	unsigned char first, last, low, high;
	unsigned bytes;
} leads[] = {
	{ 0xc2, 0xc2, 0xa0, 0xbf, 2 }, /* without U+0080 to U+009F, which are controls */
	{ 0xc3, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xee, 0x80, 0xbf, 3 }, /* U+FFFE and U+FFFF are no
									 characters of XML */
	{ 0xef, 0xef, 0x80, 0xbe, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t text_character(const unsigned char *at)
{
	if (*at < 0x80)
		return *at >= 0x20 && *at < 0x7f;
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (*at < leads[i].first || *at > leads[i].last)
			continue;
		if (at[1] < leads[i].low || at[1] > leads[i].high)
			return 0;
		for (unsigned n = 2; n < leads[i].bytes; n++) {
			if ((at[n] & 0xc0) != 0x80)
				return 0;
		}
		return leads[i].bytes;
	}
	return 0;
}

void text_sanitize(char *text)
{
	unsigned char *at = (unsigned char *)text;

	for (size_t bytes; *at; at += bytes ? bytes : 1) {
		bytes = text_character(at);
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
		size_t bytes = text_character(at);

		if (escaped)
			fputs(escaped, to);
		else if (bytes)
			fwrite(at, 1, bytes, to);
		else
			fputc('?', to);
		at += bytes ? bytes : 1;
	}
}
