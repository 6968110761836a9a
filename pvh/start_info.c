/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads PVH's start info and Linux's boot_params, and allocates from their memory map. */
#include "start_info.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

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

/*
 * Common beginning of struct hvm_memmap_table_entry and all of Linux's struct boot_e820_entry,
 * whose types are the same.
 */
struct entry {
	uint64_t address, bytes;
	uint32_t type;
} __attribute__((packed));

#define PVH_ENTRY  24u  /* bytes of an entry in the start info's memory map */
#define RANGES_MAX 128u /* boot_params have room for; more are in nodes of setup_data */

/* Offsets in struct screen_info. Source: Linux, include/uapi/linux/screen_info.h. */
enum {
	SCREEN_KIND = 0x0f,
	SCREEN_WIDTH = 0x12,
	SCREEN_HEIGHT = 0x14,
	SCREEN_DEPTH = 0x16,
	SCREEN_BASE = 0x18,
	SCREEN_LINE = 0x24,    /* bytes from one line to the next */
	SCREEN_COLOURS = 0x26, /* bits and position of red, green, blue and reserved */
	SCREEN_EXT_BASE = 0x3a,
};

#define SCREEN_VESA 0x23
#define SCREEN_EFI  0x70

/* ACPI's address range types (ACPI 6.5, table 15.4), and memory that Linux keeps setup_data in. */
enum { TYPE_MEMORY = 1, TYPE_RESERVED, TYPE_ACPI, TYPE_NVS, TYPE_LINUX = 128 };

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
static uint8_t kind_of(const struct entry *e)
{
	return e->type == TYPE_MEMORY || e->type == TYPE_LINUX ? MEMORY_FREE
	       : e->type == TYPE_ACPI || e->type == TYPE_NVS   ? MEMORY_USED
	       : e->type != TYPE_RESERVED                      ? MEMORY_OTHER
	       : e->address + e->bytes > GIB4                  ? MEMORY_OTHER
							       : MEMORY_RESERVED;
}

/* Insert an entry by its address, without page 0. */
static bool add_range(struct start_info_reading *r, const struct entry *e)
{
	struct memory_map *map = &r->info->map;
	struct memory_range m = { .from = e->address < PAGE ? PAGE : e->address,
				  .end = e->address + e->bytes,
				  .kind = kind_of(e) };
	size_t n = map->ranges;

	if (e->bytes > UINT64_MAX - e->address)
		return REFUSE(r, "its map has a range past the last address: 0x%llx, 0x%llx bytes",
			      (unsigned long long)e->address, (unsigned long long)e->bytes);
	if (m.from >= m.end)
		return true;
	for (; n && map->range[n - 1].from > m.from; n--)
		map->range[n] = map->range[n - 1];
	map->range[n] = m;
	map->ranges++;
	return true;
}

static bool is_count_good(struct start_info_reading *r, uint64_t count, uint32_t most)
{
	return (count && count <= most) ||
	       REFUSE(r, "its memory map has %llu ranges; accepted: 1 to %u",
		      (unsigned long long)count, most);
}

static bool add_ranges_of_node(struct start_info_reading *r, uint64_t at, uint32_t count)
{
	struct entry e;

	if (!is_count_good(r, r->info->map.ranges + (uint64_t)count, START_INFO_RANGES_MAX))
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
			arena_keep(at, sizeof(node) + (uint64_t)node.bytes);
		else if (node.type == LINUX_NODE_RANGES &&
			 !add_ranges_of_node(r, at + sizeof(node),
					     node.bytes / sizeof(struct entry)))
			return false;
	}
	return true;
}

/*
 * Check the complete map. If two ranges overlap, either may be wrong: refuse the map. Join free
 * ranges that touch, also within a page, since the arena takes each piece out of a single range;
 * then leave whole pages of them.
 */
static bool close_map(struct start_info_reading *r)
{
	struct memory_map *map = &r->info->map;
	struct memory_range *last = map->range;
	size_t kept = 0;

	for (size_t n = 1; n < map->ranges; n++) {
		const struct memory_range *next = &map->range[n];

		if (last->end > next->from)
			return REFUSE(r, "its memory map has ranges that overlap at 0x%llx",
				      (unsigned long long)next->from);
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

/* 0, which framebuffer_check() refuses, if a colour does not have 8 bits. */
static uint32_t mask_of(const uint8_t *colour)
{
	return colour[0] == 8 && colour[1] <= 24 ? UINT32_C(0xff) << colour[1] : 0;
}

/* No screen is above 4 GiB, where it would not be mapped, or in memory. */
static struct framebuffer screen_of(const uint8_t *p, const struct memory_map *map)
{
	const uint8_t *colours = p + SCREEN_COLOURS;
	uint32_t line = bytes_le16(p + SCREEN_LINE), height = bytes_le16(p + SCREEN_HEIGHT);
	uint64_t base = linux_params_split(p, SCREEN_BASE, SCREEN_EXT_BASE),
		 bytes = (uint64_t)line * height;

	if ((p[SCREEN_KIND] != SCREEN_VESA && p[SCREEN_KIND] != SCREEN_EFI) ||
	    bytes_le16(p + SCREEN_DEPTH) != 32 || base >= GIB4 || bytes > GIB4 - base ||
	    memory_map_usable(map, base, base + bytes))
		return (struct framebuffer){ 0 };
	return (struct framebuffer){
		.address = base,
		.bytes = bytes,
		.width = bytes_le16(p + SCREEN_WIDTH),
		.height = height,
		.stride = line / 4,
		.mask = { mask_of(colours), mask_of(colours + 2), mask_of(colours + 4),
			  mask_of(colours + 6) },
	};
}

/* Read boot_params, once they are in the info; `what` names the head from which they are made. */
static bool read_params(struct start_info_reading *r, const char *what, uint64_t bytes)
{
	struct start_info *s = r->info;
	const uint8_t *p = s->params;
	const struct entry *e = (const void *)(p + LINUX_MAP);

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
	arena_keep(s->initrd, s->initrd_bytes);
	arena_keep(linux_params_split(p, LINUX_EFI_MAP, LINUX_EXT_EFI_MAP),
		   bytes_le32(p + LINUX_EFI_MAP_BYTES));
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
		if (!copy(r, map, h.map + n * PVH_ENTRY, p + LINUX_MAP + n * sizeof(struct entry),
			  sizeof(struct entry)))
			return false;
	p[LINUX_RANGES] = (uint8_t)h.ranges;
	bytes_put_le64(p + LINUX_RSDP, h.rsdp);
	bytes_put_le32(p + LINUX_COMMAND, (uint32_t)h.command);
	bytes_put_le32(p + LINUX_EXT_COMMAND, (uint32_t)(h.command >> 32));
	return read_params(r, what, sizeof(h)) &&
	       is_usable(r, map, h.map, h.ranges * PVH_ENTRY, PAGE);
}

/* ---- The area below 1 MiB where a BIOS leaves its tables ---- */

#define AREA_END  0x100000u
#define AREA_STEP 16u /* anchors are on multiples of it */

struct form {
	const char *anchor;
	uint32_t from;
	uint8_t bytes; /* covered by the checksum; 0: their number is in the byte at `length` */
	uint8_t length;
};

/* The checksum of ACPI 1.0's RSDP covers 20 bytes. */
static const struct form forms[DOOR_TABLES] = {
	[DOOR_ACPI_2] = { "RSD PTR ", 0xe0000, 20, 0 },
	[DOOR_SMBIOS] = { "_SM_", 0xf0000, 0, 5 },
	[DOOR_SMBIOS_3] = { "_SM3_", 0xf0000, 0, 6 },
};

/* True if the bytes at `a` are all in the area, and add up to 0. */
static bool checksum_is_zero(const struct form *f, uint32_t a)
{
	const uint8_t *b = (const uint8_t *)(uintptr_t)a;
	uint8_t bytes = f->bytes ? f->bytes : b[f->length];

	return bytes > f->length && bytes <= AREA_END - a && bytes_sum(b, bytes) == 0;
}

uint64_t start_info_find(enum door_table table)
{
	const struct form *f = &forms[table];
	size_t bytes = f->anchor ? strlen(f->anchor) : 0;

	for (uint32_t a = f->from; bytes && a < AREA_END; a += AREA_STEP)
		if (!memcmp((const void *)(uintptr_t)a, f->anchor, bytes) && checksum_is_zero(f, a))
			return a;
	return 0;
}

/* ---- The arena ---- */

/* Allocates from the upper end of a free range, so that successive allocations form one range. */
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
