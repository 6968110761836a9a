/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units. */
#pragma once

#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* The longest time that can be written: 2^63 - 1 ns, 292 years. */
#define UNITS_NS_MAX ((uint64_t)INT64_MAX)

/*
 * Parse "250us", "1.5ms", "60s", "12h" to ns. Decimals are accepted down to whole ns. Returns NULL,
 * or what is wrong with the text, as "needs a unit": then *ns is unchanged.
 */
const char *units_parse_ns(const char *s, size_t bytes, uint64_t *ns);

/* Parse a whole number, decimal or 0x hex. Returns NULL, or what is wrong: *value is unchanged. */
const char *units_parse_u64(const char *s, size_t bytes, uint64_t *value);

/* Print the shortest exact form with a unit: 1500000 -> "1500us", 60000000000 -> "1m". */
void units_print_ns(struct text *out, uint64_t ns);
