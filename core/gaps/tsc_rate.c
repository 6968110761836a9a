/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses one of several rates. */
#include "tsc_rate.h"

#include "core/lib/ticks.h"

#include <stddef.h>

#define SOURCES_MAX 8
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

static bool agree(const struct tsc_rate_source *a, const struct tsc_rate_source *b)
{
	bool coarse = a->kind == TSC_RATE_COARSE || b->kind == TSC_RATE_COARSE;

	return ticks_ppm_apart(a->hz, b->hz) <= (coarse ? CONFIRMS_COARSE_PPM : CONFIRMS_PPM);
}

struct sources {
	const struct tsc_rate_source *best[SOURCES_MAX]; /* in order */
	unsigned count;
};

static void sort(struct sources *s, const struct tsc_rate_source *source, unsigned count)
{
	s->count = 0;
	for (unsigned kind = 0; kind < TSC_RATE_KINDS; kind++)
		for (unsigned i = 0; i < count && s->count < SOURCES_MAX; i++)
			if (source[i].hz && source[i].kind == kind)
				s->best[s->count++] = &source[i];
}

/*
 * True for CPUID's leaves 15h and 16h: both are statements of one processor, from the same fuses,
 * and agree even if they are wrong.
 */
static bool is_same_statement(const struct tsc_rate_source *a, const struct tsc_rate_source *b)
{
	return (a->kind == TSC_RATE_EXACT && b->kind == TSC_RATE_NOMINAL) ||
	       (a->kind == TSC_RATE_NOMINAL && b->kind == TSC_RATE_EXACT);
}

/* The best other source that confirms this one, or NULL. */
static const struct tsc_rate_source *confirms(const struct sources *s,
					      const struct tsc_rate_source *one)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->best[i] != one && !is_same_statement(one, s->best[i]) &&
		    agree(one, s->best[i]))
			return s->best[i];
	return NULL;
}

static const struct tsc_rate_source *tsc_rate_source_of(const struct sources *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (confirms(s, s->best[i]))
			return s->best[i];
	for (unsigned k = 0; k < TSC_RATE_KINDS; k++)
		for (unsigned i = 0; i < s->count; i++)
			if (s->best[i]->kind == unconfirmed[k])
				return s->best[i];
	return NULL;
}

static const struct tsc_rate_source *second(const struct sources *s,
					    const struct tsc_rate_source *chosen)
{
	const struct tsc_rate_source *other = confirms(s, chosen);

	for (unsigned i = 0; !other && i < s->count; i++)
		if (s->best[i] != chosen)
			other = s->best[i];
	return other;
}

void tsc_rate_choose(struct tsc_rate *rate, const struct tsc_rate_source *source, unsigned count)
{
	const struct tsc_rate_source *chosen, *other;
	struct sources s;

	*rate = (struct tsc_rate){ 0 };
	sort(&s, source, count);
	chosen = tsc_rate_source_of(&s);
	if (!chosen)
		return;
	rate->hz = chosen->hz;
	rate->source = chosen->name;
	other = second(&s, chosen);
	if (other) {
		rate->audited_by = other->name;
		rate->audit_ppm = (struct maybe){ ticks_ppm_apart(chosen->hz, other->hz), true };
	}
	for (unsigned i = 0; i < s.count && !rate->refused.name; i++)
		if (s.best[i] != chosen && !agree(chosen, s.best[i]))
			rate->refused = *s.best[i];
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
