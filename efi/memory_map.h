/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's memory, as the firmware reports it. */
#pragma once

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of the memory map. The firmware may change its own at any allocation. */
struct memory_map {
	uint8_t *buffer;
	UINTN capacity, size, key, descriptor_size;
	UINT32 version;
};

/* Read the map into a buffer with room to spare; false when the firmware refuses. */
bool memory_map_read(struct memory_map *m);

/* The n-th descriptor; NULL past the last. */
const EFI_MEMORY_DESCRIPTOR *memory_map_at(const struct memory_map *m, size_t n);

/* Is [address, address + bytes) memory all through, by the map or as BIOS area below 1 MiB? */
bool memory_map_covers(const struct memory_map *m, uint64_t address, uint64_t bytes);

/* Bytes that nobody has allocated; of those within [from, end). */
uint64_t memory_map_free(const struct memory_map *m);
uint64_t memory_map_free_in(const struct memory_map *m, uint64_t from, uint64_t end);

/*
 * Where in [from, end) nobody has allocated so many bytes on end: as high as can be, at a multiple
 * of `align`, a power of two. 0: nowhere.
 */
uint64_t memory_map_room(const struct memory_map *m, uint64_t from, uint64_t end, uint64_t bytes,
			 uint64_t align);

/* First address above all memory, at least 4 GiB. */
uint64_t memory_map_top(const struct memory_map *m);

/*
 * A page of boot services below `limit`, not page 0, to be used once they have ended; NULL where
 * there is none.
 */
void *memory_map_boot_page(const struct memory_map *m, uint64_t limit);

/* Whether any of [from, end) is memory that programs may touch: not reserved. Whether all of it is.
 */
bool memory_map_overlaps(const struct memory_map *m, uint64_t from, uint64_t end);
bool memory_map_fills(const struct memory_map *m, uint64_t from, uint64_t end);
