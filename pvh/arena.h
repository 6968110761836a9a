/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates pages from the loader's memory map, and marks them in it as used. */
#pragma once

#include "probe/memory_map.h"

/* Start with the map of struct start_info, which is split up from now on. */
void arena_open(struct memory_map *map);

/* Mark the pages of [address, address + bytes) that are free as used. */
void arena_keep(uint64_t address, uint64_t bytes);

/* As arena_pages(), at a multiple of `align`, which is a power of two and at least 4 KiB. */
void *arena_aligned(size_t bytes, uint64_t limit, uint64_t align);

/* These implement door.pages(), door.pages_at() and door.read_map(); see probe/door.h. */
void *arena_pages(size_t bytes, uint64_t limit);
void *arena_pages_at(uint64_t address, size_t bytes);
bool arena_read(struct memory_map *map);
