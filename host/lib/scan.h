/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picking words and numbers out of a line of text. Each function steps *at over
 * what it took, blanks before it included, and leaves it alone where it fails.
 */
#ifndef HOST_SCAN_H
#define HOST_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/* Blanks, then exactly `literal`. */
bool scan_literal(const char **at, const char *literal);

/* Step behind the first `mark` in the rest of the line. */
bool scan_past(const char **at, const char *mark);

/* A whole decimal number below 2^64. */
bool scan_u64(const char **at, uint64_t *value);

/* The same, below 2^32. */
bool scan_u32(const char **at, uint32_t *value);

/*
 * A decimal number with or without a fraction, times 10^`digits`: "0.998" with 9
 * digits is 998000000. Digits past these are cut. False past 2^64.
 */
bool scan_fixed(const char **at, unsigned digits, uint64_t *value);

/* Nothing but blanks is left. */
bool scan_end(const char *at);

#endif
