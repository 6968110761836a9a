/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates from the upper end of a free range, so that successive allocations form one range. */
#include "arena.h"

#include "core/lib/mem.h"

#define PAGE UINT64_C(4096)

/* The loader's ranges, and those that allocations and kept ranges split off. */
#define RANGES_MAX 512u

/* EfiLoaderData: mode=survey reports UEFI's memory types. Source: UEFI 2.10, 7.2. */
#define TYPE_OURS 2u

static struct memory_range ranges[RANGES_MAX], copies[RANGES_MAX];
static struct memory_map all = { .range = ranges, .room = sizeof(ranges) };

static bool is_ours(size_t n)
{
	return n < all.ranges && ranges[n].kind == MEMORY_USED && ranges[n].type == TYPE_OURS;
}

/* Insert a copy of range n behind it. */
static void duplicate_range(size_t n)
{
	for (size_t i = all.ranges++; i > n; i--)
		ranges[i] = ranges[i - 1];
}

/* Mark [from, end), a free and non-empty part of range n, as used. False: the table is full. */
static bool mark_used(size_t n, uint64_t from, uint64_t end)
{
	if (is_ours(n + 1) && ranges[n + 1].from == end) {
		ranges[n + 1].from = ranges[n].end = from;
		return true;
	}
	if (all.ranges + 2 > RANGES_MAX)
		return false;
	duplicate_range(n);
	duplicate_range(n);
	ranges[n].end = ranges[n + 1].from = from;
	ranges[n + 1].end = ranges[n + 2].from = end;
	ranges[n + 1].kind = MEMORY_USED;
	ranges[n + 1].type = TYPE_OURS;
	return true;
}

static bool mark_used_at(uint64_t from, uint64_t end)
{
	for (size_t n = 0; n < all.ranges; n++)
		if (ranges[n].kind == MEMORY_FREE && ranges[n].from <= from && end <= ranges[n].end)
			return mark_used(n, from, end);
	return false;
}

static uint64_t whole_pages(size_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

void *arena_pages_at(uint64_t address, size_t bytes)
{
	uint64_t whole = whole_pages(bytes);

	/* Page 0 is left out: address 0 means that there is none. */
	if (!bytes || whole < bytes || address % PAGE || !address || whole > UINT64_MAX - address ||
	    !mark_used_at(address, address + whole))
		return NULL;
	return memset((void *)(uintptr_t)address, 0, whole);
}

void *arena_aligned(size_t bytes, uint64_t limit, uint64_t align)
{
	return arena_pages_at(memory_map_room(&all, 0, limit, whole_pages(bytes), align), bytes);
}

void *arena_pages(size_t bytes, uint64_t limit)
{
	return arena_aligned(bytes, limit ? limit : UINT64_MAX, PAGE);
}

void arena_keep(uint64_t address, uint64_t bytes)
{
	uint64_t from = address & ~(PAGE - 1), end = address + bytes;

	/* From the upper end, as mark_used() adds to the range above. */
	for (end = end < address ? 0 : end; end > from; end = (end - 1) & ~(PAGE - 1))
		mark_used_at((end - 1) & ~(PAGE - 1), ((end - 1) | (PAGE - 1)) + 1);
}

/* Free ranges that touch become one, as a piece is taken out of one range. */
static void add_range(const struct memory_range *r)
{
	struct memory_range *last = all.ranges ? &ranges[all.ranges - 1] : NULL;

	if (last && last->kind == MEMORY_FREE && r->kind == MEMORY_FREE && last->end == r->from)
		last->end = r->end;
	else
		ranges[all.ranges++] = *r;
}

void arena_open(const struct memory_map *map, uint64_t image, uint64_t image_end)
{
	all.ranges = 0;
	for (size_t n = 0; n < map->ranges; n++)
		add_range(&map->range[n]);
	mark_used_at(image, image_end);
}

bool arena_read(struct memory_map *map)
{
	*map = (struct memory_map){ .range = copies, .room = sizeof(copies) };
	for (size_t n = 0; n < all.ranges; n++)
		if (ranges[n].from < ranges[n].end)
			copies[map->ranges++] = ranges[n];
	return true;
}
