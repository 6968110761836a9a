/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much noise slows down a bulk-synchronous job: in each step every domain computes for the
 * grain, and all wait for the slowest. A domain is what noise stops as a unit, a node or a core;
 * the noise of all domains has the same distribution and is independent. A job whose nodes wait
 * only for their neighbours is slowed down less.
 */
#pragma once

#include <stddef.h>

/* Events of one length, of one domain. */
struct slowdown_noise {
	double length_ns; /* above 0 */
	double rate_hz;   /* not negative */
};

/* If noise takes more of a domain's time than this, nothing is predicted. */
#define SLOWDOWN_SHARE_MAX 0.9

/* Up to here the formula is within 2 % of a simulation; above, it is too high, never too low. */
#define SLOWDOWN_SURE 1.2

/* The share of a domain's time that its noise takes. */
double slowdown_share(const struct slowdown_noise *class, size_t count);

/*
 * Length of a step relative to `grain_ns` (above 0) on `domains` (at least 1). `class` is sorted,
 * the longest first. INFINITY where the share is over SLOWDOWN_SHARE_MAX. It is the least fixed
 * point of
 *
 *   S = g + M(N) + (share S - M(1))
 *   M(n) = sum over k of (d_k - d_(k+1)) (1 - exp(-n S L_k))
 *
 * L_k being the rate of events at least d_k long. M(N) is the longest event that hits any domain
 * within the step, and delays it. If a domain is hit often within a step, the other events delay
 * it, too: the term in brackets, negligible for rare events. A single domain gives 1 / (1 - share),
 * as it must. Tsafrir et al., ICS 2005, have M for one length and few nodes.
 */
double slowdown(const struct slowdown_noise *class, size_t count, double domains, double grain_ns);
