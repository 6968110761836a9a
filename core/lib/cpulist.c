/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of core numbers as bit maps. */
#include "cpulist.h"

#include "mem.h"

#define WORD_BITS 64u
#define WORDS     (CPULIST_MAX / WORD_BITS)

void cpulist_clear(struct cpulist *l)
{
	memset(l, 0, sizeof(*l));
}

void cpulist_add(struct cpulist *l, uint32_t n)
{
	if (n < CPULIST_MAX)
		l->bits[n / WORD_BITS] |= UINT64_C(1) << (n % WORD_BITS);
}

bool cpulist_has(const struct cpulist *l, uint32_t n)
{
	return n < CPULIST_MAX && (l->bits[n / WORD_BITS] >> (n % WORD_BITS) & 1);
}

bool cpulist_empty(const struct cpulist *l)
{
	for (unsigned i = 0; i < WORDS; i++) {
		if (l->bits[i])
			return false;
	}
	return true;
}

uint32_t cpulist_count(const struct cpulist *l)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < WORDS; i++)
		n += (uint32_t)__builtin_popcountll(l->bits[i]);
	return n;
}

uint32_t cpulist_last(const struct cpulist *l)
{
	for (unsigned i = WORDS; i-- > 0;) {
		if (l->bits[i])
			return i * WORD_BITS + (63u - (unsigned)__builtin_clzll(l->bits[i]));
	}
	return 0;
}

/* Read a core number at *s and step over it. */
static bool read_number(const char **s, const char *end, uint32_t *n)
{
	const char *start = *s;

	*n = 0;
	for (; *s < end && **s >= '0' && **s <= '9'; (*s)++) {
		*n = *n * 10 + (uint32_t)(**s - '0');
		if (*n >= CPULIST_MAX)
			return false;
	}
	return *s != start;
}

/* Read "3" or "0-3" at *s, step over it and add its members. */
static bool read_range(struct cpulist *l, const char **s, const char *end)
{
	uint32_t first, last;

	if (!read_number(s, end, &first))
		return false;
	last = first;
	if (*s < end && **s == '-') {
		(*s)++;
		if (!read_number(s, end, &last) || last < first)
			return false;
	}
	for (uint32_t n = first; n <= last; n++)
		cpulist_add(l, n);
	return true;
}

bool cpulist_parse(struct cpulist *l, const char *s, size_t bytes)
{
	const char *end = s + bytes;

	cpulist_clear(l);
	for (;;) {
		if (!read_range(l, &s, end))
			return false;
		if (s == end)
			return true;
		if (*s++ != ',')
			return false;
	}
}

void cpulist_print(const struct cpulist *l, struct text *out)
{
	const char *comma = "";

	for (uint32_t first = 0; first < CPULIST_MAX; first++) {
		uint32_t last = first;

		if (!cpulist_has(l, first))
			continue;
		while (cpulist_has(l, last + 1))
			last++;
		if (last == first)
			text_add(out, "%s%u", comma, first);
		else
			text_add(out, "%s%u-%u", comma, first, last);
		comma = ",";
		first = last;
	}
}
