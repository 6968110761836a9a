/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps from stage to stage, and the state in which each leaves the platform. */
#ifndef EFI_STAGES_H
#define EFI_STAGES_H

#include "app.h"

/* Give the platform its way into each stage: platform.enter and platform.left. */
void stages_prepare(struct app *app);

/* Have configuration space at hand, app->pci; more than once is once. */
void stages_open_pci(struct app *app);

#endif
