/* SPDX-License-Identifier: BSD-2-Clause */
/* From the firmware's guest to the machine's owner. */
#ifndef EFI_TAKEOVER_H
#define EFI_TAKEOVER_H

#include "app.h"

/* Allocate all that is needed after ExitBootServices; false, with a complaint, when it cannot be had. */
bool takeover_prepare(struct app *app);

/* ExitBootServices, own tables, own cores; false, with a complaint, when the firmware refuses. */
bool takeover(struct app *app);

#endif
