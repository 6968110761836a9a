/* SPDX-License-Identifier: BSD-2-Clause */
/* A memory map made of a device tree, as a loader passes it, and as none should. */
#include "probe/tree_map.h"

#include "core/lib/bytes.h"
#include "tests/unit/common/test.h"
#include "tests/unit/physical.h"

#include <string.h>

#define MIB   UINT64_C(0x100000)
#define IMAGE (UINT64_C(0x40000000) + 2 * MIB)
#define TOP   (UINT64_C(1) << 39)

#define TREE_MAX 0x10000
#define STRUCTS  0x1000
#define STRINGS  0x8000

static struct physical memory;
static struct tree_map map;
static struct text problem;
static char problem_room[200];
static uint8_t tree[TREE_MAX];
static uint32_t structs, strings, reserved;

static void put32(uint32_t at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		tree[at + i] = (uint8_t)(value >> (24 - 8 * i));
}

static void token(uint32_t value)
{
	put32(STRUCTS + structs, value);
	structs += 4;
}

static void enter(const char *name)
{
	token(1);
	strcpy((char *)tree + STRUCTS + structs, name);
	structs += ((uint32_t)strlen(name) + 4) & ~3u;
}

static void leave(void)
{
	token(2);
}

static void property(const char *name, const void *value, uint32_t bytes)
{
	token(3);
	token(bytes);
	token(strings);
	strcpy((char *)tree + STRINGS + strings, name);
	strings += (uint32_t)strlen(name) + 1;
	memcpy(tree + STRUCTS + structs, value, bytes);
	structs += (bytes + 3) & ~3u;
}

static void text(const char *name, const char *value)
{
	property(name, value, (uint32_t)strlen(value) + 1);
}

static void number(const char *name, uint32_t value)
{
	const uint8_t bytes[] = { value >> 24, value >> 16, value >> 8, value };

	property(name, bytes, 4);
}

static void reg(uint64_t address, uint64_t size)
{
	uint8_t bytes[16];

	for (unsigned i = 0; i < 8; i++) {
		bytes[i] = (uint8_t)(address >> (56 - 8 * i));
		bytes[8 + i] = (uint8_t)(size >> (56 - 8 * i));
	}
	property("reg", bytes, 16);
}

static void add_memory(uint64_t address, uint64_t size)
{
	enter("memory");
	text("device_type", "memory");
	reg(address, size);
	leave();
}

static int setup(void **state)
{
	(void)state;
	physical_reset(&memory);
	memset(&map, 0, sizeof(map));
	memset(tree, 0, sizeof(tree));
	text_init(&problem, problem_room, sizeof(problem_room));
	structs = strings = reserved = 0;
	enter("");
	number("#address-cells", 2);
	number("#size-cells", 2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	physical_reset(&memory);
	return 0;
}

static void reserve(uint64_t address, uint64_t size)
{
	put32(0x28 + reserved, (uint32_t)(address >> 32));
	put32(0x2c + reserved, (uint32_t)address);
	put32(0x30 + reserved, (uint32_t)(size >> 32));
	put32(0x34 + reserved, (uint32_t)size);
	reserved += 16;
}

static bool read_map(void)
{
	const uint32_t head[] = { 0xd00dfeed, TREE_MAX, STRUCTS, STRINGS, 0x28, 17, 16, 0 };
	struct acpi_memory m = physical_memory(&memory);

	leave();
	token(9);
	for (unsigned i = 0; i < 8; i++)
		put32(4 * i, head[i]);
	put32(32, strings);
	put32(36, structs);
	map.tree = physical_alloc(&memory, TREE_MAX);
	memcpy(physical_at(&memory, map.tree), tree, TREE_MAX);
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
	enter("reserved-memory");
	number("#address-cells", 2);
	number("#size-cells", 2);
	enter("secure@4a000000");
	reg(0x4a000000, MIB);
	property("no-map", "", 0);
	leave();
	enter("log");
	reg(0x4c000000, 4096);
	leave();
	enter("pool"); /* its place is its user's choice */
	number("size", 4096);
	leave();
	leave();
	enter("chosen");
	text("bootargs", "duration=1s");
	number("linux,initrd-start", 0x44000000);
	number("linux,initrd-end", 0x44000000 + 4097);
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
	enter("memory");
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
	setup(NULL);
	add_memory(0x40000000, 256 * MIB);
	add_memory(TOP - MIB, 4 * MIB);
	add_memory(TOP + 8 * MIB, UINT64_MAX);
	assert_true(read_map());
	assert_int_equal(memory_map_free(&map.map), 256 * MIB);
	setup(NULL);
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
	setup(NULL);
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
