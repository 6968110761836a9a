/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the sampling loop is faster than the threshold. A test build replaces this. */
#pragma once

#include "core/config/config.h"

/*
 * Time the loop on the boot core; `hz` is the clock's rate. Returns the number of complaints: 0 or
 * 1.
 */
unsigned threshold_check(const struct config *config, uint64_t hz, config_complaint *complain,
			 void *ctx);
