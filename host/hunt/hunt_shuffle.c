/* SPDX-License-Identifier: BSD-2-Clause */
/* Each test's correlation in each round, ranked. */
#include "hunt_shuffle.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/lib/splitmix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A test that nothing equals in any round has to stay below HUNT_LEVEL beside all others. */
#define ROUNDS_LEAST 20000
#define ROUNDS_EACH  200

/* Correlations closer than this are the same, added up in another order. */
#define SAME 1e-9

size_t hunt_shuffle_lot(uint64_t *seed, size_t most)
{
	return (size_t)((splitmix_next(seed) >> 32) * most >> 32);
}

/* In the order of the rounds, which are the same for each test. */
static void correlate(const double *x, const double *y, size_t runs, double *of, size_t rounds)
{
	uint64_t seed = runs;
	size_t at[HUNT_RUNS_MAX];

	for (size_t r = 0; r < runs; r++)
		at[r] = r;
	for (size_t n = 0; n < rounds; n++) {
		double sum = 0;

		for (size_t r = 0; r < runs; r++)
			sum += x[r] * y[at[r]];
		of[n] = round(fabs(sum) / SAME);
		for (size_t r = runs; r > 1; r--) {
			size_t other = hunt_shuffle_lot(&seed, r), t = at[r - 1];

			at[r - 1] = at[other];
			at[other] = t;
		}
	}
}

static ORDER_NUMBERS(by_value, double);

/* How many are below `value`. */
static size_t below(const double *sorted, size_t count, double value)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Of each round: how often a test shows as much. False: it shows nothing. */
static bool take_test(const struct hunt_shuffle *s, const struct hunt_test *t, const bool *with,
		      double *chance)
{
	const struct hunt_fit_question q = { s->h, t->rate, t->change, with, true };
	double *x = memory_new(2 * s->h->runs, sizeof(*x)), *sorted;
	bool left = hunt_fit_left(&q, x, x + s->h->runs);

	if (left) {
		correlate(x, x + s->h->runs, s->h->runs, chance, s->rounds);
		sorted = memory_copy(chance, s->rounds, sizeof(*chance));
		qsort(sorted, s->rounds, sizeof(*sorted), by_value);
		for (size_t n = 0; n < s->rounds; n++)
			chance[n] = (double)(s->rounds - below(sorted, s->rounds, chance[n]));
		free(sorted);
	}
	free(x);
	return left;
}

static void take_all(struct hunt_shuffle *s, const struct hunt_tests *tests, double *chance)
{
	const bool with[HUNT_CHANGES_MAX] = { false };

	s->left = memory_new(s->rounds, sizeof(*s->left));
	for (size_t n = 0; n < s->rounds; n++)
		s->left[n] = (double)s->rounds;
	for (size_t i = 0; i < tests->count; i++)
		if (take_test(s, &tests->at[i], with, chance))
			for (size_t n = 0; n < s->rounds; n++)
				s->left[n] = fmin(s->left[n], chance[n]);
}

double hunt_shuffle_chance(struct hunt_shuffle *s, const struct hunt_tests *tests,
			   const struct hunt_test *test, const bool *with)
{
	size_t rounds = ROUNDS_EACH * tests->count, as_much = 0;
	double *chance;

	rounds = rounds > ROUNDS_LEAST ? rounds : ROUNDS_LEAST;
	chance = memory_new(rounds, sizeof(*chance));
	if (!s->rounds) {
		s->rounds = rounds;
		take_all(s, tests, chance);
	}
	if (!take_test(s, test, with, chance))
		chance[0] = (double)rounds;
	for (size_t n = 0; n < rounds; n++)
		as_much += s->left[n] <= chance[0];
	free(chance);
	return (double)as_much / (double)rounds;
}

void hunt_shuffle_free(struct hunt_shuffle *s)
{
	free(s->left);
}
