/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a memory map, and allocates from it. */
#include "arena.h"

#include "core/lib/mem.h"

#define PAGE UINT64_C(4096)

bool arena_add(struct memory_map *map, uint64_t address, uint64_t bytes, enum memory_kind kind)
{
	struct memory_range m = { .from = address < PAGE ? PAGE : address,
				  .end = address + bytes,
				  .kind = (uint8_t)kind };
	size_t n = map->ranges;

	if (bytes > UINT64_MAX - address)
		return false;
	if (m.from >= m.end)
		return true;
	for (; n && map->range[n - 1].from > m.from; n--)
		map->range[n] = map->range[n - 1];
	map->range[n] = m;
	map->ranges++;
	return true;
}

uint64_t arena_close(struct memory_map *map)
{
	struct memory_range *last = map->range;
	size_t kept = 0;

	for (size_t n = 1; n < map->ranges; n++) {
		const struct memory_range *next = &map->range[n];

		if (last->end > next->from)
			return next->from;
		if (last->end == next->from && last->kind == MEMORY_FREE &&
		    next->kind == MEMORY_FREE)
			last->end = next->end;
		else
			*++last = *next;
	}
	for (struct memory_range *m = map->range; map->ranges && m <= last; m++) {
		if (m->kind == MEMORY_FREE)
			m->end &= ~(PAGE - 1);
		/* The end is a multiple of PAGE: rounding up does not exceed it. */
		if (m->kind == MEMORY_FREE && m->from < m->end)
			m->from = (m->from + PAGE - 1) & ~(PAGE - 1);
		if (m->from < m->end)
			map->range[kept++] = *m;
	}
	map->ranges = kept;
	return 0;
}

/* Allocates from the upper end of a free range, so that successive allocations form one range. */
static struct memory_map *all;

/* Mark [from, end), which is not empty, with a kind. False: it is not free, or the map is full. */
static bool mark(uint64_t from, uint64_t end, enum memory_kind kind)
{
	struct memory_range *r = all->range, *last = r + all->ranges;

	while (r < last && (r->kind != MEMORY_FREE || from < r->from || r->end < end))
		r++;
	if (r == last)
		return false;
	if (r->from == from && r->end == end) {
		r->kind = (uint8_t)kind;
		return true;
	}
	if (r + 1 < last && r[1].kind == kind && r[1].from == end) {
		r[1].from = r->end = from;
		return true;
	}
	if ((all->ranges + 2) * sizeof(*r) > all->room)
		return false;
	memmove(r + 2, r, (size_t)(last - r) * sizeof(*r));
	all->ranges += 2;
	r->end = from;
	r[1] = (struct memory_range){ .from = from, .end = end, .kind = (uint8_t)kind };
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
	    !mark(address, address + whole, MEMORY_USED))
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

bool arena_keep(uint64_t address, uint64_t bytes, enum memory_kind kind)
{
	bool kept = true;
	uint64_t from = address & ~(PAGE - 1), end = (address + bytes + PAGE - 1) & ~(PAGE - 1);

	/* From the upper end, as mark() adds to the range above. */
	for (size_t n = all->ranges; n > 0; n--) {
		const struct memory_range *r = &all->range[n - 1];
		uint64_t a = r->from > from ? r->from : from, b = r->end < end ? r->end : end;

		if (r->kind == MEMORY_FREE && a < b)
			kept &= mark(a, b, kind);
	}
	return kept;
}

void arena_open(struct memory_map *map)
{
	all = map;
}

bool arena_read(struct memory_map *map)
{
	static struct memory_range copies[ARENA_PIECES_MAX];

	*map = (struct memory_map){ .range = copies, .room = sizeof(copies) };
	for (size_t n = 0; n < all->ranges; n++)
		if (all->range[n].from < all->range[n].end)
			copies[map->ranges++] = all->range[n];
	return true;
}
