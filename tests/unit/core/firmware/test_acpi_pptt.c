/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of processors, built node by node from ACPI 6.5, table 5.158: sound and lying ones. */
#include "core/firmware/acpi_pptt.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define HEADER  36
#define PACKAGE 1u
#define UID     2u
#define THREAD  4u
#define LEAF    8u
#define CORE    (UID | LEAF)

static struct acpi_info info;
static uint8_t *table; /* its size is exact, so that AddressSanitizer sees each read past it */

static int setup(void **state)
{
	(void)state;
	memset(&info, 0, sizeof(info));
	table = calloc(1, HEADER);
	info.pptt = table;
	info.pptt_bytes = HEADER;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(table);
	return 0;
}

static void put32(uint32_t at, uint32_t value)
{
	memcpy(table + at, &value, sizeof(value));
}

static uint32_t add_bytes(uint8_t type, uint8_t length, uint32_t bytes)
{
	uint32_t at = info.pptt_bytes;

	table = realloc(table, at + bytes);
	assert_non_null(table);
	memset(table + at, 0, bytes);
	table[at] = type;
	table[at + 1] = length;
	info.pptt = table;
	info.pptt_bytes += bytes;
	return at;
}

/* With a private resource, as a cache is one. */
static uint32_t add_node(uint32_t flags, uint32_t parent, uint32_t uid)
{
	uint32_t at = add_bytes(0, 24, 24);

	put32(at + 4, flags);
	put32(at + 8, parent);
	put32(at + 12, uid);
	put32(at + 16, 1);
	if (flags & LEAF)
		info.cpu[info.cpu_count++].uid = uid;
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

/* NULL: nothing is wrong. */
static void assert_flaw(const char *want)
{
	TEXT_DEFINE(text, 200);

	assert_int_equal(acpi_pptt_flaw(&info, &text), want != NULL);
	assert_string_equal(text.buf, want ? want : "");
}

/* As QEMU lays it out: sockets, clusters, cores, threads, each before what it contains. */
TEST_F(setup, teardown, test_threads)
{
	for (uint32_t s = 0; s < 2; s++) {
		uint32_t socket = add_node(PACKAGE, 0, s);

		for (uint32_t c = 0; c < 4; c++) {
			uint32_t cluster = c % 2 ? 0 : add_node(0, socket, c / 2);
			uint32_t core = add_node(0, cluster ? cluster : socket, c);

			add_bytes(1, 28, 28); /* a cache */
			for (uint32_t t = 0; t < 2; t++)
				add_node(CORE | THREAD, core, s * 8 + c * 2 + t);
		}
	}
	for (uint32_t uid = 0; uid < 16; uid++)
		assert_place(uid, uid / 8, uid / 2 % 4, uid % 2);
	assert_flaw(NULL);
}

/* UIDs in no order, cores that are packages themselves. */
TEST_F(setup, teardown, test_cores)
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
	assert_false(acpi_pptt_place(&info, 7).known); /* a container's, and not marked as one */
	assert_false(acpi_pptt_place(&info, 40).known);
	assert_flaw(NULL);
}

/* Children first, and the threads of two cores by turns. */
TEST_F(setup, teardown, test_any_order)
{
	const uint32_t a = HEADER + 4 * 24, b = a + 24, package = b + 24;

	for (uint32_t uid = 0; uid < 4; uid++)
		add_node(CORE | THREAD, uid % 2 ? b : a, uid);
	assert_int_equal(add_node(0, package, 0), a);
	assert_int_equal(add_node(0, package, 0), b);
	assert_int_equal(add_node(PACKAGE, 0, 0), package);
	for (uint32_t uid = 0; uid < 4; uid++)
		assert_place(uid, 0, uid % 2, uid / 2);
	assert_flaw(NULL);
}

/* Parents that are none, and such that lead in circles. */
TEST_F(setup, teardown, test_no_package)
{
	const uint32_t parents[] = { 0,           1,    HEADER - 1, HEADER + 24,
				     HEADER + 25, 4000, UINT32_MAX, HEADER };

	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		teardown(state);
		setup(state);
		add_node(CORE, parents[i], 3); /* the last: itself */
		assert_false(acpi_pptt_place(&info, 3).known);
		assert_flaw("PPTT: cores of which it has no package: 1");
	}
	teardown(state);
	setup(state);
	add_node(0, HEADER + 24, 0);
	add_node(0, HEADER, 0);
	add_node(CORE | THREAD, HEADER, 3);
	assert_false(acpi_pptt_place(&info, 3).known);
	assert_flaw("PPTT: cores of which it has no package: 1");
}

/* Revision 1 marks no leaves; a core may be missing. */
TEST_F(setup, teardown, test_no_leaf)
{
	add_node(UID, add_node(PACKAGE, 0, 0), 3);
	info.cpu[info.cpu_count++].uid = 3;
	assert_false(acpi_pptt_place(&info, 3).known);
	assert_flaw("PPTT: cores of which it has no package: 1");
}

/* What comes before the structure that is none is used. */
TEST_F(setup, teardown, test_lengths)
{
	static const struct {
		uint8_t type, length;
		uint32_t bytes;
	} bad[] = { { 0, 0, 24 },  { 0, 1, 24 }, { 1, 0, 24 },
		    { 0, 25, 24 }, { 0, 20, 2 }, { 0, 0, 1 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		teardown(state);
		setup(state);
		add_node(CORE, add_node(PACKAGE, 0, 0), 3);
		if (bad[i].bytes > 1) {
			add_bytes(bad[i].type, bad[i].length, bad[i].bytes);
		} else {
			table = realloc(table, ++info.pptt_bytes);
			info.pptt = table;
			table[info.pptt_bytes - 1] = 0;
		}
		assert_place(3, 0, 0, 0);
		assert_flaw("PPTT: offset 84 is no structure; the rest is ignored");
	}
}

/* A node that is too short for one is stepped over, and is no parent. */
TEST_F(setup, teardown, test_short_node)
{
	uint32_t at = add_bytes(0, 19, 19);

	put32(at + 4, PACKAGE);
	add_node(CORE, at, 3);
	assert_false(acpi_pptt_place(&info, 3).known);
	assert_flaw("PPTT: cores of which it has no package: 1");
}

TEST_F(setup, teardown, test_none)
{
	info.pptt = NULL;
	info.cpu_count = 1;
	assert_false(acpi_pptt_place(&info, 0).known);
	assert_flaw(NULL);
}
