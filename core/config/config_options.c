/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts load options, in either form, to configuration text. */
#include "config.h"

#include "core/lib/bytes.h"
#include "core/lib/text.h"

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

static unsigned character(const uint8_t *s, size_t i, size_t width)
{
	return width == 2 ? bytes_le16(s + 2 * i) : s[i];
}

bool config_options_are_text(const void *options, size_t bytes)
{
	const uint8_t *s = options;
	size_t width = bytes % 2 == 0 && is_utf16(s, bytes) ? 2 : 1, count = bytes / width;

	while (count > 0 && character(s, count - 1, width) == 0)
		count--;
	for (size_t i = 0; i < count; i++) {
		unsigned c = character(s, i, width);

		if (c != '\t' && c != '\r' && c != '\n' &&
		    (c < ' ' || c > (width == 2 ? 0xff : 0x7e)))
			return false;
	}
	return true;
}

unsigned config_from_options(const struct config_source *source, const void *options, size_t bytes,
			     char *out, size_t cap, size_t *out_bytes, config_complaint *complain,
			     void *ctx)
{
	const uint8_t *s = options;
	size_t width = bytes % 2 == 0 && is_utf16(s, bytes) ? 2 : 1;
	size_t count = bytes / width;
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	*out_bytes = 0;
	while (count > 0 && character(s, count - 1, width) == 0)
		count--;
	if (count > cap)
		text_add(&text, "%llu characters are too many; accepted: at most %llu",
			 (unsigned long long)count, (unsigned long long)cap);
	for (size_t i = 0; text.len == 0 && i < count; i++) {
		unsigned c = character(s, i, width);

		if (c > 0x7f)
			text_add(&text, "character 0x%02x at position %llu; accepted: ASCII", c,
				 (unsigned long long)i);
		else
			out[i] = (char)c;
	}
	if (text.len) {
		complain(ctx, source->name, 0, text.buf);
		return 1;
	}
	*out_bytes = count;
	return 0;
}
