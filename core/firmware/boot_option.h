/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boot#### variables: where a boot entry leads. Source: UEFI 2.10, 3.1.3 (EFI_LOAD_OPTION), 3.1.2
 * (short-form device paths), 3.5.1.1 (removable media), 10.3 (device path nodes).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_OPTION_GUID_BYTES 16

/* Bytes of a device path up to its end, or to the first node that is none; at most `most`. */
size_t boot_option_path(const void *path, size_t most);

/*
 * Does this load option lead to the program with the device path `image`, device and file? Not
 * where it names another program, which may have loaded this one. `folder_only`: another file of
 * the same folder will do, which is how shim loads what is beside it.
 */
bool boot_option_leads(const void *option, size_t bytes, const void *image, size_t image_bytes,
		       bool folder_only);
