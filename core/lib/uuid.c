/* SPDX-License-Identifier: BSD-2-Clause */
/* Digit by digit; a collector prints one for each datagram. */
#include "uuid.h"

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

/* -1: it is no digit. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool uuid_parse(const char *text, uint8_t uuid[UUID_BYTES])
{
	for (unsigned i = 0; i < UUID_BYTES; i++) {
		int high, low;

		if (has_dash(i) && *text++ != '-')
			return false;
		high = digit_of(*text);
		low = high < 0 ? -1 : digit_of(*++text);
		if (low < 0)
			return false;
		uuid[i] = (uint8_t)(high << 4 | low);
		text++;
	}
	return !*text;
}
