/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a start info of PVH or, if the highest bit of the first two bytes is set, boot_params of
 * Linux. The other bits of the two are its offset in memory, from INPUT_BASE; the other bytes are
 * the memory there. The program's image is the two pages at IMAGE.
 */
#include "core/lib/bytes.h"
#include "probe/memory_map.h"
#include "pvh/x86_64/start_info.h"
#include "tests/fuzz/input.h"

#define IMAGE     UINT64_C(0x200000)
#define IMAGE_END UINT64_C(0x202000)
#define PAGE      4096u
#define PROBLEM   240
#define LINUX     0x8000u

/* Ranges are sorted, do not overlap, and have the program in memory; free ones are whole pages. */
static void check_map(const struct memory_map *map)
{
	uint64_t last = PAGE;

	insist(map->ranges <= ARENA_PIECES_MAX);
	for (size_t n = 0; n < map->ranges; n++) {
		const struct memory_range *m = &map->range[n];

		if (m->from == m->end)
			continue;
		insist(m->from < m->end && m->from >= last);
		insist(m->kind != MEMORY_FREE || !(m->from % PAGE || m->end % PAGE));
		last = m->end;
	}
	insist(memory_map_usable(map, IMAGE, IMAGE_END) == IMAGE_END - IMAGE);
}

/* A screen is neither in memory nor above 4 GiB. */
static void check_screen(const struct framebuffer *f, const struct memory_map *map)
{
	if (!framebuffer_check(f))
		return;
	insist(f->address + f->bytes <= UINT64_C(1) << 32);
	insist(!memory_map_usable(map, f->address, f->address + f->bytes));
}

FUZZ(2, SIZE_MAX)
{
	static struct start_info info;
	struct acpi_memory memory;
	TEXT_DEFINE(problem, PROBLEM);
	struct start_info_reading r = { &info, &memory, 0, IMAGE, IMAGE_END, &problem };
	uint32_t at;

	at = bytes_le16(data);
	r.address = INPUT_BASE + (at & ~LINUX);
	memory = input_lay(data + 2, bytes - 2, NULL);
	if ((at & LINUX ? start_info_read_linux : start_info_read)(&r)) {
		check_map(&info.map);
		check_screen(&info.screen, &info.map);
		insist(info.command_bytes < START_INFO_COMMAND_MAX);
		insist(!info.command[info.command_bytes] && !problem.len);
	} else {
		insist(problem.len && !problem.overflow);
	}
	input_free();
}
