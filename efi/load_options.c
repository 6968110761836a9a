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

/* Character i of `width` bytes each. */
static unsigned character(const uint8_t *s, size_t width, size_t i)
{
	return width == 2 ? bytes_le16(s + 2 * i) : s[i];
}

static bool is_text(unsigned c, size_t width)
{
	return c == '\t' || c == '\r' || c == '\n' ||
	       (c >= ' ' && c <= (width == 2 ? 0xffu : 0x7eu));
}

bool load_options_read(const void *options, size_t bytes, char *out, size_t cap, size_t *out_bytes)
{
	size_t width = bytes % 2 == 0 && is_utf16(options, bytes) ? 2 : 1, count = bytes / width;

	while (count > 0 && character(options, width, count - 1) == 0)
		count--;
	*out_bytes = 0;
	if (count > cap)
		return false;
	for (size_t i = 0; i < count; i++) {
		unsigned c = character(options, width, i);

		if (!is_text(c, width))
			return false;
		out[i] = (char)c;
	}
	*out_bytes = count;
	return true;
}
