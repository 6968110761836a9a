/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of core numbers as bit maps. */
#include "cpulist.h"

#include "mem.h"
#include "span.h"

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

/* Take "3" or "0-3" off the front of *w, and add its members. */
static bool take_range(struct cpulist *l, struct span *w)
{
	uint32_t first, last;

	if (!span_number(w, CPULIST_MAX - 1, &first))
		return false;
	last = first;
	if (span_skip(w, "-") && (!span_number(w, CPULIST_MAX - 1, &last) || last < first))
		return false;
	for (uint32_t n = first; n <= last; n++)
		cpulist_add(l, n);
	return true;
}

bool cpulist_parse(struct cpulist *l, const char *s, size_t bytes)
{
	struct span w = { s, bytes };

	cpulist_clear(l);
	do {
		if (!take_range(l, &w))
			return false;
	} while (span_skip(&w, ","));
	return !w.bytes;
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
