/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor has no clock but the TSC. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OTHER_CLOCK NULL

static inline bool other_clock_there(void)
{
	return false;
}

static inline uint64_t other_clock_now(void)
{
	return 0;
}
