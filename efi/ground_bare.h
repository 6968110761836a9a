/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own ground: the firmware's boot services are gone, all cores are ours. */
#ifndef EFI_GROUND_BARE_H
#define EFI_GROUND_BARE_H

#include "app.h"

/* ExitBootServices, own tables, own cores; false, with a complaint, when the firmware refuses. */
bool ground_bare(struct app *app);

#endif
