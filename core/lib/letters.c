/* SPDX-License-Identifier: BSD-2-Clause */
/* Base45: two bytes are three letters, the lowest digit first. */
#include "letters.h"

#include "mem.h"

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

size_t letters_base45_read(uint8_t *out, const char *from, size_t count)
{
	for (size_t i = 0; i < count; i += 3) {
		size_t left = count - i < 3 ? count - i : 3;
		uint32_t value = 0;

		for (size_t n = left; n-- > 0;) {
			const char *digit = memchr(digits, from[i + n], 45);

			if (!digit)
				return i + n;
			value = value * 45 + (uint32_t)(digit - digits);
		}
		if (left == 1 || value > (left == 3 ? 0xffffu : 0xffu))
			return i;
		if (left == 3)
			*out++ = (uint8_t)(value >> 8);
		*out++ = (uint8_t)value;
	}
	return count;
}
