/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words and numbers from a line of text. Each function steps *at over what it read, leading blanks
 * included, and leaves it unchanged if it fails.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Blanks, then exactly `literal`. */
bool scan_literal(const char **at, const char *literal);

/* Step past the first `mark` in the rest of the line. */
bool scan_past(const char **at, const char *mark);

/* A whole decimal number below 2^64. */
bool scan_u64(const char **at, uint64_t *value);

/* scan_u64(), below 2^32. */
bool scan_u32(const char **at, uint32_t *value);

/*
 * A decimal number with or without a fraction, times 10^`digits`: "0.998" with 9 digits is
 * 998000000. Further digits are truncated. False past 2^64.
 */
bool scan_fixed(const char **at, unsigned digits, uint64_t *value);

/* True if only blanks are left. */
bool scan_end(const char *at);
