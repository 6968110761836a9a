/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's memory, as the door reports it: door.read_map(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_kind {
	MEMORY_FREE,     /* nobody has allocated it */
	MEMORY_BOOT,     /* free once the firmware is gone */
	MEMORY_USED,     /* programs may touch it */
	MEMORY_RESERVED, /* they may not */
	MEMORY_OTHER     /* no memory, such as devices */
};

struct memory_range {
	uint64_t from, end;
	/* As the firmware numbers them, for mode=survey: UEFI 2.10, 7.2. */
	uint64_t attributes;
	uint32_t type;
	uint8_t kind;    /* enum memory_kind */
	bool is_runtime; /* the firmware's services that outlive it use this */
};

/* A copy. The firmware may change its own at any allocation. Ranges do not overlap. */
struct memory_map {
	struct memory_range *range;
	size_t ranges;
	size_t room; /* bytes at `range` */
};

/* The n-th; NULL past the last. */
const struct memory_range *memory_map_at(const struct memory_map *m, size_t n);

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
