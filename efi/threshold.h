/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the threshold one that the sampling loop can keep? A test build answers differently. */
#ifndef EFI_THRESHOLD_H
#define EFI_THRESHOLD_H

#include "core/config/config.h"

/* Time the loop on the boot core, in a clock of `hz`. Returns the number of complaints: 0 or 1. */
unsigned threshold_check(const struct config *config, uint64_t hz, config_complaint *complain,
			 void *ctx);

#endif
