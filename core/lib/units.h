/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units. */
#pragma once

#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* The longest time that can be written: 2^63 - 1 ns, 292 years. */
#define UNITS_NS_MAX ((uint64_t)INT64_MAX)

enum units_error {
	UNITS_OK,
	UNITS_NOT_A_NUMBER,
	UNITS_NO_UNIT,  /* a number without a unit */
	UNITS_BAD_UNIT, /* not one of ns us ms s m h d */
	UNITS_TOO_BIG,  /* over UNITS_NS_MAX, or over 2^64 - 1 for a plain number */
	UNITS_TOO_FINE, /* not a whole number of ns */
};

/*
 * Parse "250us", "1.5ms", "60s", "12h" to ns. Decimals are accepted down to whole ns. An error
 * leaves *ns unchanged.
 */
enum units_error units_parse_ns(const char *s, size_t bytes, uint64_t *ns);

/*
 * Parse a whole number, decimal or 0x hex: UNITS_OK, UNITS_NOT_A_NUMBER or UNITS_TOO_BIG. An error
 * leaves *value unchanged.
 */
enum units_error units_parse_u64(const char *s, size_t bytes, uint64_t *value);

/* Print the shortest exact form with a unit: 1500000 -> "1500us", 60000000000 -> "1m". */
void units_print_ns(struct text *out, uint64_t ns);
