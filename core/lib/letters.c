/* SPDX-License-Identifier: BSD-2-Clause */
/* Base45: two bytes are three letters, the lowest digit first. */
#include "letters.h"

static const char digits[46] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

void letters_base45_add(struct text *t, const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 2) {
		bool pair = i + 1 < bytes;
		uint32_t value = pair ? (uint32_t)from[i] << 8 | from[i + 1] : from[i];

		for (unsigned n = 0; n < (pair ? 3u : 2u); n++, value /= 45)
			text_char(t, digits[value % 45]);
	}
}

static uint32_t digit_of(char c)
{
	uint32_t d = 0;

	while (d < 45 && digits[d] != c)
		d++;
	return d;
}

size_t letters_base45_read(uint8_t *out, const char *from, size_t count)
{
	for (size_t i = 0; i < count; i += 3) {
		size_t left = count - i < 3 ? count - i : 3;
		uint32_t value = 0;

		for (size_t n = left; n-- > 0;) {
			uint32_t digit = digit_of(from[i + n]);

			if (digit == 45)
				return i + n;
			value = value * 45 + digit;
		}
		if (left == 1 || value > (left == 3 ? 0xffffu : 0xffu))
			return i;
		if (left == 3)
			*out++ = (uint8_t)(value >> 8);
		*out++ = (uint8_t)value;
	}
	return count;
}
