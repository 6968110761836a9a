/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes text apart, from front to back. */
#include "span.h"

#include "mem.h"

struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

bool span_is(struct span w, const char *s)
{
	return strlen(s) == w.bytes && memcmp(s, w.s, w.bytes) == 0;
}

struct span span_take(struct span *w, size_t bytes)
{
	struct span front = { w->s, bytes };

	w->s += bytes;
	w->bytes -= bytes;
	return front;
}

bool span_skip(struct span *w, const char *prefix)
{
	size_t bytes = strlen(prefix);

	if (w->bytes < bytes || memcmp(w->s, prefix, bytes) != 0)
		return false;
	span_take(w, bytes);
	return true;
}

struct span span_until(struct span *w, char c)
{
	const char *found = memchr(w->s, c, w->bytes);
	struct span front = span_take(w, found ? (size_t)(found - w->s) : w->bytes);

	if (found)
		span_take(w, 1);
	return front;
}

bool span_number(struct span *w, uint32_t most, uint32_t *number)
{
	size_t before = w->bytes;
	uint64_t value = 0;

	for (; w->bytes && *w->s >= '0' && *w->s <= '9'; span_take(w, 1))
		if (value <= most)
			value = value * 10 + (uint32_t)(*w->s - '0');
	*number = (uint32_t)value;
	return w->bytes < before && value <= most;
}

bool span_decimal(struct span *w, uint32_t most, uint32_t *number)
{
	const char *start = w->s;

	return span_number(w, most, number) && (*start != '0' || w->s == start + 1);
}
