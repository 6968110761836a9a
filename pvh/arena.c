/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates from the upper end of a free range, so that successive allocations form one range. */
#include "start_info.h"

#include "core/lib/mem.h"

#define PAGE UINT64_C(4096)

static struct memory_map *all;

/* Mark [from, end), which is not empty, as used. False: it is not free, or the map is full. */
static bool mark_used(uint64_t from, uint64_t end)
{
	struct memory_range *r = all->range, *last = r + all->ranges;

	while (r < last && (r->kind != MEMORY_FREE || from < r->from || r->end < end))
		r++;
	if (r == last)
		return false;
	if (r + 1 < last && r[1].kind == MEMORY_USED && r[1].from == end) {
		r[1].from = r->end = from;
		return true;
	}
	if ((all->ranges + 2) * sizeof(*r) > all->room)
		return false;
	memmove(r + 2, r, (size_t)(last - r) * sizeof(*r));
	all->ranges += 2;
	r->end = from;
	r[1] = (struct memory_range){ .from = from, .end = end, .kind = MEMORY_USED };
	r[2].from = end;
	return true;
}

static uint64_t whole_pages(size_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

void *arena_pages_at(uint64_t address, size_t bytes)
{
	uint64_t whole = whole_pages(bytes);

	/* Address 0 means that there is none. */
	if (!bytes || whole < bytes || address % PAGE || !address || whole > UINT64_MAX - address ||
	    !mark_used(address, address + whole))
		return NULL;
	return memset((void *)(uintptr_t)address, 0, whole);
}

void *arena_aligned(size_t bytes, uint64_t limit, uint64_t align)
{
	return arena_pages_at(memory_map_room(all, 0, limit, whole_pages(bytes), align), bytes);
}

void *arena_pages(size_t bytes, uint64_t limit)
{
	return arena_aligned(bytes, limit ? limit : UINT64_MAX, PAGE);
}

void arena_keep(uint64_t address, uint64_t bytes)
{
	uint64_t from = address & ~(PAGE - 1), end = (address + bytes + PAGE - 1) & ~(PAGE - 1);

	/* From the upper end, as mark_used() adds to the range above. */
	for (size_t n = all->ranges; n > 0; n--) {
		const struct memory_range *r = &all->range[n - 1];
		uint64_t a = r->from > from ? r->from : from, b = r->end < end ? r->end : end;

		if (r->kind == MEMORY_FREE && a < b)
			mark_used(a, b);
	}
}

void arena_open(struct memory_map *map)
{
	all = map;
}

bool arena_read(struct memory_map *map)
{
	static struct memory_range copies[START_INFO_PIECES_MAX];

	*map = (struct memory_map){ .range = copies, .room = sizeof(copies) };
	for (size_t n = 0; n < all->ranges; n++)
		if (all->range[n].from < all->range[n].end)
			copies[map->ranges++] = all->range[n];
	return true;
}
