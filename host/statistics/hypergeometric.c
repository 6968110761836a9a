/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of binomial coefficients, by their logarithms. */
#include "hypergeometric.h"

#include <math.h>

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
