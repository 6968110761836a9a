/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the threshold one that the sampling loop can keep? A test build answers differently. */
#ifndef EFI_THRESHOLD_H
#define EFI_THRESHOLD_H

#include "app.h"

/* Time the loop on the boot core. Returns the number of mistakes: 0 or 1, told. */
unsigned threshold_check(struct app *app, config_complaint *complain, void *ctx);

#endif
