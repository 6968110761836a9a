/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses one of several rates. */
#include "tsc_rate.h"

#include "core/lib/ticks.h"

#include <stddef.h>

/* Largest difference between crystals of one machine (clockwatch.c allows twice as much). */
#define CONFIRMS_PPM        100
#define CONFIRMS_COARSE_PPM 2000

/* Order of preference if no two sources agree: a measured rate is better than an advertised one. */
static const enum tsc_rate_kind unconfirmed[TSC_RATE_KINDS] = {
	TSC_RATE_MEASURED,
	TSC_RATE_COARSE,
	TSC_RATE_EXACT,
	TSC_RATE_NOMINAL,
};

struct sources {
	const struct tsc_rate_source *at;
	unsigned count;
};

typedef bool relation(const struct tsc_rate_source *a, const struct tsc_rate_source *b);

static bool any(const struct tsc_rate_source *a, const struct tsc_rate_source *b)
{
	return a != b;
}

static bool differ(const struct tsc_rate_source *a, const struct tsc_rate_source *b)
{
	bool coarse = a->kind == TSC_RATE_COARSE || b->kind == TSC_RATE_COARSE;

	return ticks_ppm_apart(a->hz, b->hz) > (coarse ? CONFIRMS_COARSE_PPM : CONFIRMS_PPM);
}

/*
 * CPUID's leaves 15h and 16h do not confirm each other: both are statements of one processor, from
 * the same fuses, and agree even if they are wrong.
 */
static bool confirm(const struct tsc_rate_source *a, const struct tsc_rate_source *b)
{
	return a != b && !differ(a, b) &&
	       !(a->kind == TSC_RATE_EXACT && b->kind == TSC_RATE_NOMINAL) &&
	       !(a->kind == TSC_RATE_NOMINAL && b->kind == TSC_RATE_EXACT);
}

/* The best source that is in this relation to `one`, or NULL. */
static const struct tsc_rate_source *best(const struct sources *s, relation *is,
					  const struct tsc_rate_source *one)
{
	for (unsigned kind = 0; kind < TSC_RATE_KINDS; kind++)
		for (unsigned i = 0; i < s->count; i++)
			if (s->at[i].hz && s->at[i].kind == kind && is(&s->at[i], one))
				return &s->at[i];
	return NULL;
}

static const struct tsc_rate_source *tsc_rate_source_of(const struct sources *s)
{
	for (unsigned n = 0; n < 2 * TSC_RATE_KINDS; n++) {
		bool confirmed = n < TSC_RATE_KINDS;
		unsigned kind = confirmed ? n : unconfirmed[n - TSC_RATE_KINDS];

		for (unsigned i = 0; i < s->count; i++)
			if (s->at[i].hz && s->at[i].kind == kind &&
			    (!confirmed || best(s, confirm, &s->at[i])))
				return &s->at[i];
	}
	return NULL;
}

void tsc_rate_choose(struct tsc_rate *rate, const struct tsc_rate_source *source, unsigned count)
{
	const struct sources s = { source, count };
	const struct tsc_rate_source *chosen = tsc_rate_source_of(&s), *other;

	*rate = (struct tsc_rate){ 0 };
	if (!chosen)
		return;
	rate->hz = chosen->hz;
	rate->source = chosen->name;
	other = best(&s, confirm, chosen);
	other = other ? other : best(&s, any, chosen);
	if (other) {
		rate->audited_by = other->name;
		rate->audit_ppm = (struct maybe){ ticks_ppm_apart(chosen->hz, other->hz), true };
	}
	other = best(&s, differ, chosen);
	if (other)
		rate->refused = *other;
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
