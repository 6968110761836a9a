/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries of the memory map. */
#include "memory_map.h"

#define PAGE_BYTES 4096u
#define GIB4       (UINT64_C(1) << 32)
#define BIOS_AREA  UINT64_C(0xa0000)
#define MIB1       UINT64_C(0x100000)
#define STACK_SPAN UINT64_C(0x20000) /* 128 KiB, the least that UEFI 2.10, 2.3.4 requires */

const struct memory_range *memory_map_at(const struct memory_map *m, size_t n)
{
	return n < m->ranges ? &m->range[n] : NULL;
}

static bool is_memory(const struct memory_range *r)
{
	return r->kind < MEMORY_OTHER;
}

/* Returns the end of the memory range that holds `address`; `address` itself if there is none. */
static uint64_t covered_to(const struct memory_map *m, uint64_t address)
{
	const struct memory_range *r;

	if (address >= BIOS_AREA && address < MIB1)
		return MIB1;
	for (size_t n = 0; (r = memory_map_at(m, n)); n++)
		if (is_memory(r) && r->from <= address && address < r->end)
			return r->end;
	return address;
}

bool memory_map_covers(const struct memory_map *m, uint64_t address, uint64_t bytes)
{
	uint64_t end = address + bytes;

	if (end < address)
		return false;
	while (address < end) {
		uint64_t next = covered_to(m, address);

		if (next == address)
			return false;
		address = next;
	}
	return true;
}

/* Narrow [*from, *end) to its part in `r`. False: `r` is not free, or no part is left. */
static bool free_part(const struct memory_range *r, uint64_t *from, uint64_t *end)
{
	*from = r->from > *from ? r->from : *from;
	*end = r->end < *end ? r->end : *end;
	return r->kind == MEMORY_FREE && *from < *end;
}

uint64_t memory_map_free_in(const struct memory_map *m, uint64_t from, uint64_t end)
{
	const struct memory_range *r;
	uint64_t bytes = 0;

	for (size_t n = 0; (r = memory_map_at(m, n)); n++) {
		uint64_t a = from, b = end;

		if (free_part(r, &a, &b))
			bytes += b - a;
	}
	return bytes;
}

uint64_t memory_map_free(const struct memory_map *m)
{
	return memory_map_free_in(m, 0, UINT64_MAX);
}

uint64_t memory_map_room(const struct memory_map *m, uint64_t from, uint64_t end, uint64_t bytes,
			 uint64_t align)
{
	const struct memory_range *r;
	uint64_t best = 0;

	for (size_t n = 0; (r = memory_map_at(m, n)); n++) {
		uint64_t a = from, b = end;

		if (!free_part(r, &a, &b) || b - a < bytes)
			continue;
		b = (b - bytes) & ~(align - 1);
		if (b >= a && b > best)
			best = b;
	}
	return best;
}

uint64_t memory_map_top(const struct memory_map *m)
{
	const struct memory_range *r;
	uint64_t top = GIB4;

	for (size_t n = 0; (r = memory_map_at(m, n)); n++)
		if (is_memory(r) && r->end > top)
			top = r->end;
	return top;
}

void *memory_map_boot_page(const struct memory_map *m, uint64_t limit)
{
	const struct memory_range *r;
	/* The code still runs on the firmware's stack: skip its pages. */
	uint64_t stack = (uintptr_t)&r / PAGE_BYTES * PAGE_BYTES;

	for (size_t n = 0; (r = memory_map_at(m, n)); n++) {
		uint64_t page = r->end < limit ? r->end : limit;

		while (r->kind == MEMORY_BOOT && page > r->from + PAGE_BYTES) {
			page -= PAGE_BYTES;
			if (page / STACK_SPAN != stack / STACK_SPAN)
				return (void *)(uintptr_t)page;
		}
	}
	return NULL;
}

/* Ranges do not overlap, so the parts of them within [from, end) can be added up. */
uint64_t memory_map_usable(const struct memory_map *m, uint64_t from, uint64_t end)
{
	const struct memory_range *r;
	uint64_t sum = 0;

	for (size_t n = 0; (r = memory_map_at(m, n)); n++)
		if (r->kind < MEMORY_RESERVED && r->from < end && r->end > from)
			sum += (r->end < end ? r->end : end) - (r->from > from ? r->from : from);
	return sum;
}

enum arch_share memory_map_share(const void *map, uint64_t from, uint64_t end)
{
	uint64_t bytes = memory_map_usable(map, from, end);

	return !bytes ? ARCH_NONE : bytes < end - from ? ARCH_SOME : ARCH_ALL;
}
