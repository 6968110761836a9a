/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units: exact integer arithmetic, no rounding anywhere. */
#include "units.h"

#include "arith.h"
#include "mem.h"

#include <stdbool.h>

/* From short to long: printing uses the last one that divides. */
static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", UINT64_C(1) },
	{ "us", UINT64_C(1000) },
	{ "ms", UINT64_C(1000000) },
	{ "s", UINT64_C(1000000000) },
	{ "m", UINT64_C(60000000000) },
	{ "h", UINT64_C(3600000000000) },
	{ "d", UINT64_C(86400000000000) },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

/*
 * More decimals than this, trailing zeros aside, never make whole ns: a day is
 * 2^16 * 3^3 * 5^11 ns, which 10^17 does not divide.
 */
#define DECIMALS_MAX 18

/* What is left of the text being read. */
struct cursor {
	const char *at;
	const char *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read all digits; at least one, or UNITS_NOT_A_NUMBER. */
static enum units_error read_digits(struct cursor *c, unsigned base, uint64_t *value)
{
	const char *start = c->at;
	uint64_t sum = 0;
	bool fits = true;

	for (; c->at < c->end && text_hex_digit(*c->at) < base; c->at++) {
		fits = fits && !__builtin_mul_overflow(sum, base, &sum) &&
		       !__builtin_add_overflow(sum, text_hex_digit(*c->at), &sum);
	}
	if (c->at == start)
		return UNITS_NOT_A_NUMBER;

	*value = fits ? sum : 0;
	return fits ? UNITS_OK : UNITS_TOO_BIG;
}

enum units_error units_parse_u64(const char *s, size_t bytes, uint64_t *value)
{
	struct cursor c = { s, s + bytes };
	unsigned base = 10;
	uint64_t number;

	if (bytes > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		c.at += 2;
	}

	enum units_error error = read_digits(&c, base, &number);

	if (error == UNITS_NOT_A_NUMBER || c.at != c.end)
		return UNITS_NOT_A_NUMBER;
	if (error == UNITS_OK)
		*value = number;
	return error;
}

static const struct unit *find_unit(const struct cursor *c)
{
	size_t bytes = (size_t)(c->end - c->at);

	for (size_t i = 0; i < UNITS; i++) {
		if (strlen(units[i].name) == bytes && memcmp(units[i].name, c->at, bytes) == 0)
			return &units[i];
	}
	return NULL;
}

/* The ns of the decimals `digits` of one unit, which are less than one unit. */
static enum units_error fraction_ns(struct cursor digits, uint64_t unit_ns, uint64_t *ns)
{
	uint64_t value = 0, scale = 1;

	while (digits.end > digits.at && digits.end[-1] == '0')
		digits.end--;
	if (digits.end - digits.at > DECIMALS_MAX)
		return UNITS_TOO_FINE;

	for (; digits.at < digits.end; digits.at++) {
		value = value * 10 + text_hex_digit(*digits.at);
		scale *= 10;
	}

	/* value * unit_ns / scale, reduced first so that nothing overflows. */
	uint64_t common = arith_divisor(scale, unit_ns);

	scale /= common;
	if (value % scale)
		return UNITS_TOO_FINE;
	*ns = value / scale * (unit_ns / common);
	return UNITS_OK;
}

/* Read ".123" if present; *digits are the decimals, possibly none. */
static enum units_error read_decimals(struct cursor *c, struct cursor *digits)
{
	if (c->at == c->end || *c->at != '.') {
		*digits = (struct cursor){ c->at, c->at };
		return UNITS_OK;
	}

	digits->at = ++c->at;
	while (c->at < c->end && is_digit(*c->at))
		c->at++;
	digits->end = c->at;
	return digits->at == digits->end ? UNITS_NOT_A_NUMBER : UNITS_OK;
}

enum units_error units_parse_ns(const char *s, size_t bytes, uint64_t *ns)
{
	struct cursor c = { s, s + bytes };
	struct cursor decimals;
	uint64_t whole, part;

	enum units_error size = read_digits(&c, 10, &whole);

	if (size == UNITS_NOT_A_NUMBER || read_decimals(&c, &decimals) != UNITS_OK)
		return UNITS_NOT_A_NUMBER;
	if (c.at == c.end)
		return UNITS_NO_UNIT;

	const struct unit *unit = find_unit(&c);

	if (!unit)
		return UNITS_BAD_UNIT;
	if (size == UNITS_TOO_BIG || whole > UNITS_NS_MAX / unit->ns)
		return UNITS_TOO_BIG;
	if (fraction_ns(decimals, unit->ns, &part) != UNITS_OK)
		return UNITS_TOO_FINE;
	if (whole * unit->ns > UNITS_NS_MAX - part)
		return UNITS_TOO_BIG;

	*ns = whole * unit->ns + part;
	return UNITS_OK;
}

void units_print_ns(struct text *out, uint64_t ns)
{
	const struct unit *unit = &units[0];

	for (size_t i = 0; ns && i < UNITS; i++) {
		if (ns % units[i].ns == 0)
			unit = &units[i];
	}
	text_add(out, "%llu%s", (unsigned long long)(ns / unit->ns), unit->name);
}
