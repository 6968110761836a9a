/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as hex digits. */
#pragma once

#include "tests/unit/common/test.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns how many there are. */
static inline size_t hex_bytes(uint8_t *out, size_t room, const char *digits)
{
	size_t count = 0;
	unsigned byte;

	for (; *digits; digits += 2) {
		assert_true(count < room && sscanf(digits, "%2x", &byte) == 1);
		out[count++] = (uint8_t)byte;
	}
	return count;
}
