/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logarithms of small probabilities in whole numbers. A probability is given as
 * its log10 in thousandths: -4000 is 1 in 10,000, 0 is certain.
 */
#pragma once

#include <stdint.h>

/* Shares are counted in parts of this. */
#define CHANCE_ONE (UINT64_C(1) << 30)

/*
 * part / whole in parts of CHANCE_ONE, rounded up, at least 1 and at most
 * CHANCE_ONE. A whole of 0 gives CHANCE_ONE.
 */
uint64_t chance_share(uint64_t part, uint64_t whole);

/* log10(x) in thousandths, within 1; log10(0) is taken as 0. */
int64_t chance_log10(uint64_t x);

/*
 * At most this likely: that `hits` or more of `slots` are hit where each is hit
 * by itself with probability `share` of CHANCE_ONE. The Chernoff bound,
 * exp(-slots * D(hits/slots || share)); 0 where hits are no more than expected.
 * hits <= slots < 2^24.
 */
int64_t chance_of_hits(uint64_t hits, uint64_t slots, uint64_t share);

/* Square root, rounded down. */
uint64_t chance_root(uint64_t x);
