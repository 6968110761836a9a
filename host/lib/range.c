/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares of ranges, and ranges as text. */
#include "range.h"

#include "core/lib/text.h"

static uint64_t range_share_of(uint64_t part, uint64_t whole, uint64_t scale, bool up)
{
	unsigned __int128 product = (unsigned __int128)part * scale;

	if (part >= whole)
		return scale;
	return (uint64_t)((product + (up ? whole - 1 : 0)) / whole);
}

struct range range_share(struct range part, struct range whole, uint64_t scale)
{
	struct maybe value = { 0, part.value.known && whole.value.known && whole.value.value };

	if (!part.known || !whole.known || !whole.high)
		return (struct range){ 0 };
	if (value.known)
		value.value = range_share_of(part.value.value, whole.value.value, scale, false);
	return range_around(
		whole.high == RANGE_OPEN ? 0 : range_share_of(part.low, whole.high, scale, false),
		value, range_share_of(part.high, whole.low, scale, true));
}

static uint64_t up(uint64_t value, uint64_t unit)
{
	return value / unit + (value % unit != 0);
}

struct range range_in_units(struct range r, uint64_t unit)
{
	const struct maybe value = { r.value.value / unit, r.value.known };

	if (!r.known || r.low == r.high)
		return r.known ? range_exact(r.low / unit) : r;
	return range_around(r.low / unit, value,
			    r.high == RANGE_OPEN ? RANGE_OPEN : up(r.high, unit));
}

/* The largest decimal unit, up to 10^digits, that is not wider than the bounds. */
static uint64_t unit_of(struct range r, unsigned *digits)
{
	uint64_t unit = 1, tens = r.high == RANGE_OPEN ? 0 : (r.high - r.low + 1) / 10;

	for (; *digits && (tens ? tens >= unit : r.low % (10 * unit) == 0); --*digits)
		unit *= 10;
	return unit;
}

void range_text(struct text *t, struct range r, unsigned digits)
{
	uint64_t unit;

	if (!range_is_bounded(r)) {
		text_add(t, "n/a");
		return;
	}
	if (r.low == r.high) {
		text_fixed(t, r.low, digits, 0);
		return;
	}
	unit = unit_of(r, &digits);
	text_fixed(t, r.low / unit, digits, 0);
	text_add(t, "-");
	if (r.high != RANGE_OPEN)
		text_fixed(t, up(r.high, unit), digits, 0);
}
