/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a pass is too old to count. */
#pragma once

#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

#define STATUS_WHY 96

/*
 * Does a pass, or none, not count any more, as it was received at `at`, s since 1970, which is
 * longer ago than max_age_ns, 0: any, or in the future? `why` has the reason.
 */
bool status_has_expired(enum verdict verdict, uint64_t at, uint64_t max_age_ns,
			char why[STATUS_WHY]);
