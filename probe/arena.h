/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for doors without firmware: the loader's memory map, and the allocation of pages from it,
 * which marks them as used.
 */
#pragma once

#include "memory_map.h"

#define ARENA_RANGES_MAX 256u /* in the loader's memory map */
#define ARENA_PIECES_MAX 512u /* with what allocations split off */

/*
 * Insert a range by its address, without page 0. The map has room for it. False: it ends past the
 * last address.
 */
bool arena_add(struct memory_map *map, uint64_t address, uint64_t bytes, enum memory_kind kind);

/*
 * Check the complete map. If two ranges overlap, either may be wrong: returns the address where
 * they do; 0: none do. Free ranges that touch are joined, also within a page, since the arena takes
 * each piece out of a single range; then whole pages of them are left.
 */
uint64_t arena_close(struct memory_map *map);

/* Start with this map, which is split up from now on. It has ARENA_PIECES_MAX ranges. */
void arena_open(struct memory_map *map);

/* Mark the free pages of [address, address + bytes) with a kind. False: the map is full. */
bool arena_keep(uint64_t address, uint64_t bytes, enum memory_kind kind);

/* Like arena_pages(), at a multiple of `align`, which is a power of two and at least 4 KiB. */
void *arena_aligned(size_t bytes, uint64_t limit, uint64_t align);

/* These implement door.pages(), door.pages_at() and door.read_map(); see probe/door.h. */
void *arena_pages(size_t bytes, uint64_t limit);
void *arena_pages_at(uint64_t address, size_t bytes);
bool arena_read(struct memory_map *map);
