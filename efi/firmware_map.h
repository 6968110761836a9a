/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map. Source: UEFI 2.10, 7.2 (GetMemoryMap). */
#pragma once

#include <efi.h>

#include "probe/memory_map.h"

#include <stdbool.h>

/* door.read_map(), and the key that ExitBootServices wants; key NULL: nobody does. */
bool firmware_map_read(struct memory_map *m, UINTN *key);
