/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware's PXE code knows and can fetch, where it has loaded the image. */
#pragma once

#include <efi.h>

struct options;

/*
 * When the image came through PXE on this device: keep the lease, ask the boot server for a
 * configuration, and apply it (served.h). Mistakes, and a file that breaks off, are counted in
 * o->mistakes.
 */
void pxe_read(struct options *o, EFI_HANDLE device);
