/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks that the TSC is watched by. */
#ifndef EFI_CLOCKS_H
#define EFI_CLOCKS_H

#include "app.h"

/*
 * Find the clocks that run without our doing, and hand them to the platform: the
 * finest first.
 */
void clocks_find(struct app *app);

#endif
