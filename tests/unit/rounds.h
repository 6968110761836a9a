/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number of rounds of a test. `make test` does few rounds, because people wait for it; `make
 * test-all` sets TEST_ROUNDS=all.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool rounds_all(void)
{
	const char *wanted = getenv("TEST_ROUNDS");

	return wanted && strcmp(wanted, "all") == 0;
}

static inline unsigned rounds(unsigned few, unsigned all)
{
	return rounds_all() ? all : few;
}
