/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the distribution and the factors from quanta. */
#include "stretch.h"

#include "core/gaps/hist.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/ratio.h"

#define SAME    8192 /* 122 ppm */
#define BEST_OF 100  /* share of the quickest quanta, per 10,000 */
#define CLOCKS  (EVIDENCE(MPERF) | EVIDENCE(APERF))

static size_t bucket_of(uint64_t ticks)
{
	return hist_bucket_of(ticks, STRETCH_SUB_BITS, STRETCH_MAX_BITS);
}

static uint64_t low(size_t bucket)
{
	return hist_low_of(bucket, STRETCH_SUB_BITS);
}

uint64_t stretch_above(uint64_t ticks, uint64_t best)
{
	if (!best || best > UINT64_MAX / 10)
		return 0;
	return ratio_share(ticks, best, RATIO_PPM, true);
}

/* Upper end of a bucket. */
static uint64_t high(size_t bucket)
{
	return bucket < STRETCH_BUCKETS - 1 ? low(bucket + 1) - 1 : UINT64_MAX;
}

/*
 * Set a new best: all counted quanta move up by the difference, from the upper edges of their
 * buckets.
 */
static void move(struct stretch_sums *s, uint64_t best)
{
	uint64_t by = s->base - best;

	for (size_t i = STRETCH_BUCKETS - 1; i-- > 0;) {
		uint32_t count = s->count[i];

		s->count[i] = 0;
		s->count[bucket_of(high(i) + by)] += count;
	}
	s->base = best;
}

static void add_steps(struct stretch_sums *s, const struct evidence *e)
{
	s->have = s->calm++ ? s->have & e->have : e->have;
	for (unsigned k = 0; k < EVIDENCE_KINDS; k++)
		s->step[k] += e->step[k];
}

void stretch_add(struct stretch_sums *s, const struct work_quantum *q)
{
	if (!s->quanta++)
		s->base = q->ticks;
	/* Each move loses precision: quanta slightly better than the base count as the base. */
	if (q->ticks + q->ticks / SAME < s->base)
		move(s, q->ticks);
	s->ticks += q->ticks;
	s->gaps += q->gaps;
	if (q->ticks > s->max)
		s->max = q->ticks;
	s->count[bucket_of(arith_less(q->ticks, s->base))]++;
	/*
	 * Quanta with gaps are ignored: in a gap, counters may continue, stop, or count other
	 * things than the work.
	 */
	if (!q->gaps && q->counts.have)
		add_steps(s, &q->counts);
}

void stretch_turn(struct stretch_sums *s, uint64_t ns)
{
	uint64_t aperf = s->step[EVIDENCE_APERF], mperf = s->step[EVIDENCE_MPERF];
	uint64_t clock = ratio_of(aperf - s->aperf, mperf - s->mperf);

	s->aperf = aperf;
	s->mperf = mperf;
	if (!clock || (s->have & CLOCKS) != CLOCKS)
		return;
	s->course[s->turns][0] = ns;
	s->course[s->turns++][1] = ratio_ppm(clock);
}

void stretch_counts_check(struct stretch_best *best, struct work_quantum *q, uint64_t threshold)
{
	if (!best->ticks || q->reads < best->reads)
		best->reads = q->reads;
	if (q->reads - best->reads >= threshold)
		q->counts.have = 0;
}

void stretch_best_add(struct stretch_best *best, const struct work_quantum *q)
{
	if (best->ticks && (q->ticks > best->ticks || (q->ticks == best->ticks && best->have)))
		return;
	best->ticks = q->ticks;
	best->have = q->gaps ? 0 : q->counts.have;
	memcpy(best->step, q->counts.step, sizeof(best->step));
}

static size_t bucket_with(const struct stretch_sums *s, unsigned q)
{
	uint64_t rank = hist_rank(s->quanta, q), seen = 0;
	size_t i = 0;

	for (; i < STRETCH_BUCKETS - 1; i++) {
		seen += s->count[i];
		if (seen >= rank)
			break;
	}
	return i;
}

/* Use the lower edge of the bucket: the mean of what is quicker must not be lower still. */
uint64_t stretch_best(const struct stretch_sums *s)
{
	return s->quanta ? s->base + low(bucket_with(s, BEST_OF)) : 0;
}

uint64_t stretch_quantile(const struct stretch_sums *s, uint64_t best, unsigned q)
{
	size_t i;

	if (!s->quanta)
		return 0;
	i = bucket_with(s, q);
	return arith_less(arith_min(high(i), arith_less(s->max, s->base)) + s->base, best);
}

uint64_t stretch_mean(const struct stretch_sums *s, uint64_t best)
{
	return ratio_of(s->ticks, s->quanta * best);
}

/* (a/b) / (c/d), if all of these were counted. */
static uint64_t factor(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return ratio_of(ratio_of(a, b), ratio_of(c, d));
}

static struct maybe stretch_put(uint64_t ratio)
{
	return (struct maybe){ ratio_ppm(ratio), ratio != 0 };
}

void stretch_factors(const struct stretch_sums *s, uint64_t best,
		     const struct stretch_best *quickest, struct record_stretch *f)
{
	const uint32_t counts = EVIDENCE(CYCLES) | EVIDENCE(INSTRUCTIONS);
	uint32_t have = s->calm ? s->have & quickest->have : 0;
	const uint64_t *mean = s->step, *at = quickest->step;
	uint64_t rest = ratio_of(s->ticks - s->gaps, s->quanta * best);
	uint64_t clock = 0, cpi = 0;

	if ((have & CLOCKS) == CLOCKS)
		clock = factor(at[EVIDENCE_APERF], at[EVIDENCE_MPERF], mean[EVIDENCE_APERF],
			       mean[EVIDENCE_MPERF]);
	if ((have & counts) == counts)
		cpi = factor(mean[EVIDENCE_CYCLES], mean[EVIDENCE_INSTRUCTIONS],
			     at[EVIDENCE_CYCLES], at[EVIDENCE_INSTRUCTIONS]);
	f->gaps = stretch_put(ratio_of(s->ticks, s->ticks - s->gaps));
	f->clock = stretch_put(clock);
	f->cpi = stretch_put(cpi);
	rest = clock ? ratio_of(rest, clock) : rest;
	f->rest = stretch_put(cpi ? ratio_of(rest, cpi) : rest);
}

/* The edge at or below, with eight edges per octave. */
static uint64_t edge_below(uint64_t ppm)
{
	unsigned octave = 63u - (unsigned)__builtin_clzll(ppm | 8);

	return ppm >> (octave - 3) << (octave - 3);
}

size_t stretch_pairs(const struct stretch_sums *s, uint64_t best, uint64_t pairs[STRETCH_PAIRS][2])
{
	size_t n = 0;

	for (size_t i = 0; i < STRETCH_BUCKETS; i++) {
		uint64_t above, edge;

		if (!s->count[i])
			continue;
		/* Buckets are relative to `base`; their lower edge may exceed the maximum. */
		above = arith_min(low(i), arith_less(s->max, s->base));
		edge = edge_below(stretch_above(arith_less(above + s->base, best), best));
		if (!n || pairs[n - 1][0] != edge) {
			if (n == STRETCH_PAIRS)
				n--;
			else
				pairs[n][1] = 0;
			pairs[n++][0] = edge;
		}
		pairs[n - 1][1] += s->count[i];
	}
	return n;
}
