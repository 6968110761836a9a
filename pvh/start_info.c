/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and checks the start info. */
#include "start_info.h"

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

/* struct hvm_memmap_table_entry */
struct entry {
	uint64_t address, bytes;
	uint32_t type, reserved;
};

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
			 "%s at 0x%llx cannot be read; accepted: an address below 4 GiB", what,
			 (unsigned long long)address);
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

static struct memory_range range_of(const struct entry *e)
{
	struct memory_range m = { .from = e->address,
				  .end = e->address + e->bytes,
				  .kind = MEMORY_OTHER,
				  .type = UEFI_DEVICE };

	switch (e->type) {
	case TYPE_MEMORY:
		m.kind = MEMORY_FREE;
		m.type = UEFI_FREE;
		m.end &= ~(PAGE - 1);
		/* m.end is a multiple of PAGE: rounding up does not exceed it. */
		m.from = m.from < m.end ? (m.from + PAGE - 1) & ~(PAGE - 1) : m.end;
		break;
	case TYPE_RESERVED:
		/* Below 4 GiB, BIOS tables are in reserved memory. Above, it is address space. */
		if (m.end > GIB4)
			break;
		m.kind = MEMORY_RESERVED;
		m.type = UEFI_RESERVED;
		break;
	case TYPE_ACPI:
		m.kind = MEMORY_USED;
		m.type = UEFI_ACPI;
		break;
	case TYPE_NVS:
		m.kind = MEMORY_USED;
		m.type = UEFI_NVS;
		break;
	case TYPE_UNUSABLE:
		m.type = UEFI_UNUSABLE;
		break;
	default:
		break;
	}
	return m;
}

/*
 * Insert an entry by its address; an empty one is skipped. `type` remains the loader's until
 * set_kinds().
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

static void set_kinds(struct memory_map *map)
{
	for (size_t n = 0; n < map->ranges; n++) {
		const struct memory_range m = map->range[n];
		const struct entry e = { m.from, m.end - m.from, m.type, 0 };

		map->range[n] = range_of(&e);
	}
}

static bool read_map(struct reading *r, const struct head *h)
{
	struct start_info *s = r->info;

	s->map = (struct memory_map){ .range = s->range, .room = sizeof(s->range) };
	if (!h->ranges || h->ranges > START_INFO_RANGES_MAX) {
		text_add(r->problem, "its memory map has %u ranges; accepted: 1 to %u", h->ranges,
			 START_INFO_RANGES_MAX);
		return false;
	}
	if (!is_clear_of_image(r, "the memory map", h->map, h->ranges * sizeof(struct entry)))
		return false;
	for (uint32_t n = 0; n < h->ranges; n++) {
		struct entry e;

		if (!copy(r, "the memory map", h->map + n * sizeof(e), &e, sizeof(e)) ||
		    !add_range(r, &e))
			return false;
	}
	if (!are_disjoint(r))
		return false;
	set_kinds(&s->map);
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

	if (!read_head(&r, address, &h) || !read_map(&r, &h))
		return false;
	s->rsdp = h.rsdp;
	if (!is_usable(&r, "the start info", address, sizeof(h)) ||
	    !is_usable(&r, "the memory map", h.map, h.ranges * sizeof(struct entry)) ||
	    !read_command(&r, h.command) || !check_modules(&r, &h))
		return false;
	leave_out_page_0(&s->map);
	return true;
}
