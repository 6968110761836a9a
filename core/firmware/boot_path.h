/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The target of a device path: whether files there survive a reset, which server it names, and
 * which boot entry has it. Source: UEFI 2.10, 10.3 (device path nodes), 3.1.3 (EFI_LOAD_OPTION),
 * 3.1.2 (short-form device paths), 3.5.1.1 (removable media). Paths are hostile input.
 */
#pragma once

#include "core/lib/ipaddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_PATH_MAX 2048u /* bytes of a path that are read: a URI may be long */

#define BOOT_PATH_USB_BYTES 18u /* size of a device descriptor: USB 2.0, 9.6.1 */

/* Bytes of a device path up to its end, or to the first invalid node; at most `most`. */
size_t boot_path_bytes(const void *path, size_t most);

enum boot_path_medium {
	BOOT_PATH_LASTS,    /* on a bus for disks */
	BOOT_PATH_UNPROVED, /* no bus is named: a disk, or memory that a boot loader shows as one */
	BOOT_PATH_RAM_DISK, /* the firmware's RAM disk: the next reset loses it */
	BOOT_PATH_DOWNLOADED, /* a network card's: there is nothing to write to */
};

/* The medium of a path of `bytes` bytes, up to its end node or truncated. */
enum boot_path_medium boot_path_medium(const uint8_t *path, size_t bytes);

/*
 * True for the descriptor of a virtual disk of a management controller: files written to it are in
 * an image file elsewhere, or in the controller's memory.
 */
bool boot_path_virtual_stick(const uint8_t descriptor[BOOT_PATH_USB_BYTES]);

/* Parts missing in the path are absent: NULL, IPADDR_NONE. */
struct boot_path_server {
	const char *uri; /* in the path, without a NUL */
	size_t uri_bytes;
	const uint8_t *mac;          /* MAC of the card, MACADDR_BYTES in the path */
	struct ipaddr address, mask; /* ours; IPv6 has no mask */
};

/* False: the path names no URI, or an empty one. */
bool boot_path_server(const uint8_t *path, size_t bytes, struct boot_path_server *s);

/*
 * True if this load option, the value of a Boot#### variable, leads to the program with device path
 * `image`, by device and file. False if it names another program, which may have loaded this one.
 * `folder_only`: another file of the same folder is accepted, since shim loads files beside itself.
 */
bool boot_path_option_leads(const void *option, size_t bytes, const void *image, size_t image_bytes,
			    bool folder_only);
