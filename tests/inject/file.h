/* SPDX-License-Identifier: BSD-2-Clause */
/* Files on the volume that an EFI test program was started from. */
#pragma once

#include <efi.h>

/* Read up to `bytes` bytes of the file. Returns their number; 0: it cannot be read. */
UINTN file_read(EFI_HANDLE device, CHAR16 *name, void *buffer, UINTN bytes);

/* The device path of a file, in memory of its own; NULL: no memory, or no such device. */
EFI_DEVICE_PATH *file_path(EFI_HANDLE device, const CHAR16 *name);

/* Load \noisefloor.efi from there, with these load options, up to 447 characters; "": none. */
EFI_STATUS file_load_probe(EFI_HANDLE self, EFI_HANDLE device, const char *options,
			   EFI_HANDLE *probe);
