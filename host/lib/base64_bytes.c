/* SPDX-License-Identifier: BSD-2-Clause */
/* Four letters at a time; the last may be padded. */
#include "base64_bytes.h"

#include "core/lib/letters.h"

#include <string.h>

static int value_of(char letter)
{
	const char *at = letter ? strchr(letters_base64, letter) : NULL;

	return at ? (int)(at - letters_base64) : -1;
}

bool base64_bytes(uint8_t *to, size_t *used, const char *letters, size_t length)
{
	if (length % 4)
		return false;
	for (size_t i = 0; i < length; i += 4) {
		bool last = i + 4 == length;
		unsigned pad = last && letters[i + 3] == '=' ? 1 + (letters[i + 2] == '=') : 0;
		uint32_t four = 0;

		for (unsigned n = 0; n < 4; n++) {
			int value = n < 4 - pad ? value_of(letters[i + n]) : 0;

			if (value < 0)
				return false;
			four = four << 6 | (uint32_t)value;
		}
		for (unsigned n = 0; n < 3 - pad; n++)
			to[(*used)++] = (uint8_t)(four >> (16 - 8 * n));
	}
	return true;
}
