/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identity map, walked as the processor does (Intel SDM vol. 3, 4.5): what
 * is below the top is at its own address, but for page 0.
 */
#include "paging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PAGE    UINT64_C(4096)
#define GIB     (UINT64_C(1) << 30)
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

static struct paging_kind kind;
static uint8_t *tables;
static size_t bytes;
static uint64_t root;

static void build(uint64_t top)
{
	free(tables);
	bytes = paging_bytes(kind, top);
	assert_int_equal(bytes % PAGE, 0);
	tables = aligned_alloc(PAGE, bytes + PAGE);
	assert_non_null(tables);
	/* Memory from the firmware is not clean, and what is behind it is not ours. */
	memset(tables, 0xe7, bytes + PAGE);
	root = paging_build(kind, tables, top);
	for (size_t i = 0; i < GUARD; i++)
		assert_int_equal(tables[bytes + i], 0xe7);
}

static uint64_t entry_at(uint64_t table, uint64_t index)
{
	uint64_t entry;

	assert_in_range(table, (uintptr_t)tables, (uintptr_t)tables + bytes - PAGE);
	memcpy(&entry, (const void *)(uintptr_t)(table + 8 * index), sizeof(entry));
	return entry;
}

/* The physical address behind `virt`; NOWHERE when not present. */
static uint64_t walk(uint64_t virt)
{
	uint64_t table = root;
	uint64_t entry;

	for (unsigned shift = kind.five_levels ? 48 : 39;; shift -= 9) {
		uint64_t inside = (UINT64_C(1) << shift) - 1;

		entry = entry_at(table, virt >> shift & 511);
		if (!(entry & PRESENT))
			return NOWHERE;
		/* Writable, kernel's, cached, and never written to by the processor again. */
		assert_int_equal(entry & (WRITE | USER | NOCACHE | DONE), WRITE | DONE);
		assert_int_equal(entry >> 63, 0);
		if (shift == 12 || entry & LARGE) {
			assert_true(shift <= 21 || (shift == 30 && kind.large_1g));
			assert_true(entry & DIRTY);
			assert_int_equal(entry & ADDRESS & inside & ~(PAGE - 1), 0);
			return (entry & ADDRESS & ~inside) | (virt & inside);
		}
		table = entry & ADDRESS;
	}
}

static void each_kind(void (*check)(void))
{
	for (unsigned k = 0; k < 4; k++) {
		kind = (struct paging_kind){ .five_levels = k & 1, .large_1g = k >> 1 };
		check();
	}
	free(tables);
	tables = NULL;
}

static void assert_identity(uint64_t from, uint64_t end, uint64_t step)
{
	for (uint64_t at = from; at < end; at += step)
		if (walk(at) != at)
			fail_msg("0x%llx is at 0x%llx", (unsigned long long)at,
				 (unsigned long long)walk(at));
}

static void check_every_page(void)
{
	build(5 * GIB);
	assert_identity(PAGE, 5 * GIB, PAGE);
	assert_identity(2 * PAGE - 1, 5 * GIB, 7 * PAGE);
}

static void test_every_page(void **state)
{
	(void)state;
	each_kind(check_every_page);
}

static void check_page_0(void)
{
	build(GIB);
	assert_int_equal(walk(0), NOWHERE);
	assert_int_equal(walk(8), NOWHERE);
	assert_int_equal(walk(PAGE - 1), NOWHERE);
	assert_int_equal(walk(PAGE), PAGE);
}

static void test_page_0_is_left_out(void **state)
{
	(void)state;
	each_kind(check_page_0);
}

/* Tops that are no round number, on both sides of each level's unit. */
static void check_tops(void)
{
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
		/* Rounded up to a GiB, and no further. */
		assert_int_equal(walk((last / GIB + 1) * GIB), NOWHERE);
	}
}

static void test_tops(void **state)
{
	(void)state;
	each_kind(check_tops);
}

/* All that four levels reach; only with large pages, or the tables take gigabytes. */
static void test_all_of_48_bits(void **state)
{
	const uint64_t top = UINT64_C(1) << 48;

	(void)state;
	for (unsigned five = 0; five < 2; five++) {
		kind = (struct paging_kind){ .five_levels = five, .large_1g = true };
		build(top);
		assert_identity(PAGE, top, 511 * GIB + PAGE);
		assert_int_equal(walk(top - 1), top - 1);
	}
	free(tables);
	tables = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_page),
		cmocka_unit_test(test_page_0_is_left_out),
		cmocka_unit_test(test_tops),
		cmocka_unit_test(test_all_of_48_bits),
	};

	return cmocka_run_group_tests_name("paging", tests, NULL, NULL);
}
