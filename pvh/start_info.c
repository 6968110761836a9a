/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and checks PVH's start info and Linux's boot_params. */
#include "start_info.h"

#include "core/firmware/linux_boot.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define PAGE UINT64_C(4096)
#define GIB4 (UINT64_C(1) << 32)

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

/* struct hvm_modlist_entry */
struct module {
	uint64_t address, bytes, command, reserved;
};

/*
 * What struct hvm_memmap_table_entry begins with, and all of Linux's struct boot_e820_entry, whose
 * types are the same.
 */
struct entry {
	uint64_t address, bytes;
	uint32_t type;
} __attribute__((packed));

#define PVH_ENTRY 24u /* bytes of an entry in the start info's memory map */

#define PARAMS_RANGES_MAX 128u /* more are in nodes of setup_data */

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

/* Entry types; ACPI's address range types. Source: ACPI 6.5, table 15.4. */
enum { TYPE_MEMORY = 1, TYPE_RESERVED, TYPE_ACPI, TYPE_NVS, TYPE_UNUSABLE };

/* UEFI's memory types, which mode=survey reports. Source: UEFI 2.10, 7.2. */
enum { UEFI_RESERVED = 0, UEFI_FREE = 7, UEFI_UNUSABLE, UEFI_ACPI, UEFI_NVS, UEFI_DEVICE };

struct reading {
	struct start_info *info;
	const struct acpi_memory *memory;
	uint64_t image, image_end;
	struct text *problem;
};

/* Copy `bytes` bytes from a physical address. False: they are not mapped; *problem names `what`. */
static bool copy(struct reading *r, const char *what, uint64_t address, void *to, size_t bytes)
{
	const void *from = NULL;

	if (address && address + bytes > address)
		from = r->memory->map(r->memory->ctx, address, bytes);
	if (!from) {
		text_add(r->problem,
			 "%s at 0x%llx cannot be read; accepted: an address below %u GiB", what,
			 (unsigned long long)address, (unsigned)(START_INFO_TOP >> 30));
		return false;
	}
	memcpy(to, from, bytes);
	return true;
}

/* True if [address, address + bytes) does not overlap the probe's image. */
static bool is_clear_of_image(struct reading *r, const char *what, uint64_t address, uint64_t bytes)
{
	if (!bytes || address >= r->image_end || address + bytes <= r->image)
		return true;
	text_add(r->problem, "%s at 0x%llx-0x%llx is over the probe at 0x%llx-0x%llx", what,
		 (unsigned long long)address, (unsigned long long)(address + bytes),
		 (unsigned long long)r->image, (unsigned long long)r->image_end);
	return false;
}

/* True if the loader's data lies in memory, by its map, and does not overlap the probe's image. */
static bool is_usable(struct reading *r, const char *what, uint64_t address, uint64_t bytes)
{
	if (!is_clear_of_image(r, what, address, bytes))
		return false;
	if (memory_map_covers(&r->info->map, address, bytes))
		return true;
	text_add(r->problem, "%s at 0x%llx, of %llu bytes, is not in memory, by the memory map",
		 what, (unsigned long long)address, (unsigned long long)bytes);
	return false;
}

static bool read_head(struct reading *r, uint64_t address, struct head *h)
{
	if (!is_clear_of_image(r, "the start info", address, sizeof(*h)) ||
	    !copy(r, "the start info", address, h, sizeof(*h)))
		return false;
	if (h->magic != MAGIC) {
		text_add(r->problem, "the start info at 0x%llx begins with 0x%x; accepted: 0x%x",
			 (unsigned long long)address, h->magic, MAGIC);
		return false;
	}
	if (h->version < VERSION_MAPS) {
		text_add(r->problem,
			 "the start info has version %u, without a memory map; accepted: %u or "
			 "later",
			 h->version, VERSION_MAPS);
		return false;
	}
	return true;
}

static void set_kind(struct memory_range *m)
{
	static const struct {
		uint8_t kind, type;
	} kinds[] = {
		[0] = { MEMORY_OTHER, UEFI_DEVICE },
		[TYPE_MEMORY] = { MEMORY_FREE, UEFI_FREE },
		[TYPE_RESERVED] = { MEMORY_RESERVED, UEFI_RESERVED },
		[TYPE_ACPI] = { MEMORY_USED, UEFI_ACPI },
		[TYPE_NVS] = { MEMORY_USED, UEFI_NVS },
		[TYPE_UNUSABLE] = { MEMORY_OTHER, UEFI_UNUSABLE },
	};
	uint32_t type = m->type <= TYPE_UNUSABLE ? m->type : 0;

	/* Below 4 GiB, BIOS tables are in reserved memory. Above, it is address space. */
	if (type == TYPE_RESERVED && m->end > GIB4)
		type = 0;
	m->kind = kinds[type].kind;
	m->type = kinds[type].type;
	if (m->kind != MEMORY_FREE)
		return;
	m->end &= ~(PAGE - 1);
	/* m->end is a multiple of PAGE: rounding up does not exceed it. */
	m->from = m->from < m->end ? (m->from + PAGE - 1) & ~(PAGE - 1) : m->end;
}

/*
 * Insert an entry by its address; an empty one is skipped. `type` remains the loader's until
 * set_kind().
 */
static bool add_range(struct reading *r, const struct entry *e)
{
	struct memory_map *map = &r->info->map;
	size_t n = map->ranges;

	if (e->bytes > UINT64_MAX - e->address) {
		text_add(r->problem,
			 "its memory map has a range at 0x%llx, of 0x%llx bytes, that ends past "
			 "the last address",
			 (unsigned long long)e->address, (unsigned long long)e->bytes);
		return false;
	}
	if (!e->bytes)
		return true;
	for (; n && map->range[n - 1].from > e->address; n--)
		map->range[n] = map->range[n - 1];
	map->range[n] = (struct memory_range){ .from = e->address,
					       .end = e->address + e->bytes,
					       .type = e->type };
	map->ranges++;
	return true;
}

/* Ranges may touch. If two overlap, either may be wrong: the map is refused. */
static bool are_disjoint(struct reading *r)
{
	const struct memory_map *map = &r->info->map;

	for (size_t n = 1; n < map->ranges; n++) {
		const struct memory_range *a = &map->range[n - 1], *b = &map->range[n];

		if (a->end <= b->from)
			continue;
		text_add(r->problem,
			 "its memory map has ranges that overlap, 0x%llx-0x%llx and 0x%llx-0x%llx",
			 (unsigned long long)a->from, (unsigned long long)a->end,
			 (unsigned long long)b->from, (unsigned long long)b->end);
		return false;
	}
	return true;
}

static void open_map(struct start_info *s)
{
	s->map = (struct memory_map){ .range = s->range, .room = sizeof(s->range) };
	s->screen = (struct framebuffer){ 0 };
	s->initrd_bytes = 0;
	s->kept = 0;
}

/* Add `count` entries that are `step` bytes apart. */
static bool add_ranges(struct reading *r, uint64_t at, uint32_t count, size_t step)
{
	if (!is_clear_of_image(r, "the memory map", at, count * (uint64_t)step))
		return false;
	for (uint32_t n = 0; n < count; n++) {
		struct entry e;

		if (!copy(r, "the memory map", at + n * step, &e, sizeof(e)) || !add_range(r, &e))
			return false;
	}
	return true;
}

static bool is_count_good(struct reading *r, uint64_t count, uint32_t most)
{
	if (count && count <= most)
		return true;
	text_add(r->problem, "its memory map has %llu ranges; accepted: 1 to %u",
		 (unsigned long long)count, most);
	return false;
}

/* All ranges are there: check them, and set their kinds. */
static bool close_map(struct reading *r)
{
	struct start_info *s = r->info;

	if (!are_disjoint(r))
		return false;
	for (size_t n = 0; n < s->map.ranges; n++)
		set_kind(&s->range[n]);
	if (memory_map_free_in(&s->map, r->image, r->image_end) == r->image_end - r->image)
		return true;
	text_add(r->problem,
		 "its memory map does not have memory at 0x%llx-0x%llx, where the probe is",
		 (unsigned long long)r->image, (unsigned long long)r->image_end);
	return false;
}

static bool read_command(struct reading *r, uint64_t address)
{
	struct start_info *s = r->info;

	s->command_bytes = 0;
	s->command[0] = '\0';
	if (!address)
		return true;
	for (size_t n = 0; n < sizeof(s->command); n++) {
		if (!is_usable(r, "the command line", address + n, 1) ||
		    !copy(r, "the command line", address + n, &s->command[n], 1))
			return false;
		if (!s->command[n]) {
			s->command_bytes = n;
			return true;
		}
	}
	text_add(r->problem, "the command line at 0x%llx is too long; accepted: at most %u bytes",
		 (unsigned long long)address, START_INFO_COMMAND_MAX - 1);
	return false;
}

static bool check_modules(struct reading *r, const struct head *h)
{
	struct module m;

	r->info->modules = h->modules;
	if (h->modules > START_INFO_MODULES_MAX) {
		text_add(r->problem, "it has %u modules; accepted: at most %u", h->modules,
			 START_INFO_MODULES_MAX);
		return false;
	}
	for (uint32_t n = 0; n < h->modules; n++) {
		uint64_t at = h->module_list + n * sizeof(m);

		if (!is_usable(r, "the list of modules", at, sizeof(m)) ||
		    !copy(r, "the list of modules", at, &m, sizeof(m)) ||
		    !is_usable(r, "a module", m.address, m.bytes))
			return false;
	}
	return true;
}

/*
 * QEMU's option ROM leaves the start info's memory map in page 0, so that it is read as memory;
 * afterwards page 0 is not mapped.
 */
static void leave_out_page_0(struct memory_map *map)
{
	for (size_t n = 0; n < map->ranges; n++) {
		struct memory_range *m = &map->range[n];

		m->from = m->from < PAGE ? PAGE : m->from;
		m->end = m->end < m->from ? m->from : m->end;
	}
}

bool start_info_read(struct start_info *s, const struct acpi_memory *memory, uint64_t address,
		     uint64_t image, uint64_t image_end, struct text *problem)
{
	struct reading r = { s, memory, image, image_end, problem };
	struct head h;

	open_map(s);
	if (!read_head(&r, address, &h) || !is_count_good(&r, h.ranges, START_INFO_RANGES_MAX) ||
	    !add_ranges(&r, h.map, h.ranges, PVH_ENTRY) || !close_map(&r))
		return false;
	s->rsdp = h.rsdp;
	if (!is_usable(&r, "the start info", address, sizeof(h)) ||
	    !is_usable(&r, "the memory map", h.map, h.ranges * PVH_ENTRY) ||
	    !read_command(&r, h.command) || !check_modules(&r, &h))
		return false;
	leave_out_page_0(&s->map);
	return true;
}

/* ---- Linux's boot_params ---- */

static bool read_params(struct reading *r, uint64_t address, uint8_t *params)
{
	if (!is_clear_of_image(r, "boot_params", address, LINUX_PARAMS_BYTES) ||
	    !copy(r, "boot_params", address, params, LINUX_PARAMS_BYTES))
		return false;
	if (bytes_le32(params + LINUX_MAGIC) == LINUX_MAGIC_VALUE)
		return true;
	text_add(r->problem,
		 "boot_params at 0x%llx has 0x%x where its header begins; accepted: 0x%x",
		 (unsigned long long)address, bytes_le32(params + LINUX_MAGIC), LINUX_MAGIC_VALUE);
	return false;
}

static void keep(struct start_info *s, uint64_t address, uint64_t bytes)
{
	s->keep[s->kept++] = (struct start_info_kept){ address, bytes };
}

/* Walk the nodes of setup_data, and add the ranges for which boot_params has no room. */
static bool add_more_ranges(struct reading *r, uint64_t at)
{
	struct linux_node node;

	for (unsigned n = 0; at; n++, at = node.next) {
		if (n == START_INFO_NODES_MAX) {
			text_add(r->problem, "setup_data has more than %u nodes",
				 START_INFO_NODES_MAX);
			return false;
		}
		if (!is_clear_of_image(r, "setup_data", at, sizeof(node)) ||
		    !copy(r, "setup_data", at, &node, sizeof(node)))
			return false;
		keep(r->info, at, sizeof(node) + (uint64_t)node.bytes);
		if (node.type != LINUX_NODE_RANGES)
			continue;

		uint32_t count = node.bytes / sizeof(struct entry);

		if (!is_count_good(r, r->info->map.ranges + (uint64_t)count,
				   START_INFO_RANGES_MAX) ||
		    !add_ranges(r, at + sizeof(node), count, sizeof(struct entry)))
			return false;
	}
	return true;
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

bool start_info_read_linux(struct start_info *s, const struct acpi_memory *memory, uint64_t address,
			   uint64_t image, uint64_t image_end, struct text *problem)
{
	struct reading r = { s, memory, image, image_end, problem };
	const uint8_t *p = s->params;

	open_map(s);
	if (!read_params(&r, address, s->params) ||
	    !is_count_good(&r, p[LINUX_RANGES], PARAMS_RANGES_MAX) ||
	    !add_ranges(&r, address + LINUX_MAP, p[LINUX_RANGES], sizeof(struct entry)) ||
	    !add_more_ranges(&r, bytes_le64(p + LINUX_SETUP_DATA)) || !close_map(&r))
		return false;
	s->rsdp = bytes_le64(p + LINUX_RSDP);
	s->screen = screen_of(p, &s->map);
	s->initrd = linux_params_split(p, LINUX_INITRD, LINUX_EXT_INITRD);
	s->initrd_bytes = linux_params_split(p, LINUX_INITRD_BYTES, LINUX_EXT_INITRD_BYTES);
	s->modules = s->initrd_bytes != 0;
	if (!is_usable(&r, "boot_params", address, LINUX_PARAMS_BYTES) ||
	    !read_command(&r, linux_params_split(p, LINUX_COMMAND, LINUX_EXT_COMMAND)) ||
	    !is_usable(&r, "the initrd", s->initrd, s->initrd_bytes))
		return false;
	keep(s, s->initrd, s->initrd_bytes);
	keep(s, linux_params_split(p, LINUX_EFI_MAP, LINUX_EXT_EFI_MAP),
	     bytes_le32(p + LINUX_EFI_MAP_BYTES));
	leave_out_page_0(&s->map);
	return true;
}
