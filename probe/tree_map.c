/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a memory map of a device tree. */
#include "tree_map.h"

#include "core/lib/mem.h"

#define RESERVED_MAX      100u
#define TRANSLATION_BLOCK UINT64_C(0x200000)

/* Set the problem. False, which the caller returns. */
#define REFUSE(t, ...) (text_reset((t)->problem), text_add((t)->problem, __VA_ARGS__), false)

/* The first is the cause. */
static void take_complaint(void *ctx, const char *text)
{
	const struct tree_map *t = ctx;

	if (!t->problem->len)
		text_add(t->problem, "%s", text);
}

static bool add_memory(void *ctx, uint64_t address, uint64_t bytes, bool no_map)
{
	struct tree_map *t = ctx;

	(void)no_map;
	if (t->map.ranges == ARENA_RANGES_MAX)
		return REFUSE(t, "its device tree has more than %u ranges of memory",
			      ARENA_RANGES_MAX);
	if (address >= t->top)
		return true;
	return arena_add(&t->map, address, bytes < t->top - address ? bytes : t->top - address,
			 MEMORY_FREE);
}

static bool keep(struct tree_map *t, uint64_t address, uint64_t bytes, enum memory_kind kind)
{
	if (address >= t->top)
		return true;
	return arena_keep(address, bytes < t->top - address ? bytes : t->top - address, kind) ||
	       REFUSE(t, "its device tree reserves more ranges than there is room for");
}

/* Page tables map memory by blocks. A block with memory that may not be mapped is left out. */
static bool keep_unmapped(struct tree_map *t, uint64_t address, uint64_t bytes)
{
	uint64_t from = address & ~(TRANSLATION_BLOCK - 1), end = t->top;

	if (!bytes || address >= t->top)
		return true;
	if (bytes < t->top - address)
		end = (address + bytes + TRANSLATION_BLOCK - 1) & ~(TRANSLATION_BLOCK - 1);
	return keep(t, from, end - from, MEMORY_RESERVED);
}

static bool keep_reserved(void *ctx, uint64_t address, uint64_t bytes, bool no_map)
{
	struct tree_map *t = ctx;

	if (t->reserved++ == RESERVED_MAX)
		return REFUSE(t, "its device tree reserves more than %u ranges", RESERVED_MAX);
	return no_map ? keep_unmapped(t, address, bytes) : keep(t, address, bytes, MEMORY_USED);
}

static bool make_map(struct tree_map *t)
{
	uint64_t overlap;

	if (!device_tree_each_memory(&t->boot, add_memory, t))
		return false;
	overlap = arena_close(&t->map);
	if (overlap)
		return REFUSE(t, "its device tree has ranges of memory that overlap at 0x%llx",
			      (unsigned long long)overlap);
	if (memory_map_free_in(&t->map, t->image, t->image_end) != t->image_end - t->image)
		return REFUSE(t,
			      "its device tree has no memory at 0x%llx-0x%llx, where the probe is",
			      (unsigned long long)t->image, (unsigned long long)t->image_end);
	arena_open(&t->map);
	arena_keep(t->image, t->image_end - t->image, MEMORY_USED);
	arena_keep(t->tree, t->boot.bytes, MEMORY_USED);
	return keep(t, t->boot.initrd, t->boot.initrd_bytes, MEMORY_USED) &&
	       device_tree_each_reserved(&t->boot, keep_reserved, t);
}

bool tree_map_read(struct tree_map *t, const struct acpi_memory *memory)
{
	struct acpi_reader r = { &t->tables, memory, take_complaint, t, 0 };

	t->map = (struct memory_map){ .range = t->range, .room = sizeof(t->range) };
	if (!device_tree_boot_open(&t->boot, &r, t->tree))
		return false;
	if (make_map(t))
		return true;
	t->map.ranges = 0;
	return false;
}
