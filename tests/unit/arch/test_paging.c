/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identity map, walked as the processor does (Intel SDM vol. 3, 4.5): memory below the top is
 * at its own address, except page 0; and devices that were reached by the firmware's page tables
 * are reached by ours, and never more than fits.
 */
#include "paging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define PAGE    UINT64_C(4096)
#define GIB     (UINT64_C(1) << 30)
#define MIB     (UINT64_C(1) << 20)
#define TIB     (UINT64_C(1) << 40)
#define NOWHERE UINT64_MAX
#define GUARD   64

#define PRESENT (UINT64_C(1) << 0)
#define WRITE   (UINT64_C(1) << 1)
#define USER    (UINT64_C(1) << 2)
#define NOCACHE (UINT64_C(3) << 3) /* PWT, PCD */
#define DONE    (UINT64_C(1) << 5) /* accessed */
#define DIRTY   (UINT64_C(1) << 6)
#define LARGE   (UINT64_C(1) << 7)
#define ADDRESS UINT64_C(0x000ffffffffff000)

static unsigned levels;
static uint8_t *tables;
static size_t bytes;
static uint64_t root;
static struct paging_devices list;

/* GiBs that are no memory; the others are. */
static uint64_t hole_from, hole_end;

static enum arch_share share(const void *map, uint64_t from, uint64_t end)
{
	assert_ptr_equal(map, &levels);
	assert_int_equal(end - from, GIB);
	assert_true(from >= 4 * GIB);
	return from >= hole_from && from < hole_end ? ARCH_NONE : ARCH_SOME;
}

static void build(uint64_t top)
{
	const struct paging_memory memory = { levels, top, hole_end ? share : NULL, &levels };
	struct paging_spare pages;

	free(tables);
	bytes = paging_bytes(&memory);
	assert_int_equal(bytes % PAGE, 0);
	tables = aligned_alloc(PAGE, bytes + PAGE);
	assert_non_null(tables);
	/* The memory for tables is not zeroed, and memory behind it must not be written. */
	memset(tables, 0xe7, bytes + PAGE);
	pages = (struct paging_spare){ tables, bytes / PAGE };
	root = paging_build(&memory, &pages);
	for (size_t i = 0; i < GUARD; i++)
		assert_int_equal(tables[bytes + i], 0xe7);
}

static uint64_t *slot(uint64_t table, unsigned shift, uint64_t at)
{
	return (uint64_t *)(uintptr_t)(table & ADDRESS) + (at >> shift & 511);
}

/*
 * The entry that maps `virt`, found as the processor does, and log2 of its page's size; 0: there is
 * none. `ours`: all entries are of paging_build(), and are checked.
 */
static uint64_t entry_of(uint64_t virt, unsigned *shift, bool ours)
{
	uint64_t entry = root;

	for (*shift = levels == 5 ? 48 : 39;; *shift -= 9) {
		if (ours)
			assert_in_range(entry & ADDRESS, (uintptr_t)tables,
					(uintptr_t)tables + bytes - PAGE);
		entry = *slot(entry, *shift, virt);
		if (!(entry & PRESENT))
			return 0;
		/* Writable, for the kernel, cached, and already marked as accessed. */
		if (ours) {
			assert_int_equal(entry & (WRITE | USER | NOCACHE | DONE), WRITE | DONE);
			assert_int_equal(entry >> 63, 0);
		}
		if (*shift == 12 || entry & LARGE)
			return entry;
	}
}

/* The physical address of `virt`; NOWHERE: it is not mapped. */
static uint64_t walk(uint64_t virt)
{
	unsigned shift;
	uint64_t entry = entry_of(virt, &shift, true), inside = (UINT64_C(1) << shift) - 1;

	if (!entry)
		return NOWHERE;
	assert_true(shift <= 21);
	assert_true(entry & DIRTY);
	assert_int_equal(entry & ADDRESS & inside & ~(PAGE - 1), 0);
	return (entry & ADDRESS & ~inside) | (virt & inside);
}

/* Each number of levels. False: there are no more. */
static bool next_levels(unsigned k)
{
	free(tables);
	tables = NULL;
	levels = 4 + k;
	list = (struct paging_devices){ .count = 0 };
	return k < 2;
}

static void assert_identity(uint64_t from, uint64_t end, uint64_t step)
{
	for (uint64_t at = from; at < end; at += step)
		if (walk(at) != at)
			fail_msg("0x%llx is at 0x%llx", (unsigned long long)at,
				 (unsigned long long)walk(at));
}

TEST(test_every_page)
{
	for (unsigned k = 0; next_levels(k); k++) {
		build(5 * GIB);
		assert_identity(PAGE, 5 * GIB, PAGE);
		assert_identity(2 * PAGE - 1, 5 * GIB, 7 * PAGE);
	}
}

TEST(test_page_0_is_left_out)
{
	for (unsigned k = 0; next_levels(k); k++) {
		build(GIB);
		assert_int_equal(walk(0), NOWHERE);
		assert_int_equal(walk(8), NOWHERE);
		assert_int_equal(walk(PAGE - 1), NOWHERE);
		assert_int_equal(walk(PAGE), PAGE);
	}
}

/* Tops on both sides of each level's unit, and odd ones. */
TEST(test_tops)
{
	for (unsigned k = 0; next_levels(k); k++) {
		static const uint64_t tops[] = {
			1,         PAGE + 1,   GIB - 1,           GIB,        GIB + 1,
			4 * GIB,   511 * GIB,  512 * GIB - PAGE,  512 * GIB,  512 * GIB + 1,
			513 * GIB, 1024 * GIB, 1024 * GIB + PAGE, 2100 * GIB,
		};

		for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
			uint64_t last = tops[i] - 1;

			build(tops[i]);
			assert_identity(PAGE, tops[i], 97 * GIB + 3 * PAGE);
			if (last >= PAGE)
				assert_int_equal(walk(last), last);
			/* The map ends at the next GiB. */
			assert_int_equal(walk((last / GIB + 1) * GIB), NOWHERE);
		}
	}
}

/* Memory at both ends of what four levels reach: tables are for what there is. */
TEST(test_all_of_48_bits)
{
	const uint64_t top = UINT64_C(1) << 48;

	for (unsigned k = 0; next_levels(k); k++) {
		hole_from = 6 * GIB;
		hole_end = top - 700 * GIB;
		build(top);
		hole_end = 0;
		assert_true(bytes <= (6 + 700 + 512 + 3) * PAGE);
		assert_identity(PAGE, 6 * GIB, 7 * MIB + PAGE);
		assert_identity(top - 700 * GIB, top, 511 * MIB + PAGE);
		assert_int_equal(walk(top - 1), top - 1);
		assert_int_equal(walk(6 * GIB), NOWHERE);
		assert_int_equal(walk(top - 700 * GIB - 1), NOWHERE);
	}
}

/* Tables for devices above all memory. */
#define SPARE 7u

static uint8_t spare_pages[SPARE * 4096] __attribute__((aligned(4096)));
static struct paging_spare spare;

static void fill_spare(size_t pages)
{
	/* Old contents of the pages must not be taken for entries. */
	memset(spare_pages, 0xe7, sizeof(spare_pages));
	spare = (struct paging_spare){ spare_pages, pages };
}

/* The entry of 2 MiB that maps a device; 0: there is none. */
static uint64_t device_entry(uint64_t at)
{
	unsigned shift;
	uint64_t entry = entry_of(at, &shift, false);

	return shift == 21 ? entry : 0;
}

static bool add_device(uint64_t at)
{
	return paging_map_range(levels, root, &spare, at, 1);
}

TEST(test_devices)
{
	for (unsigned k = 0; next_levels(k); k++) {
		static const uint64_t places[] = { UINT64_C(0xe000004000),
						   UINT64_C(0x383ffff00000) };
		size_t left;

		build(4 * GIB);
		fill_spare(SPARE);
		for (size_t i = 0; i < 2; i++) {
			uint64_t at = places[i], page = at & ~UINT64_C(0x1fffff);

			assert_false(paging_maps(levels, root, at));
			assert_true(add_device(at));
			assert_true(paging_maps(levels, root, at));
			assert_true(paging_maps(levels, root, page));
			assert_true(paging_maps(levels, root, page + 0x1fffff));
			assert_false(paging_maps(levels, root, page + 0x200000));
			assert_false(paging_maps(levels, root, page - 1));
			/* At its own address, uncached, and already marked as accessed and dirty.
			 */
			assert_true((device_entry(at) & ADDRESS) == page);
			assert_int_equal(device_entry(at) & 0xfff,
					 PRESENT | WRITE | NOCACHE | DONE | DIRTY | LARGE);
		}
		/* The next 2 MiB use the same tables. */
		left = spare.pages;
		assert_true(add_device(places[0] + 0x200000));
		assert_int_equal(spare.pages, left);
		/* The map of memory is unchanged. */
		assert_identity(PAGE, 4 * GIB, 97 * PAGE);
		assert_int_equal(walk(0), NOWHERE);
	}
}

/* A hole in memory, as AMD's processors have below 1 TiB: only devices are mapped there. */
TEST(test_left_out)
{
	for (unsigned k = 0; next_levels(k); k++) {
		const uint64_t from = UINT64_C(0xfd00000000), end = UINT64_C(0x10000000000);

		hole_from = from;
		hole_end = end;
		build(end + 2 * GIB);
		hole_end = 0;
		fill_spare(SPARE);
		assert_identity(PAGE, from, 13 * GIB + PAGE);
		assert_identity(end, end + 2 * GIB, 9 * PAGE);
		assert_int_equal(walk(from - 1), from - 1);
		for (uint64_t at = from; at < end; at += GIB / 8 + PAGE)
			assert_int_equal(walk(at), NOWHERE);
		assert_true(add_device(from + 5 * GIB));
		assert_int_equal(device_entry(from + 5 * GIB) & NOCACHE, NOCACHE);
		assert_int_equal(walk(from + 6 * GIB), NOWHERE);
	}
}

TEST(test_what_is_mapped_stays)
{
	for (unsigned k = 0; next_levels(k); k++) {
		build(5 * GIB);
		fill_spare(SPARE);
		assert_false(paging_maps(levels, root, 0));
		assert_false(paging_maps(levels, root, PAGE - 1));
		for (uint64_t at = PAGE; at < 5 * GIB; at += 33 * PAGE + 7) {
			assert_true(paging_maps(levels, root, at));
			assert_true(add_device(at));
		}
		assert_identity(PAGE, 5 * GIB, 33 * PAGE + 7);
		assert_true(add_device(0));
		assert_int_equal(walk(0), NOWHERE);
		assert_false(paging_maps(levels, root, 5 * GIB));
		assert_int_equal(spare.pages, SPARE);
	}
}

/* Tables of firmware may map other memory at an address. */
TEST(test_mapped_elsewhere)
{
	levels = 4;
	build(GIB);
	*slot(*slot(*slot(root, 39, 0), 30, 0), 21, 0x600000) += 0x200000;
	assert_true(paging_maps(levels, root, 0x400000));
	assert_false(paging_maps(levels, root, 0x600000));
	*slot(*slot(*slot(*slot(root, 39, 0), 30, 0), 21, 0), 12, 0x5000) += PAGE;
	assert_false(paging_maps(levels, root, 0x5000));
	assert_true(paging_maps(levels, root, 0x6000));
	free(tables);
	tables = NULL;
}

TEST(test_bounds)
{
	for (unsigned k = 0; next_levels(k); k++) {
		uint64_t end = UINT64_C(1) << (levels == 5 ? 52 : 47);

		build(GIB);
		/* A device in another 512 GiB needs two tables. */
		for (size_t pages = 0; pages < 2; pages++) {
			fill_spare(pages);
			assert_false(add_device(600 * GIB));
			assert_false(paging_maps(levels, root, 600 * GIB));
		}
		fill_spare(SPARE);
		assert_true(add_device(end - 1));
		assert_true(paging_maps(levels, root, end - 1));
		assert_false(add_device(end));
		assert_false(paging_maps(levels, root, end));
		assert_false(add_device(UINT64_MAX));
		assert_false(paging_maps(levels, root, UINT64_MAX));
	}
}

TEST(test_page_0_comes_and_goes)
{
	for (unsigned k = 0; next_levels(k); k++) {
		build(4 * GIB);
		assert_int_equal(walk(0), NOWHERE);
		paging_map_page_0(levels, root, true);
		assert_int_equal(walk(0x472), 0x472);
		assert_int_equal(walk(PAGE), PAGE);
		paging_map_page_0(levels, root, false);
		assert_int_equal(walk(0x472), NOWHERE);
		assert_int_equal(walk(PAGE), PAGE);
	}
}

/* ---- Devices that are kept ---- */

#define KEPT 96u /* pages: three for each of 32 regions */

/* Our tables, with 4 GiB of memory and all that is listed. */
static void take_over(void)
{
	static uint8_t pages[KEPT * 4096] __attribute__((aligned(4096)));
	struct paging_spare kept = { pages, KEPT };

	build(4 * GIB);
	paging_map_devices(&list, levels, root, &kept);
}

static bool add(uint64_t address, uint64_t length)
{
	return paging_keep_device(&list, levels, KEPT, address, length);
}

static void assert_mapped(uint64_t from, uint64_t length)
{
	for (uint64_t at = from; at < from + length; at += MIB)
		assert_true(paging_maps(levels, root, at));
	assert_true(paging_maps(levels, root, from + length - 1));
}

/* Machines with many sockets: 256 buses each, from 0xfff00000000 on. */
TEST(test_many_segments)
{
	for (unsigned k = 0; next_levels(k); k++) {
		const uint64_t from = UINT64_C(0xfff00000000);

		for (unsigned n = 0; n < 32; n++)
			assert_true(add(from + n * 256 * MIB, 256 * MIB));
		take_over();
		assert_mapped(from, 32 * 256 * MIB);
		assert_false(paging_maps(levels, root, from - 1));
		assert_false(paging_maps(levels, root, from + 32 * 256 * MIB));
	}
}

/* A page or two of registers each, across the borders of all levels. */
TEST(test_borders)
{
	for (unsigned k = 0; next_levels(k); k++) {
		static const uint64_t borders[] = { 4 * GIB, 34 * GIB + 2 * MIB, 35 * GIB, TIB,
						    100 * TIB };

		for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
			assert_true(add(borders[i] - 8, 16));
		take_over();
		for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++) {
			assert_true(paging_maps(levels, root, borders[i] - 8));
			assert_true(paging_maps(levels, root, borders[i] + 7));
		}
		assert_false(paging_maps(levels, root, 36 * GIB));
	}
}

TEST(test_what_needs_no_room)
{
	for (unsigned k = 0; next_levels(k); k++) {
		for (unsigned n = 0; n < 2 * PAGING_DEVICES_MAX; n++) {
			assert_true(add(n * MIB + PAGE, PAGE));
			assert_true(add(4 * GIB - PAGE, PAGE));
			assert_true(add(40 * GIB + PAGE, 256 * MIB));
			assert_true(add(40 * GIB + n * MIB, MIB));
		}
		assert_int_equal(list.count, 1);
	}
}

TEST(test_a_full_list)
{
	for (unsigned k = 0; next_levels(k); k++) {
		unsigned n = 0;

		while (n <= KEPT && add(TIB * (n + 1), PAGE))
			n++;
		assert_true(n >= 32 && n <= PAGING_DEVICES_MAX);
		/* The rejected range is neither listed nor counted. */
		assert_false(add(TIB * (n + 1), PAGE));
		assert_true(add(TIB * n, PAGE));
		take_over();
		assert_false(paging_maps(levels, root, TIB * (n + 1)));
		for (unsigned i = 1; i <= n; i++)
			assert_true(paging_maps(levels, root, TIB * i));
	}
}

TEST(test_ranges_that_take_too_many_tables)
{
	for (unsigned k = 0; next_levels(k); k++) {
		assert_false(add(4 * GIB, 200 * GIB));
		assert_false(add(4 * GIB, UINT64_C(1) << 46));
		assert_true(add(4 * GIB, 32 * GIB));
		assert_false(add(TIB, 80 * GIB)); /* together with the tables of the one before */
		take_over();
		assert_mapped(4 * GIB, 32 * GIB);
	}
}
