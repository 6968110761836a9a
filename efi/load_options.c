/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts load options, in either form, to configuration text. */
#include "load_options.h"

#include "core/lib/bytes.h"

/*
 * True for UTF-16LE: mostly ASCII, it has a 0 byte at an odd offset. ASCII has none before the NULs
 * that may end it.
 */
static bool is_utf16(const uint8_t *s, size_t bytes)
{
	while (bytes > 0 && s[bytes - 1] == 0)
		bytes--;
	for (size_t i = 1; i < bytes; i += 2) {
		if (s[i] == 0)
			return true;
	}
	return false;
}

/* Load options as characters: of one byte, or of two; NULs at the end are no part of them. */
struct characters {
	const uint8_t *s;
	size_t width, count;
};

static unsigned character(const struct characters *c, size_t i)
{
	return c->width == 2 ? bytes_le16(c->s + 2 * i) : c->s[i];
}

static struct characters characters_of(const void *options, size_t bytes)
{
	struct characters c = { options, bytes % 2 == 0 && is_utf16(options, bytes) ? 2 : 1, 0 };

	c.count = bytes / c.width;
	while (c.count > 0 && character(&c, c.count - 1) == 0)
		c.count--;
	return c;
}

static bool is_text(unsigned c, size_t width)
{
	return c == '\t' || c == '\r' || c == '\n' ||
	       (c >= ' ' && c <= (width == 2 ? 0xffu : 0x7eu));
}

bool load_options_read(const void *options, size_t bytes, char *out, size_t cap, size_t *out_bytes)
{
	struct characters s = characters_of(options, bytes);

	*out_bytes = 0;
	if (s.count > cap)
		return false;
	for (size_t i = 0; i < s.count; i++) {
		if (!is_text(character(&s, i), s.width))
			return false;
		out[i] = (char)character(&s, i);
	}
	*out_bytes = s.count;
	return true;
}
