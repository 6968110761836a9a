/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Given that n events were counted in all, the second count is binomial: each event fell into the
 * second time with probability time_after / (time_before + time_after). Terms of the binomial are
 * computed as multiples of the likeliest one, each from its neighbour; a tail's share of the sum of
 * all terms is the probability.
 */
#include "ratetest.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define COUNT_MOST 0x1p24

/* Terms this far below the likeliest add nothing to what is printed. */
#define TERM_LEAST 1e-24

const char *ratetest_change_name(enum ratetest_change change)
{
	static const char *const names[RATE_CHANGES] = {
		[RATE_SAME] = "same",
		[RATE_LESS] = "less",
		[RATE_MORE] = "more",
	};

	return names[change];
}

struct binomial {
	double k;              /* the second count */
	double low, high, all; /* sums of terms: up to k, from k on, all */
};

/* Add a term to the sums; false if it is too small to count. */
static bool take(struct binomial *b, double k, double term)
{
	if (term < TERM_LEAST)
		return false;
	b->all += term;
	b->low += k <= b->k ? term : 0;
	b->high += k >= b->k ? term : 0;
	return true;
}

/* The probability for counts of independent events. */
static double chance_of(double before, double time_before, double after, double time_after)
{
	double odds = time_after / time_before, n, mode, term = 1;
	struct binomial b = { .k = 0 };

	before = floor(before);
	after = floor(after);
	while (before + after >= COUNT_MOST) {
		before = floor(before / 2);
		after = floor(after / 2);
	}
	n = before + after;
	b.k = after;
	mode = floor(n * (time_after / (time_before + time_after)));
	for (double k = mode; k <= n && take(&b, k, term); k++)
		term *= (n - k) / (k + 1) * odds;
	term = 1;
	for (double k = mode; k > 0; k--) {
		term *= k / ((n - k + 1) * odds);
		if (!take(&b, k - 1, term))
			break;
	}
	return fmin(2 * fmin(b.low, b.high) / b.all, 1);
}

/*
 * If nothing has changed, both sides estimate the same dispersion, each with at least the smaller
 * number of degrees of freedom. A side that shows no bursts may have had none, and adds nothing.
 */
static size_t freedom_of(const struct dispersion *d, const struct dispersion *other)
{
	size_t least = d->freedom < other->freedom ? d->freedom : other->freedom;

	return other->freedom ? 2 * least : d->freedom;
}

/*
 * A spread adds twice its square to the variance of the ratio's logarithm, which is size / count of
 * the one side plus that of the other.
 */
double ratetest_log10_p(const struct ratetest_side side[2], double spread)
{
	double b = (double)side[0].count, a = (double)side[1].count, most = 0;
	double more = b + a > 0 ? 2 * spread * spread * b * a / (b + a) : 0;

	for (size_t i = 0; i < 2; i++) {
		struct dispersion d = { side[i].bursts.size + more,
					freedom_of(&side[i].bursts, &side[!i].bursts) };
		double p = chance_of(b / d.size, (double)side[0].time, a / d.size,
				     (double)side[1].time);

		most = fmax(most, dispersion_chance(&d, p));
	}
	return fmax(log10(most), RATE_LOG10_MIN);
}

struct ratetest ratetest_judge(const struct ratetest_side side[2])
{
	double before = (double)side[0].count * (double)side[1].time;
	double after = (double)side[1].count * (double)side[0].time;
	struct ratetest r = { .change = RATE_NOT_COMPARED };

	if (!side[0].time || !side[1].time)
		return r;
	r.size = fmax(side[0].bursts.size, side[1].bursts.size);
	r.log10_p = ratetest_log10_p(side, 0);
	if (r.log10_p >= RATE_LOG10_MAX)
		r.change = RATE_SAME;
	else
		r.change = after < before ? RATE_LESS : RATE_MORE;
	return r;
}

void ratetest_add_p(struct text *t, double log10_p)
{
	char p[32];

	/* The logarithm of the least is not exact. */
	if (log10_p < RATE_LOG10_MIN + 1e-9)
		snprintf(p, sizeof(p), "under 1e%d", RATE_LOG10_MIN);
	else
		snprintf(p, sizeof(p), "%.2g", pow(10, log10_p));
	text_add(t, "p %s", p);
}
