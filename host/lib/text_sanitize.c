/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_sanitize.h"

#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character that begins there, one that is no control; 0: none does. */
static size_t character(const unsigned char *at)
{
	size_t bytes = at[0] < 0x80   ? 1
		       : at[0] < 0xc2 ? 0
		       : at[0] < 0xe0 ? 2
		       : at[0] < 0xf0 ? 3
		       : at[0] < 0xf5 ? 4
				      : 0;

	for (size_t i = 1; i < bytes; i++) {
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	}
	/* U+0080 to U+009F are C2 80 to C2 9F. */
	if (at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0))
		return 0;
	return bytes;
}

/* But for the character `but`. */
static void sanitize(char *text, char but)
{
	unsigned char *at = (unsigned char *)text;

	for (size_t bytes; *at; at += bytes ? bytes : 1) {
		bytes = character(at);
		if (!bytes && *at != (unsigned char)but)
			*at = '?';
	}
}

void text_sanitize(char *text)
{
	sanitize(text, '\0');
}

void text_sanitize_lines(char *text)
{
	sanitize(text, '\n');
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
