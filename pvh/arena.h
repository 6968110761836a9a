/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's memory: the loader's map, and what the program takes of it. */
#pragma once

#include "probe/memory_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Begin with the loader's map. [image, image_end), which is free by the map, becomes the program's.
 */
void arena_open(const struct memory_map *map, uint64_t image, uint64_t image_end);

/* As door.pages(), door.pages_at() and door.read_map(). */
void *arena_pages(size_t bytes, uint64_t limit);
void *arena_pages_at(uint64_t address, size_t bytes);
bool arena_read(struct memory_map *map);
