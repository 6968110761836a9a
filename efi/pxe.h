/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware's PXE code knows and can fetch, where it has loaded the image. */
#ifndef EFI_PXE_H
#define EFI_PXE_H

#include "app.h"

/*
 * When the image came through PXE on this device: keep the lease in app->lease, ask the boot
 * server for a configuration by the names of core/config/config_names.h, and apply the first that
 * is there. What was asked is told; mistakes, and a file that breaks off, are counted in
 * app->mistakes. No more than PXE_SECONDS pass, and one time-out of the firmware's own.
 */
void pxe_read(struct app *app, EFI_HANDLE device);

#define PXE_SECONDS 10

#endif
