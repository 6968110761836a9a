/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a device path leads: whether what is written there outlives a reset, and which server it
 * came from. Source: UEFI 2.10, 10.3 (device path nodes). Paths are hostile input.
 */
#pragma once

#include "core/lib/ipaddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_PATH_MAX 2048u /* bytes of a path that are looked at: a URI may be long */

enum boot_path_medium {
	BOOT_PATH_LASTS,    /* on a bus for disks */
	BOOT_PATH_UNPROVED, /* no bus is named: a disk, or memory that a boot loader shows as one */
	BOOT_PATH_RAM_DISK, /* the firmware's RAM disk: the next reset loses it */
	BOOT_PATH_DOWNLOADED, /* a network card's: there is nothing to write to */
};

/* `path`: `bytes` up to its end node, or to where it is cut off. */
enum boot_path_medium boot_path_medium(const uint8_t *path, size_t bytes);

/* What is missing in the path is absent: NULL, IPADDR_NONE. */
struct boot_path_server {
	const char *uri; /* in the path, without a NUL */
	size_t uri_bytes;
	const uint8_t *mac;                   /* of the card, MACADDR_BYTES in the path */
	struct ipaddr address, mask, gateway; /* of ours; of IPv6 without a mask */
	bool is_static;                       /* `address` is not from a DHCP server */
};

/* False: the path names no URI, or an empty one. */
bool boot_path_server(const uint8_t *path, size_t bytes, struct boot_path_server *s);
