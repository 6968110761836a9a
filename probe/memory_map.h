/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's memory, as the door reports it: door.read_map(). */
#pragma once

#include "arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_kind {
	MEMORY_FREE,     /* not allocated */
	MEMORY_BOOT,     /* free once the firmware is gone */
	MEMORY_USED,     /* in use; programs may access it */
	MEMORY_RESERVED, /* programs must not access it */
	MEMORY_OTHER     /* not memory, such as devices */
};

struct memory_range {
	uint64_t from, end;
	/* Attributes and type as UEFI numbers them (UEFI 2.10, 7.2), for mode=survey. */
	uint64_t attributes;
	uint32_t type;
	uint8_t kind;    /* enum memory_kind */
	bool is_runtime; /* used by the firmware's runtime services */
};

/* A copy of the firmware's map, which may change with each allocation. Ranges do not overlap. */
struct memory_map {
	struct memory_range *range;
	size_t ranges;
	size_t room; /* bytes at `range` */
};

/* The n-th range; NULL past the last. */
const struct memory_range *memory_map_at(const struct memory_map *m, size_t n);

/*
 * True if all of [address, address + bytes) is memory by the map, or in the BIOS area below 1 MiB.
 */
bool memory_map_covers(const struct memory_map *m, uint64_t address, uint64_t bytes);

/* Bytes that are not allocated, in all and within [from, end). */
uint64_t memory_map_free(const struct memory_map *m);
uint64_t memory_map_free_in(const struct memory_map *m, uint64_t from, uint64_t end);

/*
 * The highest address in [from, end), a multiple of `align`, at which `bytes` in a row are not
 * allocated. `align` is a power of two. 0: there is none.
 */
uint64_t memory_map_room(const struct memory_map *m, uint64_t from, uint64_t end, uint64_t bytes,
			 uint64_t align);

/* First address above all memory, at least 4 GiB. */
uint64_t memory_map_top(const struct memory_map *m);

/*
 * A page of boot services below `limit`, except page 0 and the stack, which may be used once boot
 * services have ended. NULL: there is none.
 */
void *memory_map_boot_page(const struct memory_map *m, uint64_t limit);

/* Bytes of [from, end) that are memory which programs may access. */
uint64_t memory_map_usable(const struct memory_map *m, uint64_t from, uint64_t end);

/* arch_setup.share; `map` is the struct memory_map. */
enum arch_share memory_map_share(const void *map, uint64_t from, uint64_t end);
