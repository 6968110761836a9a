/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints digit by digit, as a collector prints one for each datagram. */
#include "uuid.h"

#include "text.h"

static bool has_dash(unsigned byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void uuid_print(const uint8_t uuid[UUID_BYTES], char text[UUID_TEXT])
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < UUID_BYTES; i++) {
		if (has_dash(i))
			*text++ = '-';
		*text++ = digits[uuid[i] >> 4];
		*text++ = digits[uuid[i] & 15];
	}
	*text = '\0';
}

bool uuid_parse(const char *text, uint8_t uuid[UUID_BYTES])
{
	for (unsigned i = 0; i < UUID_BYTES; i++, text += 2)
		if ((has_dash(i) && *text++ != '-') || !text_hex_byte(text, &uuid[i]))
			return false;
	return !*text;
}
