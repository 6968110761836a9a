/* SPDX-License-Identifier: BSD-2-Clause */
/* The regularised incomplete gamma function and its inverse. */
#include "poisson.h"

#include <math.h>

#define TERMS_MAX    100000
#define TERM_EPSILON 1e-15
#define HALVINGS     200

/* From here on Wilson and Hilferty's cube root is within 10^-6 (Proc. Nat. Acad. Sci. 17, 1931). */
#define LARGE 1e5

/* x^a e^-x / Gamma(a + 1), the first term of both expansions. */
static double head(double a, double x)
{
	return exp(a * log(x) - x - lgamma(a + 1));
}

/* P(a, x) for x < a + 1: its power series (Abramowitz and Stegun 6.5.29). */
static double by_series(double a, double x)
{
	double term = 1, sum = 1;

	for (int n = 1; n < TERMS_MAX && term > sum * TERM_EPSILON; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return head(a, x) * sum;
}

/* 1 - P(a, x) for x >= a + 1: its continued fraction (6.5.31), by Lentz's method. */
static double by_fraction(double a, double x)
{
	const double tiny = 1e-300;
	double b = x + 1 - a, c = 1 / tiny, d = 1 / b, product = d;

	for (int n = 1; n < TERMS_MAX; n++) {
		double numerator = n * (a - n), step;

		b += 2;
		d = numerator * d + b;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = b + numerator / c;
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		product *= step;
		if (fabs(step - 1) < TERM_EPSILON)
			break;
	}
	return head(a, x) * a * product;
}

/* The probability that a gamma variable of shape a > 0 is below x. */
static double below(double a, double x)
{
	if (x <= 0)
		return 0;
	return x < a + 1 ? by_series(a, x) : 1 - by_fraction(a, x);
}

/* Bisection of one monotonic function on 0 ... high. */
static double solve(double (*f)(double a, double x), double a, double value, double high)
{
	double low = 0;

	while (f(a, high) < value)
		high *= 2;
	for (int i = 0; i < HALVINGS && high - low > high * 1e-13; i++) {
		double middle = (low + high) / 2;

		if (f(a, middle) < value)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double normal_below(double unused, double z)
{
	(void)unused;
	/* Shifted, so that it starts at 0. */
	return erfc((40 - z) / sqrt(2)) / 2;
}

static double normal_quantile(double p)
{
	return solve(normal_below, 0, p, 80) - 40;
}

/* The x below which a gamma variable of shape a is with probability p. */
static double quantile(double a, double p)
{
	double cube;

	if (a < LARGE)
		return solve(below, a, p, a + 1);
	cube = 1 - 1 / (9 * a) + normal_quantile(p) / (3 * sqrt(a));
	return a * cube * cube * cube;
}

double poisson_chi_square(double x, size_t freedom)
{
	return 1 - below((double)freedom / 2, x / 2);
}

double poisson_lower(double count, double tail)
{
	return count > 0 ? quantile(count, tail) : 0;
}

double poisson_upper(double count, double tail)
{
	return quantile((count > 0 ? count : 0) + 1, 1 - tail);
}
