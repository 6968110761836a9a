/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads PVH's start info and Linux's boot_params. */
#include "start_info.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "drivers/framebuffer.h"

#define PAGE UINT64_C(4096)

#define MAGIC        0x336ec578u
#define VERSION_MAPS 1u /* the first version that has a memory map */

/* struct hvm_start_info */
struct head {
	uint32_t magic, version, flags, modules;
	uint64_t module_list, command, rsdp;
	/* Added in version 1. */
	uint64_t map;
	uint32_t ranges, reserved;
};

#define PVH_ENTRY  24u  /* bytes of an entry in the start info's memory map */
#define RANGES_MAX 128u /* boot_params have room for; more are in nodes of setup_data */

/* True if [address, address + bytes) does not overlap the probe's image. */
static bool is_clear_of_image(struct start_info_reading *r, const char *what, uint64_t address,
			      uint64_t bytes)
{
	if (!bytes || address >= r->image_end || address + bytes <= r->image)
		return true;
	return REFUSE(r, "%s at 0x%llx-0x%llx is over the probe at 0x%llx-0x%llx", what,
		      (unsigned long long)address, (unsigned long long)(address + bytes),
		      (unsigned long long)r->image, (unsigned long long)r->image_end);
}

/* Copy `bytes` bytes from a physical address, which is neither in the image nor unmapped. */
static bool copy(struct start_info_reading *r, const char *what, uint64_t address, void *to,
		 size_t bytes)
{
	const void *from = NULL;

	if (!is_clear_of_image(r, what, address, bytes))
		return false;
	if (address && address + bytes > address)
		from = r->memory->map(r->memory->ctx, address, bytes);
	if (!from)
		return REFUSE(r, "%s at 0x%llx cannot be read; accepted: an address below %u GiB",
			      what, (unsigned long long)address, (unsigned)(START_INFO_TOP >> 30));
	memcpy(to, from, bytes);
	return true;
}

/*
 * True if the loader's data lies in memory, by its map, and does not overlap the probe's image.
 * What is below `low` may be missing in the map: page 0 is, though QEMU's option ROM has its map
 * there.
 */
static bool is_usable(struct start_info_reading *r, const char *what, uint64_t address,
		      uint64_t bytes, uint64_t low)
{
	uint64_t skip = address < low ? low - address : 0;

	return is_clear_of_image(r, what, address, bytes) &&
	       (bytes <= skip || memory_map_covers(&r->info->map, address + skip, bytes - skip) ||
		REFUSE(r, "%s at 0x%llx, of %llu bytes, is not in memory, by the memory map", what,
		       (unsigned long long)address, (unsigned long long)bytes));
}

static bool is_magic(struct start_info_reading *r, const char *what, uint32_t found,
		     uint32_t wanted)
{
	return found == wanted ||
	       REFUSE(r, "%s at 0x%llx has the magic number 0x%x; accepted: 0x%x", what,
		      (unsigned long long)r->address, found, wanted);
}

/* ---- The memory map ---- */

/* Below 4 GiB, BIOS tables are in reserved memory. Above, it is address space. */
static enum memory_kind kind_of(const struct linux_range *e)
{
	return e->type == LINUX_TYPE_MEMORY || e->type == LINUX_TYPE_LINUX ? MEMORY_FREE
	       : e->type == LINUX_TYPE_ACPI || e->type == LINUX_TYPE_NVS   ? MEMORY_USED
	       : e->type != LINUX_TYPE_RESERVED                            ? MEMORY_OTHER
	       : e->address + e->bytes > GIB4                              ? MEMORY_OTHER
									   : MEMORY_RESERVED;
}

static bool add_range(struct start_info_reading *r, const struct linux_range *e)
{
	return arena_add(&r->info->map, e->address, e->bytes, kind_of(e)) ||
	       REFUSE(r, "its map has a range past the last address: 0x%llx, 0x%llx bytes",
		      (unsigned long long)e->address, (unsigned long long)e->bytes);
}

static bool is_count_good(struct start_info_reading *r, uint64_t count, uint32_t most)
{
	return (count && count <= most) ||
	       REFUSE(r, "its memory map has %llu ranges; accepted: 1 to %u",
		      (unsigned long long)count, most);
}

static bool add_ranges_of_node(struct start_info_reading *r, uint64_t at, uint32_t count)
{
	struct linux_range e;

	if (!is_count_good(r, r->info->map.ranges + (uint64_t)count, ARENA_RANGES_MAX))
		return false;
	for (uint32_t n = 0; n < count; n++)
		if (!copy(r, "the memory map", at + n * sizeof(e), &e, sizeof(e)) ||
		    !add_range(r, &e))
			return false;
	return true;
}

/*
 * Walk the nodes of setup_data: first to add the ranges for which boot_params has no room, then,
 * once the map is closed, to keep the nodes.
 */
static bool walk_nodes(struct start_info_reading *r, bool is_closed)
{
	struct linux_node node;

	node.next = bytes_le64(r->info->params + LINUX_SETUP_DATA);
	for (unsigned n = 0; node.next; n++) {
		uint64_t at = node.next;

		if (n == START_INFO_NODES_MAX)
			return REFUSE(r, "setup_data has more than %u nodes", START_INFO_NODES_MAX);
		if (!copy(r, "setup_data", at, &node, sizeof(node)))
			return false;
		if (is_closed)
			arena_keep(at, sizeof(node) + (uint64_t)node.bytes, MEMORY_USED);
		else if (node.type == LINUX_NODE_RANGES &&
			 !add_ranges_of_node(r, at + sizeof(node),
					     node.bytes / sizeof(struct linux_range)))
			return false;
	}
	return true;
}

static bool close_map(struct start_info_reading *r)
{
	struct memory_map *map = &r->info->map;
	uint64_t overlap = arena_close(map);

	if (overlap)
		return REFUSE(r, "its memory map has ranges that overlap at 0x%llx",
			      (unsigned long long)overlap);
	return memory_map_free_in(map, r->image, r->image_end) == r->image_end - r->image ||
	       REFUSE(r, "its memory map does not have memory at 0x%llx-0x%llx, where the probe is",
		      (unsigned long long)r->image, (unsigned long long)r->image_end);
}

/* ---- The rest ---- */

static bool read_command(struct start_info_reading *r, uint64_t address)
{
	struct start_info *s = r->info;

	if (!address)
		return true;
	for (size_t n = 0; n < sizeof(s->command); n++) {
		if (!is_usable(r, "the command line", address + n, 1, PAGE) ||
		    !copy(r, "the command line", address + n, &s->command[n], 1))
			return false;
		if (!s->command[n]) {
			s->command_bytes = n;
			return true;
		}
	}
	return REFUSE(r, "the command line at 0x%llx is too long; accepted: at most %u bytes",
		      (unsigned long long)address, START_INFO_COMMAND_MAX - 1);
}

/* No screen is above 4 GiB, where it would not be mapped, or in memory. */
static struct framebuffer screen_of(const uint8_t *p, const struct memory_map *map)
{
	struct framebuffer f = framebuffer_of_linux(p);

	if (f.address >= GIB4 || f.bytes > GIB4 - f.address ||
	    memory_map_usable(map, f.address, f.address + f.bytes))
		return (struct framebuffer){ 0 };
	return f;
}

/* Read boot_params, once they are in the info; `what` names the head from which they are made. */
static bool read_params(struct start_info_reading *r, const char *what, uint64_t bytes)
{
	struct start_info *s = r->info;
	const uint8_t *p = s->params;
	const struct linux_range *e = (const void *)(p + LINUX_MAP);

	s->map = (struct memory_map){ .range = s->range, .room = sizeof(s->range) };
	s->rsdp = bytes_le64(p + LINUX_RSDP);
	s->initrd = linux_params_split(p, LINUX_INITRD, LINUX_EXT_INITRD);
	s->initrd_bytes = linux_params_split(p, LINUX_INITRD_BYTES, LINUX_EXT_INITRD_BYTES);
	for (unsigned n = 0; n < p[LINUX_RANGES]; n++)
		if (!add_range(r, &e[n]))
			return false;
	if (!walk_nodes(r, false) || !close_map(r) ||
	    !is_usable(r, what, r->address, bytes, PAGE) ||
	    !read_command(r, linux_params_split(p, LINUX_COMMAND, LINUX_EXT_COMMAND)) ||
	    !is_usable(r, "the initrd", s->initrd, s->initrd_bytes, 0))
		return false;
	s->screen = screen_of(p, &s->map);
	/* Linux, once started again, needs these as they are. */
	arena_open(&s->map);
	arena_keep(s->initrd, s->initrd_bytes, MEMORY_USED);
	arena_keep(linux_params_split(p, LINUX_EFI_MAP, LINUX_EXT_EFI_MAP),
		   bytes_le32(p + LINUX_EFI_MAP_BYTES), MEMORY_USED);
	return walk_nodes(r, true);
}

bool start_info_read_linux(struct start_info_reading *r)
{
	static const char what[] = "boot_params";
	uint8_t *p = r->info->params;

	memset(r->info, 0, sizeof(*r->info));
	return copy(r, what, r->address, p, LINUX_PARAMS_BYTES) &&
	       is_magic(r, what, bytes_le32(p + LINUX_MAGIC), LINUX_MAGIC_VALUE) &&
	       is_count_good(r, p[LINUX_RANGES], RANGES_MAX) &&
	       read_params(r, what, LINUX_PARAMS_BYTES);
}

/* ---- PVH's start info, of which boot_params are made ---- */

static bool read_head(struct start_info_reading *r, const char *what, struct head *h)
{
	if (!copy(r, what, r->address, h, sizeof(*h)) || !is_magic(r, what, h->magic, MAGIC))
		return false;
	if (h->version < VERSION_MAPS)
		return REFUSE(r, "%s has version %u, without a memory map; accepted: %u or later",
			      what, h->version, VERSION_MAPS);
	if (h->modules)
		return REFUSE(r, "it has %u modules; accepted: none", h->modules);
	return is_count_good(r, h->ranges, RANGES_MAX);
}

bool start_info_read(struct start_info_reading *r)
{
	static const char what[] = "the start info", map[] = "the memory map";
	uint8_t *p = r->info->params;
	struct head h;

	memset(r->info, 0, sizeof(*r->info));
	if (!read_head(r, what, &h))
		return false;
	for (uint32_t n = 0; n < h.ranges; n++)
		if (!copy(r, map, h.map + n * PVH_ENTRY,
			  p + LINUX_MAP + n * sizeof(struct linux_range),
			  sizeof(struct linux_range)))
			return false;
	p[LINUX_RANGES] = (uint8_t)h.ranges;
	bytes_put_le64(p + LINUX_RSDP, h.rsdp);
	bytes_put_le32(p + LINUX_COMMAND, (uint32_t)h.command);
	bytes_put_le32(p + LINUX_EXT_COMMAND, (uint32_t)(h.command >> 32));
	return read_params(r, what, sizeof(h)) &&
	       is_usable(r, map, h.map, h.ranges * PVH_ENTRY, PAGE);
}
