/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often a run is saved while it goes on, and in variables of what size. A test build has limits
 * of its own.
 */
#pragma once

#include "core/config/config.h"

#include <stddef.h>

/* ns from one checkpoint to the next; 0: none. */
uint64_t save_limits_every_ns(const struct config *config);

/* Most bytes of one variable; at most NVRAM_REPORT_MAX. */
size_t save_limits_part(const struct config *config);
