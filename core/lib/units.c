/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units: exact integer arithmetic, no rounding anywhere. */
#include "units.h"

#include "mem.h"

#include <stdbool.h>

/* Units from short to long: printing uses the last one that divides the number. */
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

/* The rest of the text being read. */
struct cursor {
	const char *at;
	const char *end;
};

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

enum units_error units_parse_ns(const char *s, size_t bytes, uint64_t *ns)
{
	struct cursor c = { s, s + bytes };
	uint64_t whole, part = 0, any;
	enum units_error size = read_digits(&c, 10, &whole);
	const char *point = c.at;
	const struct unit *unit;

	if (size == UNITS_NOT_A_NUMBER)
		return UNITS_NOT_A_NUMBER;
	if (c.at < c.end && *c.at == '.') {
		c.at++;
		if (read_digits(&c, 10, &any) == UNITS_NOT_A_NUMBER)
			return UNITS_NOT_A_NUMBER;
	}
	if (c.at == c.end)
		return UNITS_NO_UNIT;
	unit = find_unit(&c);
	if (!unit)
		return UNITS_BAD_UNIT;
	if (size == UNITS_TOO_BIG || whole > UNITS_NS_MAX / unit->ns)
		return UNITS_TOO_BIG;
	/* From the last decimal to the first: if all of them make whole ns, so do the last ones. */
	for (const char *digit = c.at; digit > point + 1; part /= 10) {
		part += text_hex_digit(*--digit) * unit->ns;
		if (part % 10)
			return UNITS_TOO_FINE;
	}
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
