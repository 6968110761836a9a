/* SPDX-License-Identifier: BSD-2-Clause */
/* The hypergeometric distribution: of two samples that are alike, whose are the largest? */
#pragma once

#include <stdint.h>

/*
 * Of `marked` and `others`, `drawn` are drawn by chance: the probability that `least` or more of
 * them are marked. Within 1e-9 of the exact value, relatively, up to 10^6 of them.
 */
double hypergeometric_tail(uint64_t least, uint64_t marked, uint64_t others, uint64_t drawn);
