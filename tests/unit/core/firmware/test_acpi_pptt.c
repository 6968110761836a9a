/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of processors, built node by node from ACPI 6.5, table 5.158: sound and lying ones. */
#include "core/firmware/acpi.h"
#include "core/firmware/acpi_table.h"

#include <string.h>

#include "tests/unit/described.h"
#include "tests/unit/entries.h"

#define HEADER  36
#define PACKAGE 1u
#define UID     2u
#define THREAD  4u
#define LEAF    8u
#define CORE    (UID | LEAF)

static struct acpi_info info;

static void setup(void)
{
	empty_memory();
	memset(&info, 0, sizeof(info));
	entries_end();
	entries_begin(&info.pptt, "PPTT", HEADER);
}

/* Add a node with a private resource, such as a cache. */
static uint32_t add_node(uint32_t flags, uint32_t parent, uint32_t uid)
{
	uint32_t at = entries_add(0, 24, 24);

	entries_put(at + 4, 4, flags);
	entries_put(at + 8, 4, parent);
	entries_put(at + 12, 4, uid);
	entries_put(at + 16, 4, 1);
	return at;
}

static void assert_place(uint32_t uid, uint32_t package, uint32_t core, uint32_t thread)
{
	struct acpi_place place = acpi_pptt_place(&info, uid);

	assert_true(place.known);
	assert_int_equal(place.package, package);
	assert_int_equal(place.core, core);
	assert_int_equal(place.thread, thread);
}

/* QEMU's layout: sockets, clusters, cores, threads, each before its contents. */
TEST_F(setup, entries_end, test_threads)
{
	for (uint32_t s = 0; s < 2; s++) {
		uint32_t socket = add_node(PACKAGE, 0, s);

		for (uint32_t c = 0; c < 4; c++) {
			uint32_t cluster = c % 2 ? 0 : add_node(0, socket, c / 2);
			uint32_t core = add_node(0, cluster ? cluster : socket, c);

			entries_add(1, 28, 28); /* a cache */
			for (uint32_t t = 0; t < 2; t++)
				add_node(CORE | THREAD, core, s * 8 + c * 2 + t);
		}
	}
	for (uint32_t uid = 0; uid < 16; uid++)
		assert_place(uid, uid / 8, uid / 2 % 4, uid % 2);
}

/* UIDs in no order, cores that are packages themselves. */
TEST_F(setup, entries_end, test_cores)
{
	uint32_t first = add_node(PACKAGE, 0, 7), second = add_node(PACKAGE | UID, 0, 40);

	add_node(CORE, second, 30);
	add_node(CORE, first, 20);
	add_node(CORE, second, 10);
	add_node(CORE | PACKAGE, 0, 5);
	assert_place(30, 1, 0, 0);
	assert_place(20, 0, 0, 0);
	assert_place(10, 1, 1, 0);
	assert_place(5, 2, 0, 0);
	assert_false(acpi_pptt_place(&info, 7).known); /* a container's, which is not marked */
	assert_false(acpi_pptt_place(&info, 40).known);
}

/* Children first, and the threads of two cores by turns. */
TEST_F(setup, entries_end, test_any_order)
{
	const uint32_t a = HEADER + 4 * 24, b = a + 24, package = b + 24;

	for (uint32_t uid = 0; uid < 4; uid++)
		add_node(CORE | THREAD, uid % 2 ? b : a, uid);
	assert_int_equal(add_node(0, package, 0), a);
	assert_int_equal(add_node(0, package, 0), b);
	assert_int_equal(add_node(PACKAGE, 0, 0), package);
	for (uint32_t uid = 0; uid < 4; uid++)
		assert_place(uid, 0, uid % 2, uid / 2);
}

/* Parents that are no nodes, and parents that lead in circles. */
TEST_F(setup, entries_end, test_no_package)
{
	const uint32_t parents[] = { 0,           1,    HEADER - 1, HEADER + 24,
				     HEADER + 25, 4000, UINT32_MAX, HEADER };

	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		setup();
		add_node(CORE, parents[i], 3); /* the last: itself */
		assert_false(acpi_pptt_place(&info, 3).known);
	}
	setup();
	add_node(0, HEADER + 24, 0);
	add_node(0, HEADER, 0);
	add_node(CORE | THREAD, HEADER, 3);
	assert_false(acpi_pptt_place(&info, 3).known);
}

/* Revision 1 marks no leaves; a core may be missing. */
TEST_F(setup, entries_end, test_no_leaf)
{
	add_node(UID, add_node(PACKAGE, 0, 0), 3);
	assert_false(acpi_pptt_place(&info, 3).known);
}

/* Structures before the invalid one are used. */
TEST_F(setup, entries_end, test_lengths)
{
	static const struct {
		uint8_t type, length;
		uint32_t bytes;
	} bad[] = { { 0, 0, 24 },  { 0, 1, 24 }, { 1, 0, 24 },
		    { 0, 25, 24 }, { 0, 20, 2 }, { 0, 20, 1 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct acpi_reader r = { .complain = complain, .ctx = &reported };

		setup();
		add_node(CORE, add_node(PACKAGE, 0, 0), 3);
		entries_add(bad[i].type, bad[i].length, bad[i].bytes);
		acpi_check_entries(&r, &info.pptt, HEADER, 1);
		reported_assert_one(&reported, "PPTT: entry at offset 84 has length");
		assert_place(3, 0, 0, 0);
	}
}

/* A node that is too short is skipped, and is no parent. */
TEST_F(setup, entries_end, test_short_node)
{
	uint32_t at = entries_add(0, 19, 19);

	entries_put(at + 4, 4, PACKAGE);
	add_node(CORE, at, 3);
	assert_false(acpi_pptt_place(&info, 3).known);
}

/* Bytes of a node inside another structure are no parent, either. */
TEST_F(setup, entries_end, test_node_within)
{
	uint32_t at = entries_add(1, 28, 28) + 4;

	entries_at[at + 1] = 20;
	entries_put(at + 4, 4, PACKAGE);
	add_node(CORE, at, 3);
	add_node(CORE, add_node(PACKAGE, 0, 0), 4);
	assert_false(acpi_pptt_place(&info, 3).known);
	assert_place(4, 0, 0, 0);
}

#define NEXT  8
#define SIZE  12
#define KIND  21
#define SIZED 1u
#define TYPED 16u
#define CODE  4
#define BOTH  8

static uint32_t add_cache(uint32_t flags, uint32_t next, uint32_t bytes, uint8_t kind)
{
	uint32_t at = entries_add(1, 28, 28);

	entries_put(at + 4, 4, flags);
	entries_put(at + NEXT, 4, next);
	entries_put(at + SIZE, 4, bytes);
	entries_at[at + KIND] = kind;
	return at;
}

/* A node with those private resources. */
static uint32_t add_owner(uint32_t flags, uint32_t parent, uint32_t uid, uint32_t first,
			  uint32_t second)
{
	uint32_t at = entries_add(0, 28, 28);

	entries_put(at + 4, 4, flags);
	entries_put(at + 8, 4, parent);
	entries_put(at + 12, 4, uid);
	entries_put(at + 16, 4, 2);
	entries_put(at + 20, 4, first);
	entries_put(at + 24, 4, second);
	return at;
}

static void assert_caches(uint32_t uid, uint64_t first, uint64_t second, uint64_t third,
			  uint64_t fourth)
{
	const uint64_t want[ACPI_CACHE_LEVELS] = { first, second, third, fourth };
	uint64_t bytes[ACPI_CACHE_LEVELS];

	memset(bytes, 0xff, sizeof(bytes));
	acpi_pptt_caches(&info, uid, bytes);
	assert_memory_equal(bytes, want, sizeof(want));
}

/* A core's own caches, then its cluster's, then the package's; threads have the core's. */
TEST_F(setup, entries_end, test_caches)
{
	uint32_t last = add_cache(SIZED | TYPED, 0, 32 << 20, BOTH);
	uint32_t third = add_cache(SIZED | TYPED, 0, 4 << 20, BOTH);
	uint32_t second = add_cache(SIZED | TYPED, 0, 1 << 20, BOTH);
	uint32_t code = add_cache(SIZED | TYPED, second, 128 << 10, CODE);
	uint32_t data = add_cache(SIZED | TYPED, second, 64 << 10, 0);
	uint32_t small = add_cache(SIZED, 0, 32 << 10, CODE); /* no valid type */
	uint32_t package = add_owner(PACKAGE, 0, 0, last, 0);
	uint32_t cluster = add_owner(0, package, 0, third, 0);
	uint32_t core = add_owner(0, cluster, 0, code, data);

	add_owner(CORE | THREAD, core, 0, 0, 0);
	add_owner(CORE, cluster, 1, small, 0);
	assert_caches(0, 64 << 10, 1 << 20, 4 << 20, 32 << 20);
	assert_caches(1, 32 << 10, 4 << 20, 32 << 20, 0);
	assert_caches(2, 0, 0, 0, 0);
}

/*
 * References in a circle, past the end, to no cache, to one without a size, and one more than there
 * are levels.
 */
TEST_F(setup, entries_end, test_caches_that_lie)
{
	uint32_t circle = add_cache(SIZED, HEADER, 4096, 0);
	uint32_t package = add_owner(PACKAGE, 0, 0, circle, 0);
	uint32_t unsized = add_cache(TYPED, 0, 8192, 0);
	uint32_t more;

	add_owner(CORE, package, 0, circle, 0);
	assert_caches(0, 4096, 4096, 4096, 4096);
	add_owner(CORE, 0, 1, unsized, package);
	assert_caches(1, 0, 0, 0, 0);
	add_owner(CORE, package, 2, unsized, UINT32_MAX);
	assert_caches(2, 0, 4096, 4096, 4096);
	more = add_owner(CORE, 0, 3, 0, 0);
	entries_put(more + 16, 4, UINT32_MAX);
	entries_put(more + 20, 4, info.pptt.length - 4);
	assert_caches(3, 0, 0, 0, 0);
	add_owner(CORE, 0, 4, info.pptt.length + 28, 0);
	more = entries_add(1, 24, 20); /* cut off */
	entries_put(more + 4, 4, SIZED);
	entries_put(more + SIZE, 4, 4096);
	assert_caches(4, 0, 0, 0, 0);
	info.pptt = (struct acpi_table){ 0 };
	assert_caches(0, 0, 0, 0, 0);
}

TEST_F(setup, entries_end, test_none)
{
	info.pptt = (struct acpi_table){ 0 };
	assert_false(acpi_pptt_place(&info, 0).known);
}
