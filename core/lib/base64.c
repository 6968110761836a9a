/* SPDX-License-Identifier: BSD-2-Clause */
/* Three bytes are four letters. */
#include "base64.h"

const char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct text *t, const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 3) {
		size_t left = bytes - i;
		uint32_t three = (uint32_t)from[i] << 16 |
				 (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
				 (left > 2 ? from[i + 2] : 0);

		for (unsigned n = 0; n < 4; n++)
			text_char(t, n <= left ? base64_letters[three >> (18 - 6 * n) & 63] : '=');
	}
}
