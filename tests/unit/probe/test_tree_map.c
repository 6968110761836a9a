/* SPDX-License-Identifier: BSD-2-Clause */
/* A memory map made of a device tree, as a loader passes it, and as none should. */
#include "probe/tree_map.h"

#include "tests/unit/common/test.h"
#include "tests/unit/made_tree.h"
#include "tests/unit/physical.h"

#include <string.h>

#define MIB   UINT64_C(0x100000)
#define IMAGE (UINT64_C(0x40000000) + 2 * MIB)
#define TOP   (UINT64_C(1) << 39)

static struct physical memory;
static struct tree_map map;
static struct text problem;
static char problem_room[200];

static void reg(uint64_t address, uint64_t size)
{
	CELLS("reg", (uint32_t)(address >> 32), (uint32_t)address, (uint32_t)(size >> 32),
	      (uint32_t)size);
}

static void add_memory(uint64_t address, uint64_t size)
{
	begin("memory");
	text("device_type", "memory");
	reg(address, size);
	leave();
}

static void setup(void)
{
	physical_reset(&memory);
	memset(&map, 0, sizeof(map));
	text_init(&problem, problem_room, sizeof(problem_room));
	begin_tree();
	CELLS("#address-cells", 2);
	CELLS("#size-cells", 2);
}

static void teardown(void)
{
	physical_reset(&memory);
}

static void reserve(uint64_t address, uint64_t size)
{
	put32(RESERVED + reserved, (uint32_t)(address >> 32));
	put32(RESERVED + reserved + 4, (uint32_t)address);
	put32(RESERVED + reserved + 8, (uint32_t)(size >> 32));
	put32(RESERVED + reserved + 12, (uint32_t)size);
	reserved += 16;
}

static bool read_map(void)
{
	struct acpi_memory m = physical_memory(&memory);

	close_tree();
	map.tree = physical_alloc(&memory, TOTAL);
	memcpy(physical_at(&memory, map.tree), tree, TOTAL);
	map.image = IMAGE;
	map.image_end = IMAGE + MIB;
	map.top = TOP;
	map.problem = &problem;
	return tree_map_read(&map, &m);
}

static void assert_refused(const char *why)
{
	assert_false(read_map());
	if (!strstr(problem.buf, why))
		fail_msg("\"%s\" is not in \"%s\"", why, problem.buf);
	assert_int_equal(map.map.ranges, 0);
}

static uint64_t free_in(uint64_t from, uint64_t end)
{
	return memory_map_free_in(&map.map, from, end);
}

TEST_F(setup, teardown, test_memory_and_what_is_kept)
{
	add_memory(0x40000000, 256 * MIB);
	add_memory(0x80000000, 256 * MIB);
	reserve(0x48000000, MIB);
	begin("reserved-memory");
	CELLS("#address-cells", 2);
	CELLS("#size-cells", 2);
	begin("secure@4a000000");
	reg(0x4a000000, MIB);
	prop("no-map", "", 0);
	leave();
	begin("log");
	reg(0x4c000000, 4096);
	leave();
	begin("pool"); /* its place is its user's choice */
	CELLS("size", 4096);
	leave();
	leave();
	begin("chosen");
	text("bootargs", "duration=1s");
	CELLS("linux,initrd-start", 0x44000000);
	CELLS("linux,initrd-end", 0x44000000 + 4097);
	leave();
	assert_true(read_map());
	assert_string_equal(map.boot.command, "duration=1s");
	assert_int_equal(map.boot.initrd_bytes, 4097);
	assert_int_equal(memory_map_free(&map.map), 508 * MIB - 3 * 4096);
	assert_int_equal(free_in(IMAGE, IMAGE + MIB), 0);
	assert_int_equal(free_in(0x44000000, 0x44002000), 0);
	assert_int_equal(free_in(0x48000000, 0x48000000 + MIB), 0);
	assert_int_equal(memory_map_usable(&map.map, 0x48000000, 0x48000000 + MIB), MIB);
	/* This may not even be mapped, and so no part of its block is. */
	assert_int_equal(memory_map_share(&map.map, 0x4a000000, 0x4a000000 + 2 * MIB), ARCH_NONE);
	assert_int_equal(free_in(0x4c000000, 0x4c002000), 4096);
}

TEST_F(setup, teardown, test_no_memory)
{
	begin("memory");
	text("device_type", "memory");
	text("status", "disabled");
	reg(0x40000000, 256 * MIB);
	leave();
	assert_refused("its device tree has no memory at 0x40200000-0x40300000, where the probe");
}

TEST_F(setup, teardown, test_memory_of_nonsense)
{
	add_memory(0x40000000, 256 * MIB);
	add_memory(0x48000000, UINT64_MAX); /* up to the top */
	assert_refused("ranges of memory that overlap at 0x48000000");
	setup();
	add_memory(0x40000000, 256 * MIB);
	add_memory(TOP - MIB, 4 * MIB);
	add_memory(TOP + 8 * MIB, UINT64_MAX);
	assert_true(read_map());
	assert_int_equal(memory_map_free(&map.map), 256 * MIB);
	setup();
	for (unsigned n = 0; n < 257; n++)
		add_memory(n * MIB, MIB);
	assert_refused("its device tree has more than 256 ranges of memory");
}

TEST_F(setup, teardown, test_reserved_without_end)
{
	add_memory(0x40000000, 256 * MIB);
	for (unsigned n = 0; n < 120; n++)
		reserve(0x41000000 + 2 * n * 4096, 4096);
	assert_refused("its device tree reserves more than 100 ranges");
	setup();
	add_memory(0x40000000, 256 * MIB);
	reserve(0, UINT64_MAX);
	assert_true(read_map());
	assert_int_equal(memory_map_free(&map.map), 0);
}

TEST_F(setup, teardown, test_a_tree_that_is_none)
{
	struct acpi_memory m = physical_memory(&memory);

	map.problem = &problem;
	map.tree = 0x1000;
	assert_false(tree_map_read(&map, &m));
	assert_string_equal(problem.buf, "device tree at 0x1000 is not in memory; not used");
	assert_int_equal(map.map.ranges, 0);
}
