/* SPDX-License-Identifier: BSD-2-Clause */
/* Escapes; what is no character becomes '?'. */
#include "markup.h"

#include "text_sanitize.h"

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

void markup_text(FILE *to, const char *text)
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
