/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units: exact integer arithmetic, no rounding anywhere. */
#include "units.h"

#include "span.h"

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

/* Take all digits off the front; at least one, or UNITS_NOT_A_NUMBER. */
static enum units_error read_digits(struct span *w, unsigned base, uint64_t *value)
{
	const char *start = w->s;
	uint64_t sum = 0;
	bool fits = true;

	for (; w->bytes && text_hex_digit(*w->s) < base; span_take(w, 1)) {
		fits = fits && !__builtin_mul_overflow(sum, base, &sum) &&
		       !__builtin_add_overflow(sum, text_hex_digit(*w->s), &sum);
	}
	if (w->s == start)
		return UNITS_NOT_A_NUMBER;

	*value = fits ? sum : 0;
	return fits ? UNITS_OK : UNITS_TOO_BIG;
}

enum units_error units_parse_u64(const char *s, size_t bytes, uint64_t *value)
{
	struct span w = { s, bytes };
	bool is_hex = bytes > 2 && (span_skip(&w, "0x") || span_skip(&w, "0X"));
	uint64_t number;
	enum units_error error = read_digits(&w, is_hex ? 16 : 10, &number);

	if (error == UNITS_NOT_A_NUMBER || w.bytes)
		return UNITS_NOT_A_NUMBER;
	if (error == UNITS_OK)
		*value = number;
	return error;
}

static const struct unit *find_unit(struct span name)
{
	for (size_t i = 0; i < UNITS; i++)
		if (span_is(name, units[i].name))
			return &units[i];
	return NULL;
}

enum units_error units_parse_ns(const char *s, size_t bytes, uint64_t *ns)
{
	struct span w = { s, bytes };
	uint64_t whole, part = 0, any;
	enum units_error size = read_digits(&w, 10, &whole);
	const char *point = w.s;
	const struct unit *unit;

	if (size == UNITS_NOT_A_NUMBER)
		return UNITS_NOT_A_NUMBER;
	if (span_skip(&w, ".") && read_digits(&w, 10, &any) == UNITS_NOT_A_NUMBER)
		return UNITS_NOT_A_NUMBER;
	if (!w.bytes)
		return UNITS_NO_UNIT;
	unit = find_unit(w);
	if (!unit)
		return UNITS_BAD_UNIT;
	if (size == UNITS_TOO_BIG || whole > UNITS_NS_MAX / unit->ns)
		return UNITS_TOO_BIG;
	/* From the last decimal to the first: if all of them make whole ns, so do the last ones. */
	for (const char *digit = w.s; digit > point + 1; part /= 10) {
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
