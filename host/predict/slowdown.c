/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed point, approached from below. */
#include "slowdown.h"

#include "core/lib/ticks.h"

#include <math.h>

#define ROUNDS_MAX 2000
#define CLOSE      1e-9

double slowdown_share(const struct slowdown_noise *class, size_t count)
{
	double share = 0;

	for (size_t k = 0; k < count; k++)
		share += class[k].length_ns * class[k].rate_hz / NS_PER_S;
	return share;
}

/* M(domains) - M(1): how much longer the longest event is that hits any of them than one alone. */
static double later(const struct slowdown_noise *class, size_t count, double domains, double step)
{
	double rate = 0, late = 0;

	for (size_t k = 0; k < count; k++) {
		double shorter = k + 1 < count ? class[k + 1].length_ns : 0;
		double hits;

		rate += class[k].rate_hz;
		hits = step * rate / NS_PER_S;
		late += (class[k].length_ns - shorter) * (exp(-hits) - exp(-domains * hits));
	}
	return late;
}

double slowdown(const struct slowdown_noise *class, size_t count, double domains, double grain_ns)
{
	double share = slowdown_share(class, count);
	double step = grain_ns;

	if (share > SLOWDOWN_SHARE_MAX)
		return INFINITY;
	/*
	 * The right-hand side rises with the step, so each round comes closer and none overshoots.
	 */
	for (int round = 0; round < ROUNDS_MAX; round++) {
		double next = grain_ns + share * step + later(class, count, domains, step);
		int close = next - step <= step * CLOSE;

		step = next;
		if (close)
			break;
	}
	return step / grain_ns;
}
