/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses one of several rates. */
#include "tsc_rate.h"

#include "core/lib/ticks.h"

#include <stddef.h>

/* Largest difference between crystals of one machine (clockwatch.c allows twice as much). */
#define CONFIRMS_PPM        100
#define CONFIRMS_COARSE_PPM 2000

/* Order of preference if no two sources agree: a measured rate is better than an advertised one. */
static const unsigned unconfirmed[TSC_RATE_KINDS] = {
	[TSC_RATE_MEASURED] = TSC_RATE_KINDS,
	[TSC_RATE_COARSE] = TSC_RATE_KINDS + 1,
	[TSC_RATE_EXACT] = TSC_RATE_KINDS + 2,
	[TSC_RATE_NOMINAL] = TSC_RATE_KINDS + 3,
};

static bool agree(const struct tsc_rate_source *a, const struct tsc_rate_source *b)
{
	bool coarse = a->kind == TSC_RATE_COARSE || b->kind == TSC_RATE_COARSE;

	return ticks_ppm_apart(a->hz, b->hz) <= (coarse ? CONFIRMS_COARSE_PPM : CONFIRMS_PPM);
}

/*
 * CPUID's leaves 15h and 16h do not confirm each other: both are statements of one processor, from
 * the same fuses, and agree even if they are wrong.
 */
static bool confirm(const struct tsc_rate_source *a, const struct tsc_rate_source *b)
{
	return a != b && a->hz && agree(a, b) &&
	       !(a->kind == TSC_RATE_EXACT && b->kind == TSC_RATE_NOMINAL) &&
	       !(a->kind == TSC_RATE_NOMINAL && b->kind == TSC_RATE_EXACT);
}

static const struct tsc_rate_source *choose(const struct tsc_rate_source *source, unsigned count)
{
	const struct tsc_rate_source *chosen = NULL;
	unsigned least = 2 * TSC_RATE_KINDS;

	for (unsigned i = 0; i < count; i++) {
		unsigned rank = unconfirmed[source[i].kind];

		for (unsigned other = 0; other < count; other++)
			if (confirm(&source[other], &source[i]))
				rank = source[i].kind;
		if (source[i].hz && rank < least) {
			least = rank;
			chosen = &source[i];
		}
	}
	return chosen;
}

void tsc_rate_choose(struct tsc_rate *rate, const struct tsc_rate_source *source, unsigned count)
{
	const struct tsc_rate_source *chosen = choose(source, count);
	unsigned least = 2 * TSC_RATE_KINDS;

	*rate = (struct tsc_rate){ 0 };
	if (!chosen)
		return;
	rate->hz = chosen->hz;
	rate->source = chosen->name;
	for (const struct tsc_rate_source *s = source; s < source + count; s++) {
		unsigned rank = s->kind + (confirm(s, chosen) ? 0 : TSC_RATE_KINDS);

		if (!s->hz || s == chosen)
			continue;
		if (rank < least) {
			least = rank;
			rate->audited_by = s->name;
			rate->audit_ppm = (struct maybe){ ticks_ppm_apart(chosen->hz, s->hz),
							  true };
		}
		if (!agree(s, chosen) && (!rate->refused.name || s->kind < rate->refused.kind))
			rate->refused = *s;
	}
}

bool tsc_rate_explain(const struct tsc_rate *rate, struct text *out)
{
	const struct tsc_rate_source *refused = &rate->refused;

	if (!refused->name)
		return false;
	text_add(out,
		 "the TSC runs at %llu Hz by %s%s%s: %s reports %llu Hz, which is %llu ppm off "
		 "and not used",
		 (unsigned long long)rate->hz, rate->source,
		 rate->audited_by == refused->name ? "" : ", confirmed by ",
		 rate->audited_by == refused->name ? "" : rate->audited_by, refused->name,
		 (unsigned long long)refused->hz,
		 (unsigned long long)ticks_ppm_apart(refused->hz, rate->hz));
	return true;
}
