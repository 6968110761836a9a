/* SPDX-License-Identifier: BSD-2-Clause */
/* Finite sums for a whole number of degrees of freedom. */
#include "student.h"

#include <math.h>
#include <stdbool.h>

#define CHANCE_MIN 1e-15
#define HALVINGS   200

/* From here on the normal distribution is near enough. */
#define FREEDOM_MANY 10000

/* Abramowitz and Stegun 26.7.3 and 26.7.4. */
static double inside(double t, size_t freedom)
{
	double theta = atan(t / sqrt((double)freedom));
	double c = cos(theta), term = freedom % 2 ? c : 1, sum = 0;

	for (size_t k = freedom % 2 ? 3 : 2; k <= freedom; k += 2) {
		sum += term;
		term *= c * c * (double)(k - 1) / (double)k;
	}
	return freedom % 2 ? (theta + sin(theta) * sum) * 2 / M_PI : sin(theta) * sum;
}

double student_chance(double t, size_t freedom)
{
	bool normal = !freedom || freedom > FREEDOM_MANY;
	double outside = normal ? erfc(fabs(t) / M_SQRT2) : 1 - inside(fabs(t), freedom);

	return fmin(fmax(outside, CHANCE_MIN), 1);
}

double student_limit(double tail, size_t freedom)
{
	double low = 0, high = 1;

	while (student_chance(high, freedom) > fmax(2 * tail, CHANCE_MIN))
		high *= 2;
	for (int i = 0; i < HALVINGS && high - low > high * 1e-13; i++) {
		double middle = (low + high) / 2;

		if (student_chance(middle, freedom) > 2 * tail)
			low = middle;
		else
			high = middle;
	}
	return high;
}
