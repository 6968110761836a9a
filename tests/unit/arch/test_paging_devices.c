/* SPDX-License-Identifier: BSD-2-Clause */
/* What was reached by the firmware's page tables is reached by ours, and never more than fits. */
#include "paging.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define PAGE  UINT64_C(4096)
#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)
#define TIB   (UINT64_C(1) << 40)
#define SPARE 96u /* three for each of 32 regions */

static struct paging_kind kind;
static struct paging_devices list;
static uint8_t *tables;
static uint8_t spare_pages[SPARE * 4096] __attribute__((aligned(4096)));

/* Ours, with 4 GiB of memory, and all that is listed; the root. */
static uint64_t take_over(void)
{
	struct paging_spare spare = { spare_pages, SPARE };
	uint64_t root;

	tables = aligned_alloc(PAGE, paging_bytes(kind, 4 * GIB));
	assert_non_null(tables);
	root = paging_build(&(struct paging_memory){ .kind = kind, .top = 4 * GIB }, tables);
	paging_map_devices(&list, kind, root, &spare);
	return root;
}

static void each_kind(void (*check)(void))
{
	for (unsigned k = 0; k < 4; k++) {
		kind = (struct paging_kind){ .five_levels = k & 1, .large_1g = k >> 1 };
		list = (struct paging_devices){ .count = 0 };
		check();
		free(tables);
		tables = NULL;
	}
}

static bool add(uint64_t address, uint64_t bytes)
{
	return paging_keep_device(&list, kind, SPARE, address, bytes);
}

static void assert_mapped(uint64_t root, uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from; at < from + bytes; at += MIB)
		assert_true(paging_maps(kind, root, at));
	assert_true(paging_maps(kind, root, from + bytes - 1));
}

/* As on machines of many sockets: 256 buses each, from 0xfff00000000 on. */
static void check_many_segments(void)
{
	const uint64_t from = UINT64_C(0xfff00000000);
	uint64_t root;

	for (unsigned n = 0; n < 32; n++)
		assert_true(add(from + n * 256 * MIB, 256 * MIB));
	root = take_over();
	assert_mapped(root, from, 32 * 256 * MIB);
	assert_false(paging_maps(kind, root, from - 1));
	assert_false(paging_maps(kind, root, from + 32 * 256 * MIB));
}

TEST(test_many_segments)
{
	each_kind(check_many_segments);
}

/* A page or two of registers each, across the borders of all levels. */
static void check_borders(void)
{
	static const uint64_t borders[] = { 4 * GIB, 34 * GIB + 2 * MIB, 35 * GIB, TIB, 100 * TIB };
	uint64_t root;

	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
		assert_true(add(borders[i] - 8, 16));
	root = take_over();
	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++) {
		assert_true(paging_maps(kind, root, borders[i] - 8));
		assert_true(paging_maps(kind, root, borders[i] + 7));
	}
	assert_false(paging_maps(kind, root, 36 * GIB));
}

TEST(test_borders)
{
	each_kind(check_borders);
}

static void check_no_room_is_needed(void)
{
	for (unsigned n = 0; n < 2 * PAGING_DEVICES_MAX; n++) {
		assert_true(add(n * MIB + PAGE, PAGE));
		assert_true(add(4 * GIB - PAGE, PAGE));
		assert_true(add(40 * GIB + PAGE, 256 * MIB));
		assert_true(add(40 * GIB + n * MIB, MIB));
	}
	assert_int_equal(list.count, 1);
}

TEST(test_what_needs_no_room)
{
	each_kind(check_no_room_is_needed);
}

static void check_full(void)
{
	unsigned n = 0;
	uint64_t root;

	while (n <= SPARE && add(TIB * (n + 1), PAGE))
		n++;
	assert_true(n >= 32 && n <= PAGING_DEVICES_MAX);
	/* Neither listed nor counted. */
	assert_false(add(TIB * (n + 1), PAGE));
	assert_true(add(TIB * n, PAGE));
	root = take_over();
	assert_false(paging_maps(kind, root, TIB * (n + 1)));
	for (unsigned i = 1; i <= n; i++)
		assert_true(paging_maps(kind, root, TIB * i));
}

TEST(test_a_full_list)
{
	each_kind(check_full);
}

static void check_too_long(void)
{
	assert_false(add(4 * GIB, 200 * GIB));
	assert_false(add(4 * GIB, UINT64_C(1) << 46));
	assert_true(add(4 * GIB, 32 * GIB));
	assert_mapped(take_over(), 4 * GIB, 32 * GIB);
}

TEST(test_ranges_that_take_too_many_tables)
{
	each_kind(check_too_long);
}
