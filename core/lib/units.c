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

/* Take all digits off the front. False: there are none. *fits: the number is below 2^64. */
static bool read_digits(struct span *w, unsigned base, uint64_t *value, bool *fits)
{
	const char *start = w->s;

	*value = 0;
	for (*fits = true; w->bytes && text_hex_digit(*w->s) < base; span_take(w, 1))
		*fits = *fits && !__builtin_mul_overflow(*value, base, value) &&
			!__builtin_add_overflow(*value, text_hex_digit(*w->s), value);
	return w->s > start;
}

const char *units_parse_u64(const char *s, size_t bytes, uint64_t *value)
{
	struct span w = { s, bytes };
	bool is_hex = bytes > 2 && (span_skip(&w, "0x") || span_skip(&w, "0X")), fits;
	uint64_t number;

	if (!read_digits(&w, is_hex ? 16 : 10, &number, &fits) || w.bytes)
		return "is not a whole number";
	if (!fits)
		return "is out of range";
	*value = number;
	return NULL;
}

static const struct unit *find_unit(struct span name)
{
	for (size_t i = 0; i < UNITS; i++)
		if (span_is(name, units[i].name))
			return &units[i];
	return NULL;
}

const char *units_parse_ns(const char *s, size_t bytes, uint64_t *ns)
{
	struct span w = { s, bytes };
	uint64_t whole, part = 0, any;
	bool fits, any_fits, is_number = read_digits(&w, 10, &whole, &fits);
	const char *point = w.s;
	const struct unit *unit;

	if (!is_number || (span_skip(&w, ".") && !read_digits(&w, 10, &any, &any_fits)))
		return "is not a time";
	if (!w.bytes)
		return "needs a unit";
	unit = find_unit(w);
	if (!unit)
		return "has an unknown unit";
	if (!fits || whole > UNITS_NS_MAX / unit->ns)
		return "is too long";
	/* From the last decimal to the first: if all of them make whole ns, so do the last ones. */
	for (const char *digit = w.s; digit > point + 1; part /= 10) {
		part += text_hex_digit(*--digit) * unit->ns;
		if (part % 10)
			return "is finer than 1 ns";
	}
	if (whole * unit->ns > UNITS_NS_MAX - part)
		return "is too long";
	*ns = whole * unit->ns + part;
	return NULL;
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
