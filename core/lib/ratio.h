/* SPDX-License-Identifier: BSD-2-Clause */
/* Ratios as fixed-point numbers of RATIO_ONE. */
#pragma once

#include <stdint.h>

#define RATIO_ONE_BITS 30
#define RATIO_ONE      (UINT64_C(1) << RATIO_ONE_BITS)

/* a/b, rounded down; 0 where that is not known: b is 0, or a/b not below 2^33. */
uint64_t ratio_of(uint64_t a, uint64_t b);

/* In parts per million, rounded to the nearest. */
uint64_t ratio_ppm(uint64_t ratio);
