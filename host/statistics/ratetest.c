/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Given that n events were counted in all, those of the second count are
 * binomial: each fell into its time with probability time_after of both times.
 * Its terms are computed as multiples of the likeliest one, each from its
 * neighbour; a tail's share of their sum is the probability. No factorial, no
 * logarithm is needed, and nothing is rounded but 32-bit mantissas.
 */
#include "ratetest.h"

#include "core/events/chance.h"
#include "number.h"

#include <stdbool.h>

#define COUNT_BITS 24

/* Terms this far below the likeliest, 2^-80, add nothing to 32 bits. */
#define TERM_BITS 80

static const char *const change_names[RATE_CHANGES] = {
	[RATE_SAME] = "same",
	[RATE_LESS] = "less",
	[RATE_MORE] = "more",
};

const char *ratetest_change_name(enum ratetest_change change)
{
	return change_names[change];
}

/* log10 of a / b in thousandths; both are not 0. */
static int64_t log10_ratio(struct number a, struct number b)
{
	int64_t log = chance_log10(a.m) - chance_log10(b.m);

	return log + (int64_t)(a.e - b.e) * INT64_C(30103) / 100;
}

struct binomial {
	uint64_t n, k;      /* so many in all, so many of them in the second count */
	struct number odds; /* time_after / time_before */
	/* Sums of terms, as multiples of the first: up to k, from k on, all. */
	struct number low, high, all;
};

/* Take a term in; false when it no longer counts. */
static bool take(struct binomial *b, uint64_t k, struct number term)
{
	if (!term.m || term.e < -31 - TERM_BITS)
		return false;
	b->all = number_add(b->all, term);
	if (k <= b->k)
		b->low = number_add(b->low, term);
	if (k >= b->k)
		b->high = number_add(b->high, term);
	return true;
}

static void sum_terms(struct binomial *b, uint64_t mode)
{
	struct number term = number_of(1);

	take(b, mode, term);
	for (uint64_t k = mode; k < b->n; k++) {
		term = number_multiply(term, number_multiply(number_of(b->n - k), b->odds));
		term = number_divide(term, number_of(k + 1));
		if (!take(b, k + 1, term))
			break;
	}
	term = number_of(1);
	for (uint64_t k = mode; k > 0; k--) {
		term = number_multiply(term, number_of(k));
		term = number_divide(term, number_multiply(number_of(b->n - k + 1), b->odds));
		if (!take(b, k - 1, term))
			break;
	}
}

int64_t ratetest_chance(uint64_t before, uint64_t time_before, uint64_t after, uint64_t time_after)
{
	struct binomial b = { .n = 0 };
	struct number tail;
	uint64_t share;
	int64_t log;

	while (before >> COUNT_BITS || after >> COUNT_BITS || (before + after) >> COUNT_BITS) {
		before >>= 1;
		after >>= 1;
	}
	b.n = before + after;
	b.k = after;
	b.odds = number_divide(number_of(time_after), number_of(time_before));
	/* Half of each, so that their sum fits. */
	share = chance_share(time_after / 2, time_after / 2 + time_before / 2);
	sum_terms(&b, b.n * share / CHANCE_ONE);
	tail = number_is_less(b.low, b.high) ? b.low : b.high;
	if (!tail.m)
		return RATE_CHANCE_MIN;
	tail.e++; /* both sides */
	log = log10_ratio(tail, b.all);
	if (log < RATE_CHANCE_MIN)
		return RATE_CHANCE_MIN;
	return log < 0 ? log : 0;
}

/* after / time_after < before / time_before, counts below 2^64. */
static bool is_lower(uint64_t before, uint64_t time_before, uint64_t after, uint64_t time_after)
{
	struct number b = number_divide(number_of(before), number_of(time_before));
	struct number a = number_divide(number_of(after), number_of(time_after));

	return number_is_less(a, b);
}

enum ratetest_change ratetest_change(uint64_t before, uint64_t time_before, uint64_t after,
				     uint64_t time_after)
{
	if (!time_before || !time_after)
		return RATE_NOT_COMPARED;
	if (ratetest_chance(before, time_before, after, time_after) >= RATE_CHANCE_MAX)
		return RATE_SAME;
	return is_lower(before, time_before, after, time_after) ? RATE_LESS : RATE_MORE;
}
