/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributions by their series and fractions, Pearson's chi-square at each scale, the rate test.
 */
#include "chance.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define HALVINGS     200
#define TERMS_MAX    100000
#define TERM_EPSILON 1e-15

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

/* ---- The regularised incomplete beta function, of which t and the binomial are cases ---- */

/* The factor of the next partial numerator of a continued fraction, by Lentz's method. */
static double fraction_step(double n, double *c, double *d)
{
	const double tiny = 1e-300;

	*d = 1 + n * *d;
	*d = 1 / (fabs(*d) < tiny ? tiny : *d);
	*c = 1 + n / *c;
	*c = fabs(*c) < tiny ? tiny : *c;
	return *c * *d;
}

/*
 * The probability that a beta variable of shapes a, b > 0 is below x, where y = 1 - x: Abramowitz
 * and Stegun 26.5.8.
 */
static double beta_below(double a, double b, double x, double y)
{
	double head = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y)) / a;
	double c = 1e300, d = 1, product = 1, step = 0;

	if (x > (a + 1) / (a + b + 2))
		return 1 - beta_below(b, a, y, x);
	for (int m = 0; m < TERMS_MAX && fabs(step - 1) > TERM_EPSILON; m++) {
		double k = a + 2 * m;

		product *= fraction_step(-(a + m) * (a + b + m) * x / (k * (k + 1)), &c, &d);
		step = fraction_step((m + 1) * (b - m - 1) * x / ((k + 1) * (k + 2)), &c, &d);
		product *= step;
	}
	return head * product;
}

/* ---- Student ---- */

#define CHANCE_MIN 1e-15

double student_chance(double t, size_t freedom)
{
	double n = (double)freedom, all = n + t * t;
	double outside = freedom ? beta_below(n / 2, 0.5, n / all, t * t / all)
				 : erfc(fabs(t) / M_SQRT2);

	return fmin(fmax(outside, CHANCE_MIN), 1);
}

static double not_outside(double freedom, double t)
{
	return -student_chance(t, (size_t)freedom);
}

double student_limit(double tail, size_t freedom)
{
	return solve(not_outside, (double)freedom, -fmax(2 * tail, CHANCE_MIN), 1);
}

/* ---- The regularised incomplete gamma function and its inverse ---- */

/* From here on Wilson and Hilferty's cube root is within 10^-6 (Proc. Nat. Acad. Sci. 17, 1931). */
#define LARGE 1e5

/*
 * The probability that a gamma variable of shape a > 0 is below x: its power series (Abramowitz and
 * Stegun 6.5.29). So far above the mean as where the series is not summed up, it is 1.
 */
static double below(double a, double x)
{
	double term = 1, sum = 1;

	if (x <= 0)
		return 0;
	if (x > a + 20 * sqrt(a) + 100)
		return 1;
	for (int n = 1; n < TERMS_MAX && term > sum * TERM_EPSILON; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return exp(a * log(x) - x - lgamma(a + 1)) * sum;
}

/* The x below which a gamma variable of shape a is with probability p. */
static double chance_quantile(double a, double p)
{
	double cube, z = p < 0.5 ? -student_limit(p, 0) : student_limit(1 - p, 0);

	if (a < LARGE)
		return solve(below, a, p, a + 1);
	cube = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
	return a * cube * cube * cube;
}

double poisson_chi_square(double x, size_t freedom)
{
	return 1 - below((double)freedom / 2, x / 2);
}

double poisson_lower(double count, double tail)
{
	return count > 0 ? chance_quantile(count, tail) : 0;
}

double poisson_upper(double count, double tail)
{
	return chance_quantile((count > 0 ? count : 0) + 1, 1 - tail);
}

/* ---- Sums of binomial coefficients, by their logarithms ---- */

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double hypergeometric_tail(uint64_t least, uint64_t marked, uint64_t others, uint64_t drawn)
{
	uint64_t most = drawn < marked ? drawn : marked;
	double sum = 0;

	if (drawn > marked + others)
		return NAN;
	if (drawn > others && least < drawn - others)
		least = drawn - others;
	for (uint64_t k = least; k <= most; k++)
		sum += exp(log_choose((double)marked, (double)k) +
			   log_choose((double)others, (double)(drawn - k)) -
			   log_choose((double)(marked + others), (double)drawn));
	return fmin(sum, 1);
}

/* ---- Bursts ---- */

#define BLOCKS_MIN 3

/* If independent events differ by as much less often than this, the events are not independent. */
#define CHANCE_MAX 0.01

/*
 * Standard deviations for chances below CHANCE_MIN. The 8 that belong to CHANCE_MIN itself would
 * not be significant with 2 degrees of freedom.
 */
#define DEVIATIONS_MOST 16

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
 * Sum of (count - rate * length)^2 / (rate * length) over the blocks, with rate = count / length of
 * all.
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
	if (!d->freedom)
		return chance;
	return student_chance(chance < CHANCE_MIN ? DEVIATIONS_MOST : student_limit(chance / 2, 0),
			      d->freedom);
}

/*
 * Size of bursts for a limit with this tail. Limits are as the root of the size, so it is larger by
 * the square of Student's limit over the normal one.
 */
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

/* ---- The rate test ---- */

#define COUNT_MOST 0x1p24

/*
 * The probability for counts of independent events. Given that n events were counted in all, the
 * second count is binomial: each event fell into the second time with probability time_after /
 * (time_before + time_after).
 */
static double chance_of(double before, double time_before, double after, double time_after)
{
	double x = time_after / (time_before + time_after);
	double y = time_before / (time_before + time_after), low, high;

	before = floor(before);
	after = floor(after);
	while (before + after >= COUNT_MOST) {
		before = floor(before / 2);
		after = floor(after / 2);
	}
	low = before > 0 ? beta_below(before, after + 1, y, x) : 1;
	high = after > 0 ? beta_below(after, before + 1, x, y) : 1;
	return fmin(2 * fmin(low, high), 1);
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
