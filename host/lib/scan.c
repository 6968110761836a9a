/* SPDX-License-Identifier: BSD-2-Clause */
/* Words and numbers from a line. */
#include "scan.h"

#include <string.h>

static const char *skip_blanks(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

bool scan_literal(const char **at, const char *literal)
{
	const char *from = skip_blanks(*at);
	size_t bytes = strlen(literal);

	if (strncmp(from, literal, bytes) != 0)
		return false;
	*at = from + bytes;
	return true;
}

bool scan_past(const char **at, const char *mark)
{
	const char *found = strstr(*at, mark);

	if (!found)
		return false;
	*at = found + strlen(mark);
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* value * 10 + digit; false past 2^64. */
static bool push_digit(uint64_t *value, unsigned digit)
{
	return !__builtin_mul_overflow(*value, UINT64_C(10), value) &&
	       !__builtin_add_overflow(*value, (uint64_t)digit, value);
}

static bool take_digits(const char **at, uint64_t *value)
{
	const char *from = *at;

	while (is_digit(**at)) {
		if (!push_digit(value, (unsigned)(**at - '0')))
			return false;
		(*at)++;
	}
	return *at > from;
}

bool scan_u64(const char **at, uint64_t *value)
{
	const char *from = skip_blanks(*at);
	uint64_t found = 0;

	if (!take_digits(&from, &found))
		return false;
	*at = from;
	*value = found;
	return true;
}

bool scan_u32(const char **at, uint32_t *value)
{
	const char *from = *at;
	uint64_t wide;

	if (!scan_u64(&from, &wide) || wide > UINT32_MAX)
		return false;
	*at = from;
	*value = (uint32_t)wide;
	return true;
}

bool scan_fixed(const char **at, unsigned digits, uint64_t *value)
{
	const char *from = skip_blanks(*at);
	uint64_t found = 0;

	if (!take_digits(&from, &found))
		return false;
	if (*from == '.' && is_digit(from[1])) {
		for (from++; is_digit(*from) && digits > 0; from++, digits--) {
			if (!push_digit(&found, (unsigned)(*from - '0')))
				return false;
		}
		while (is_digit(*from))
			from++;
	}
	for (; digits > 0; digits--) {
		if (!push_digit(&found, 0))
			return false;
	}
	*at = from;
	*value = found;
	return true;
}

bool scan_end(const char *at)
{
	return *skip_blanks(at) == '\0';
}
