/* SPDX-License-Identifier: BSD-2-Clause */
/* Escapes, and a strict reading of UTF-8. */
#include "markup.h"

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

/* Bytes of the character that begins here; 0 where none does. */
static size_t character(const unsigned char *at)
{
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
	return *at >= 0x20 && *at < 0x7f;
}

void markup_text(FILE *to, const char *text)
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
