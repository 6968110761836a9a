/* SPDX-License-Identifier: BSD-2-Clause */
/* Least squares by orthogonal columns (Gram and Schmidt), and correlations of what is left. */
#include "shuffle.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/lib/splitmix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column of which less than this is left is a combination of others. */
#define NOTHING 1e-9

/*
 * Rounds: enough for a test that no round equals to be below a level of 1 in 100, beside all
 * others.
 */
#define ROUNDS_LEAST 10000
#define ROUNDS_EACH  200

/* Correlations closer than this are the same, added up in another order. */
#define SAME 1e-9

/* Columns that are orthogonal and of length 1; the first is a constant. */
struct model {
	size_t n, columns;
	double *column;
};

static double product(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void shuffle_start(struct model *m, size_t n, size_t more)
{
	*m = (struct model){ n, 1, memory_new((more + 1) * n, sizeof(*m->column)) };
	for (size_t i = 0; i < n; i++)
		m->column[i] = 1 / sqrt((double)n);
}

/*
 * Take out of v what the model explains: twice, because the first time loses digits. Return the sum
 * of squares of what is left.
 */
static double take_out(const struct model *m, double *v)
{
	for (size_t k = 0; k < 2 * m->columns; k++) {
		const double *q = m->column + k % m->columns * m->n;
		double share = product(q, v, m->n);

		for (size_t i = 0; i < m->n; i++)
			v[i] -= share * q[i];
	}
	return product(v, v, m->n);
}

/* Add a column, unless the others explain it already. */
static void shuffle_add(struct model *m, const double *v)
{
	double *q = m->column + m->columns * m->n, square;

	memcpy(q, v, m->n * sizeof(*q));
	square = take_out(m, q);
	if (square < NOTHING)
		return;
	for (size_t i = 0; i < m->n; i++)
		q[i] /= sqrt(square);
	m->columns++;
}

void shuffle_deal(size_t *item, size_t count, uint64_t *seed)
{
	for (size_t n = count; n > 1; n--) {
		size_t other = (size_t)((splitmix_next(seed) >> 32) * n >> 32);
		size_t last = item[n - 1];

		item[n - 1] = item[other];
		item[other] = last;
	}
}

/*
 * Partial correlation: x of length 1 without the model, and y of length 1, from which the model is
 * removed.
 */
static double correlation(const struct model *m, const double *x, const double *y)
{
	double left = 1;

	/* A shuffle leaves a mean of 0, so that the constant explains nothing. */
	for (size_t k = 1; k < m->columns; k++) {
		double share = product(m->column + k * m->n, y, m->n);

		left -= share * share;
	}
	return left < NOTHING ? 0 : round(fabs(product(x, y, m->n)) / sqrt(left) / SAME);
}

/* `dealt`: of each round, the order of the runs. */
static void correlate(const struct model *m, const double *x, const double *y, const uint8_t *dealt,
		      double *of, size_t rounds)
{
	double now[SHUFFLE_MOST];

	for (size_t n = 0; n < rounds; n++) {
		for (size_t r = 0; r < m->n; r++)
			now[r] = y[dealt[n * m->n + r]];
		of[n] = correlation(m, x, now);
	}
}

static ORDER_NUMBERS(by_value, double);

/* Number of values below `value`. */
static size_t count_below(const double *sorted, size_t count, double value)
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

/* Residual of v without the model, scaled to length 1. False: nothing is left. */
static bool shuffle_leave(const struct model *m, const double *v, double *left)
{
	double square;

	memcpy(left, v, m->n * sizeof(*v));
	square = take_out(m, left);
	for (size_t i = 0; i < m->n; i++)
		left[i] /= sqrt(square);
	return square >= NOTHING;
}

/* ---- Tests ---- */

struct state {
	struct shuffle *of;
	size_t rounds;
	uint8_t *dealt; /* per round, the order of the runs */
	double *least;  /* per round, the least rank of all tests */
	double *rank;   /* per round, rank in one test */
	bool *with;     /* the x in the model */
};

/* The x of `with`; NULL: all. */
static void build(struct model *m, const struct shuffle *s, const bool *with, bool order)
{
	shuffle_start(m, s->n, s->xs + 1);
	if (order && s->order)
		shuffle_add(m, s->order);
	for (size_t x = 0; x < s->xs; x++)
		if (!with || with[x])
			shuffle_add(m, s->x + x * s->n);
}

/* Rank the rounds besides the x of s->with. The highest rank if these leave nothing to compare. */
static void rank_rounds(struct state *s, const struct shuffle_test *t, bool order)
{
	double x[SHUFFLE_MOST], y[SHUFFLE_MOST], *sorted;
	struct model m;

	build(&m, s->of, s->with, order);
	for (size_t n = 0; n < s->rounds; n++)
		s->rank[n] = (double)s->rounds;
	if (shuffle_leave(&m, s->of->x + t->x * m.n, x) &&
	    shuffle_leave(&m, s->of->y + t->y * m.n, y)) {
		correlate(&m, x, y, s->dealt, s->rank, s->rounds);
		sorted = memory_copy(s->rank, s->rounds, sizeof(*sorted));
		ORDER_SORT(sorted, s->rounds, by_value);
		for (size_t n = 0; n < s->rounds; n++)
			s->rank[n] = (double)(s->rounds -
					      count_below(sorted, s->rounds, s->rank[n]));
		free(sorted);
	}
	free(m.column);
}

/* Share of rounds in which any test shows as much. */
static double chance_of(const struct state *s, double rank)
{
	size_t as_much = 0;

	for (size_t n = 0; n < s->rounds; n++)
		as_much += s->least[n] <= rank;
	return (double)as_much / (double)s->rounds;
}

static double chance_now(struct state *s, const struct shuffle_test *t, bool order)
{
	rank_rounds(s, t, order);
	return chance_of(s, s->rank[0]);
}

/* The other x that were found for this y. */
static void set_found(const struct shuffle *s, const struct shuffle_test *t, bool *with)
{
	memset(with, 0, s->xs * sizeof(*with));
	for (size_t i = 0; i < s->tests; i++)
		if (s->test[i].outcome == SHUFFLE_FOUND && s->test[i].y == t->y)
			with[s->test[i].x] = s->test[i].x != t->x;
}

/* Mark a finding as in doubt if another x explains it as well. */
static void doubt(struct state *s, struct shuffle_test *t)
{
	const struct shuffle *of = s->of;

	for (size_t x = 0; x < of->xs && t->chance < of->level; x++) {
		if (s->with[x] || x == t->x || !of->joins(of->ctx, x, t->x))
			continue;
		s->with[x] = true;
		t->chance = fmax(t->chance, chance_now(s, t, true));
		s->with[x] = false;
	}
	t->outcome = t->chance < of->level ? SHUFFLE_FOUND : SHUFFLE_IN_DOUBT;
}

static void shuffle_judge_test(struct state *s, struct shuffle_test *t)
{
	set_found(s->of, t, s->with);
	t->chance = chance_of(s, t->rank);
	if (t->chance < s->of->level)
		doubt(s, t);
	else if (s->of->order && chance_now(s, t, false) < s->of->level)
		t->outcome = SHUFFLE_BY_ORDER;
}

static void rank_test(struct state *s, struct shuffle_test *t)
{
	set_found(s->of, t, s->with);
	rank_rounds(s, t, true);
	t->rank = s->rank[0];
}

/* The first round is what was measured. */
static void deal_all(struct state *s)
{
	size_t at[SHUFFLE_MOST], n = s->of->n;
	uint64_t seed = n;

	s->dealt = memory_new(s->rounds, n);
	for (size_t r = 0; r < n; r++)
		at[r] = r;
	for (size_t k = 0; k < s->rounds; k++) {
		for (size_t r = 0; r < n; r++)
			s->dealt[k * n + r] = (uint8_t)at[r];
		shuffle_deal(at, n, &seed);
	}
}

static void rank_all(struct state *s)
{
	for (size_t n = 0; n < s->rounds; n++)
		s->least[n] = (double)s->rounds;
	for (size_t i = 0; i < s->of->tests; i++) {
		rank_test(s, &s->of->test[i]);
		for (size_t n = 0; n < s->rounds; n++)
			s->least[n] = fmin(s->least[n], s->rank[n]);
	}
}

static void swap_least(struct shuffle *s, size_t to)
{
	size_t least = to;
	struct shuffle_test t;

	for (size_t i = to + 1; i < s->tests; i++)
		if (s->test[i].rank < s->test[least].rank)
			least = i;
	t = s->test[least];
	s->test[least] = s->test[to];
	s->test[to] = t;
}

/* Step by step: what was found explains a part of what the rest is tested for. */
static void judge_all(struct state *s)
{
	struct shuffle_test *test = s->of->test;

	rank_all(s);
	for (size_t i = 0; i < s->of->tests; i++) {
		swap_least(s->of, i);
		shuffle_judge_test(s, &test[i]);
		for (size_t k = i + 1; k < s->of->tests; k++)
			if (test[i].outcome == SHUFFLE_FOUND && test[k].y == test[i].y)
				rank_test(s, &test[k]);
	}
}

static double slope_of(const struct shuffle *s, const struct shuffle_test *t, bool *with)
{
	double *x = memory_copy(s->x + t->x * s->n, s->n, sizeof(*x)), square, slope;
	struct model m;

	set_found(s, t, with);
	build(&m, s, with, true);
	square = take_out(&m, x);
	slope = product(x, s->y + t->y * s->n, s->n) / square;
	free(m.column);
	free(x);
	return square < NOTHING ? NAN : slope;
}

void shuffle_judge(struct shuffle *s)
{
	struct state state = { .of = s, .with = memory_new(s->xs, sizeof(bool)) };
	bool enough = s->n >= SHUFFLE_LEAST;

	for (size_t i = 0; i < s->tests; i++) {
		s->test[i].outcome = enough ? SHUFFLE_NOTHING : SHUFFLE_TOO_FEW;
		s->test[i].chance = NAN;
	}
	if (enough) {
		state.rounds = ROUNDS_EACH * s->tests;
		state.rounds = state.rounds > ROUNDS_LEAST ? state.rounds : ROUNDS_LEAST;
		state.least = memory_new(state.rounds, sizeof(*state.least));
		state.rank = memory_new(state.rounds, sizeof(*state.rank));
		deal_all(&state);
		judge_all(&state);
	}
	for (size_t i = 0; i < s->tests; i++)
		s->test[i].slope = slope_of(s, &s->test[i], state.with);
	free(state.dealt);
	free(state.least);
	free(state.rank);
	free(state.with);
}

double shuffle_spread(const struct shuffle *s, size_t y, size_t *freedom)
{
	double *left = memory_copy(s->y + y * s->n, s->n, sizeof(*left)), square;
	struct model m;

	build(&m, s, NULL, true);
	*freedom = s->n - m.columns;
	square = take_out(&m, left);
	free(m.column);
	free(left);
	return *freedom ? sqrt(square / (double)*freedom) : 0;
}
