/* SPDX-License-Identifier: BSD-2-Clause */
/* Values used both in measurements and in records. */
#pragma once

#include "arith.h"

#include <stdbool.h>
#include <stdint.h>

/* A number that may be absent: null in a record, n/a in a table, never 0. */
struct maybe {
	uint64_t value;
	bool known;
};

/* The sum, known if both are known. */
static inline struct maybe value_sum(struct maybe a, struct maybe b)
{
	return (struct maybe){ arith_sum(a.value, b.value), a.known && b.known };
}

/* Count and length of the gaps of one cause. */
struct cause_sum {
	uint64_t gaps;
	uint64_t ns;
};

/* A timer that is enabled, with the rate it is set to, as read from the chipset. */
struct period_timer {
	const char *name; /* "SWSMI timer 64 ms" */
	uint64_t period_ns;
};
