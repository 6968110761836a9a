/* SPDX-License-Identifier: BSD-2-Clause */
/* Least squares by orthogonal columns (Gram and Schmidt). */
#include "hunt_fit.h"

#include "host/lib/memory.h"
#include "host/statistics/student.h"

#include "core/events/ratetest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPREAD_MIN 1e-15
#define TIME_UNITS 1e12
#define COUNT_MOST 0x1p62

/* A column of which less than this is left is a combination of others. */
#define NOTHING 1e-9

struct model {
	const struct hunt *h;
	size_t n, columns;
	double *column; /* orthogonal, of length 1 */
};

static double product(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Twice, for the digits that the first loses. */
static void take_out(const struct model *m, double *v)
{
	for (size_t k = 0; k < 2 * m->columns; k++) {
		const double *q = m->column + k % m->columns * m->n;
		double share = product(q, v, m->n);

		for (size_t i = 0; i < m->n; i++)
			v[i] -= share * q[i];
	}
}

/* What the model leaves of it; its square. */
static double change_column(const struct model *m, size_t change, double *v)
{
	for (size_t i = 0; i < m->n; i++)
		v[i] = m->h->change[change].on[i];
	take_out(m, v);
	return product(v, v, m->n);
}

static void add_column(struct model *m, const double *v, double square)
{
	double *q = m->column + m->columns * m->n;

	if (square < NOTHING)
		return;
	for (size_t i = 0; i < m->n; i++)
		q[i] = v[i] / sqrt(square);
	m->columns++;
}

static void start(struct model *m, const struct hunt_fit_question *question, double *v)
{
	const struct hunt *h = question->h;
	const bool *with = question->with;

	*m = (struct model){ h, h->runs, 0, memory_new((h->changes + 2) * h->runs, sizeof(*v)) };
	for (size_t i = 0; i < m->n; i++)
		v[i] = 1;
	add_column(m, v, (double)m->n);
	if (question->order && h->order) {
		memcpy(v, h->order, m->n * sizeof(*v));
		take_out(m, v);
		add_column(m, v, product(v, v, m->n));
	}
	for (size_t k = 0; k < h->changes; k++)
		if (with[k])
			add_column(m, v, change_column(m, k, v));
}

/* Noise is a time, as those of work are. */
static bool is_count(unsigned rate)
{
	return rate < HUNT_TIMES && rate != HUNT_NOISE;
}

/* What stands for none, which has no logarithm: half of the least that any run has. */
static double small(const struct hunt *h, unsigned rate)
{
	double least = is_count(rate) ? 1 : INFINITY;

	for (size_t r = 0; r < h->runs; r++)
		if (h->run[r].value[rate] > 0)
			least = fmin(least, h->run[r].value[rate]);
	return least / 2;
}

static void logarithms(const struct hunt *h, unsigned rate, double *y)
{
	double none = small(h, rate);

	for (size_t r = 0; r < h->runs; r++) {
		double value = h->run[r].value[rate];

		y[r] = log((value > 0 ? value : none) / hunt_weight(h, r, rate));
	}
}

static uint64_t whole(double count)
{
	return (uint64_t)fmin(ceil(count), COUNT_MOST);
}

/*
 * Noise is a time: as few events as it can be, each as long as the longest gap of all, so that one
 * long gap is not taken for many.
 */
static double unit(const struct hunt *h, unsigned rate)
{
	double longest = 1;

	for (size_t r = 0; rate == HUNT_NOISE && r < h->runs; r++)
		longest = fmax(longest, h->run[r].longest_ns);
	return longest;
}

/* Of counts; `explained` is the logarithm of what is expected of each run's rate. */
static double chance_of_counts(const struct hunt *h, unsigned rate, const bool *on,
			       const double *explained)
{
	double count[2] = { 0 }, time[2] = { 0 }, most = explained[0], of = unit(h, rate), share;
	int64_t chance;

	for (size_t r = 1; r < h->runs; r++)
		most = fmax(most, explained[r]);
	for (size_t r = 0; r < h->runs; r++) {
		count[on[r]] += h->run[r].value[rate] / of;
		time[on[r]] += h->run[r].seconds * exp(explained[r] - most);
	}
	share = fmin(fmax(time[1] / (time[0] + time[1]), 1 / TIME_UNITS), 1 - 1 / TIME_UNITS);
	chance = ratetest_chance(whole(count[0]), whole((1 - share) * TIME_UNITS), whole(count[1]),
				 whole(share * TIME_UNITS));
	return pow(10, (double)chance / 1000);
}

/* 0: it is no count. */
static double expected_spread(const struct hunt *h, unsigned rate)
{
	double sum = 0;

	if (!is_count(rate))
		return 0;
	for (size_t r = 0; r < h->runs; r++)
		sum += 1 / (h->run[r].value[rate] + 0.5);
	return sqrt(sum / (double)h->runs);
}

static void fit(struct hunt_fit *f, const struct model *m, unsigned rate, size_t change,
		double *room)
{
	double *x = room, *y = x + m->n, *explained = y + m->n, xx, slope;

	xx = change_column(m, change, x);
	f->possible = xx >= NOTHING;
	if (!f->possible)
		return;
	logarithms(m->h, rate, y);
	memcpy(explained, y, m->n * sizeof(*y));
	take_out(m, y);
	for (size_t r = 0; r < m->n; r++)
		explained[r] -= y[r];
	slope = product(x, y, m->n) / xx;
	f->factor = exp(slope);
	f->freedom = m->n - m->columns - 1;
	if (f->freedom)
		f->spread = sqrt(fmax(product(y, y, m->n) - slope * slope * xx, 0) /
				 (double)f->freedom);
	f->expected = expected_spread(m->h, rate);
	if (rate < HUNT_TIMES)
		f->chance = chance_of_counts(m->h, rate, m->h->change[change].on, explained);
	else
		f->chance = f->freedom ? 0 : 1; /* how much times spread by chance is not known */
	if (f->freedom)
		f->chance = fmax(
			f->chance,
			student_chance(slope * sqrt(xx) / fmax(f->spread, SPREAD_MIN), f->freedom));
}

struct hunt_fit hunt_fit_change(const struct hunt_fit_question *q)
{
	double *room = memory_new(3 * q->h->runs, sizeof(*room));
	struct hunt_fit f = { .possible = false };
	struct model m;

	start(&m, q, room);
	fit(&f, &m, q->rate, q->change, room);
	free(m.column);
	free(room);
	return f;
}

static bool to_unit(double *v, size_t n)
{
	double square = product(v, v, n);

	for (size_t i = 0; i < n; i++)
		v[i] /= sqrt(square);
	return square >= NOTHING;
}

bool hunt_fit_left(const struct hunt_fit_question *q, double *x, double *y)
{
	struct model m;
	bool left;

	start(&m, q, x);
	change_column(&m, q->change, x);
	logarithms(q->h, q->rate, y);
	take_out(&m, y);
	free(m.column);
	left = to_unit(x, m.n);
	return to_unit(y, m.n) && left;
}
