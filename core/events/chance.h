/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logarithms of small probabilities in whole numbers. A probability is given as
 * its log10 in thousandths: -4000 is 1 in 10,000, 0 is certain.
 */
#pragma once

#include <stdint.h>

/* The unit of shares: CHANCE_ONE is 1. */
#define CHANCE_ONE (UINT64_C(1) << 30)

/*
 * part / whole in units of 1 / CHANCE_ONE, rounded up, at least 1 and at most CHANCE_ONE. A whole
 * of 0 gives CHANCE_ONE.
 */
uint64_t chance_share(uint64_t part, uint64_t whole);

/* log10(x) in thousandths, within 1; log10(0) is taken as 0. */
int64_t chance_log10(uint64_t x);

/*
 * Upper bound of the probability that at least `hits` of `slots` independent slots are hit, if each
 * is hit with probability share / CHANCE_ONE; as log10 in thousandths. This is the Chernoff bound,
 * exp(-slots * D(hits/slots || share)). Returns 0 if there are no more hits than expected. hits <=
 * slots < 2^24.
 */
int64_t chance_of_hits(uint64_t hits, uint64_t slots, uint64_t share);

/* Square root, rounded down. */
uint64_t chance_root(uint64_t x);
