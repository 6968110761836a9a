/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map. Source: UEFI 2.10, 7.2 (GetMemoryMap). */
#pragma once

#include <efi.h>

#include "probe/memory_map.h"

#include <stdbool.h>

/* Implements door.read_map(). *key is the one that ExitBootServices requires; NULL: not wanted. */
bool firmware_map_read(struct memory_map *m, UINTN *key);
