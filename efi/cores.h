/* SPDX-License-Identifier: BSD-2-Clause */
/* The cores of the run, on any ground. */
#ifndef EFI_CORES_H
#define EFI_CORES_H

#include "app.h"

/*
 * Number the cores, allocate all that is needed until the end of the run, and
 * fill app->platform but for start and finish, which the ground adds. False, with
 * a complaint, when memory cannot be had.
 */
bool cores_prepare(struct app *app);

#endif
