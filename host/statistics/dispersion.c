/* SPDX-License-Identifier: BSD-2-Clause */
/* Pearson's chi-square at each scale. */
#include "dispersion.h"

#include "poisson.h"
#include "student.h"

#include <math.h>

#define BLOCKS_MIN 3

/* Chance differs as much less often than this: events are not independent. */
#define CHANCE_MAX 0.01

static struct dispersion_window sum(const struct dispersion_window *w, size_t from, size_t to)
{
	struct dispersion_window total = { 0, 0 };

	for (size_t i = from; i < to; i++) {
		total.count += w[i].count;
		total.length += w[i].length;
	}
	return total;
}

/*
 * With rate = count / length of all, the sum of (count - rate * length)^2 / (rate * length) over
 * the blocks.
 */
static double chi_square(const struct dispersion_window *w, size_t windows, size_t blocks)
{
	struct dispersion_window all = sum(w, 0, windows);
	double chi = 0;

	for (size_t i = 0; i < blocks; i++) {
		struct dispersion_window b = sum(w, i * windows / blocks,
						 (i + 1) * windows / blocks);
		double mean = all.count / all.length * b.length;

		chi += (b.count - mean) * (b.count - mean) / mean;
	}
	return chi;
}

static void take_scale(struct dispersion *d, double chi, size_t freedom)
{
	double size = chi / (double)freedom;

	if (size > d->size && (d->freedom || poisson_chi_square(chi, freedom) < CHANCE_MAX))
		*d = (struct dispersion){ size, freedom };
}

struct dispersion dispersion_of(const struct dispersion_window *w, size_t windows)
{
	struct dispersion d = { 1, 0 };
	size_t blocks = BLOCKS_MIN;

	if (windows < DISPERSION_WINDOWS_MIN || !(sum(w, 0, windows).count > 0))
		return d;
	take_scale(&d, chi_square(w, windows, windows), windows - 1);
	while (2 * blocks < windows)
		blocks *= 2;
	for (; blocks >= BLOCKS_MIN; blocks /= 2)
		take_scale(&d, chi_square(w, windows, blocks), blocks - 1);
	return d;
}

double dispersion_chance(const struct dispersion *d, double chance)
{
	return d->freedom ? student_chance(student_limit(chance / 2, 0), d->freedom) : chance;
}

/* As much larger as Student's limit is than the normal one: that of a square root. */
static double size_at(const struct dispersion *d, double tail)
{
	double ratio = student_limit(tail, d->freedom) / student_limit(tail, 0);

	return d->freedom ? d->size * ratio * ratio : d->size;
}

double dispersion_lower(const struct dispersion *d, double count, double tail)
{
	double size = size_at(d, tail);

	return poisson_lower(count / size, tail) * size;
}

double dispersion_upper(const struct dispersion *d, double count, double tail)
{
	double size = size_at(d, tail);

	return poisson_upper(count / size, tail) * size;
}
