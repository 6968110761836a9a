/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the threshold one that the sampling loop can keep? A test build answers differently. */
#pragma once

#include "core/config/config.h"

/* Time the loop on the boot core, in a clock of `hz`. Returns the number of complaints: 0 or 1. */
unsigned threshold_check(const struct config *config, uint64_t hz, config_complaint *complain,
			 void *ctx);
