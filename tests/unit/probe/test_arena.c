/* SPDX-License-Identifier: BSD-2-Clause */
/* The arena on real memory at its own addresses, which is full of OLD before each test. */
#include "probe/arena.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/common/test.h"

#define PAGE  UINT64_C(4096)
#define BASE  UINT64_C(0x200000000000) /* where no process has anything */
#define PAGES 1024
#define OLD   0xa5

/* Pages from BASE on. */
struct row {
	uint64_t from, end;
	enum memory_kind kind;
};

static struct memory_range range[ARENA_PIECES_MAX];
static struct memory_map given, found;

static uint8_t *at(uint64_t page)
{
	return (uint8_t *)(uintptr_t)(BASE + page * PAGE);
}

static void setup(void)
{
	void *memory = mmap(at(0), PAGES * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(memory, at(0));
	memset(memory, OLD, PAGES * PAGE);
	given = (struct memory_map){ .range = range, .room = sizeof(range) };
}

static void teardown(void)
{
	assert_int_equal(munmap(at(0), PAGES * PAGE), 0);
}

static void give_bytes(uint64_t from, uint64_t end, enum memory_kind kind)
{
	assert_true(given.ranges < ARENA_RANGES_MAX);
	range[given.ranges++] = (struct memory_range){ from, end, .kind = (uint8_t)kind };
}

static void give(uint64_t from, uint64_t end, enum memory_kind kind)
{
	give_bytes(BASE + from * PAGE, BASE + end * PAGE, kind);
}

static void open_with_image(uint64_t from, uint64_t end)
{
	arena_open(&given);
	arena_keep(BASE + from * PAGE, (end - from) * PAGE, MEMORY_USED);
}

/* 64 pages that are free, the first two of which are the image's. */
static void open_plain(void)
{
	give(0, 64, MEMORY_FREE);
	open_with_image(0, 2);
}

/* The map has these rows and no others; what is used is the program's. */
static void assert_map(const struct row *rows, size_t count)
{
	assert_true(arena_read(&found));
	assert_int_equal(found.ranges, count);
	for (size_t n = 0; n < count; n++) {
		const struct memory_range *r = &found.range[n];

		assert_int_equal(r->from, BASE + rows[n].from * PAGE);
		assert_int_equal(r->end, BASE + rows[n].end * PAGE);
		assert_int_equal(r->kind, rows[n].kind);
		assert_false(r->is_runtime);
	}
}

#define ASSERT_MAP(...)                                 \
	assert_map((const struct row[]){ __VA_ARGS__ }, \
		   sizeof((const struct row[]){ __VA_ARGS__ }) / sizeof(struct row))

/* These pages are zero, and the byte before them is as it was. */
static void assert_zeroed(uint64_t from, uint64_t end)
{
	for (const uint8_t *b = at(from); b < at(end); b++)
		assert_int_equal(*b, 0);
	if (from)
		assert_int_equal(*(at(from) - 1), OLD);
}

static void assert_pages(uint64_t bytes, uint64_t limit, uint64_t page)
{
	assert_ptr_equal(arena_pages(bytes, limit), at(page));
}

static void assert_pages_at(uint64_t page, uint64_t bytes)
{
	assert_ptr_equal(arena_pages_at(BASE + page * PAGE, bytes), at(page));
}

TEST_F(setup, teardown, test_from_the_top_in_one_piece)
{
	open_plain();
	assert_pages(1, 0, 63);
	assert_zeroed(63, 64);
	assert_pages(PAGE, 0, 62);
	assert_pages(PAGE + 1, 0, 60);
	assert_zeroed(60, 64);
	ASSERT_MAP({ 0, 2, MEMORY_USED }, { 2, 60, MEMORY_FREE }, { 60, 64, MEMORY_USED });
}

TEST_F(setup, teardown, test_the_highest_range_that_has_room)
{
	give(0, 20, MEMORY_FREE);
	give(20, 24, MEMORY_RESERVED);
	give(30, 34, MEMORY_FREE);
	give(34, 40, MEMORY_OTHER);
	open_with_image(0, 2);
	assert_pages(5 * PAGE, 0, 15);
	assert_pages(4 * PAGE, 0, 30);
	assert_pages(PAGE, 0, 14);
	ASSERT_MAP({ 0, 2, MEMORY_USED }, { 2, 14, MEMORY_FREE }, { 14, 20, MEMORY_USED },
		   { 20, 24, MEMORY_RESERVED }, { 30, 34, MEMORY_USED }, { 34, 40, MEMORY_OTHER });
}

TEST_F(setup, teardown, test_at_a_multiple)
{
	uint64_t align = 16 * PAGE;

	open_plain();
	assert_pages(1, 0, 63);
	assert_ptr_equal(arena_aligned(2 * PAGE, UINT64_MAX, align), at(48));
	assert_zeroed(48, 50);
	assert_int_equal(*at(50), OLD);
	assert_ptr_equal(arena_aligned(2 * PAGE, BASE + 48 * PAGE, align), at(32));
	assert_null(arena_aligned(17 * PAGE, BASE + 32 * PAGE, 2 * align));
}

/* Kept pages are not zeroed, and all other memory in use stays as it is. */
TEST_F(setup, teardown, test_kept)
{
	open_plain();
	arena_keep(BASE + 10 * PAGE + 1, 2 * PAGE, MEMORY_USED);
	arena_keep(BASE + 12 * PAGE + 7, 1, MEMORY_USED);
	arena_keep(BASE + PAGE, 2 * PAGE, MEMORY_USED);
	arena_keep(BASE + 62 * PAGE, 99 * PAGE, MEMORY_USED);
	arena_keep(BASE + 20 * PAGE, 0, MEMORY_USED);
	arena_keep(UINT64_MAX - 1, 9, MEMORY_USED);
	ASSERT_MAP({ 0, 2, MEMORY_USED }, { 2, 3, MEMORY_USED }, { 3, 10, MEMORY_FREE },
		   { 10, 13, MEMORY_USED }, { 13, 62, MEMORY_FREE }, { 62, 64, MEMORY_USED });
	assert_int_equal(*at(10), OLD);
	assert_int_equal(*at(63), OLD);
}

TEST_F(setup, teardown, test_below_a_limit)
{
	open_plain();
	assert_pages(2 * PAGE, BASE + 10 * PAGE, 8);
	assert_pages(PAGE, BASE + 7 * PAGE + 1, 6);
	assert_pages(PAGE, BASE + 5 * PAGE - 1, 3);
	assert_null(arena_pages(PAGE, BASE + 3 * PAGE - 1));
	assert_null(arena_pages(PAGE, 1));
	assert_null(arena_pages(PAGE, PAGE));
	ASSERT_MAP({ 0, 2, MEMORY_USED }, { 2, 3, MEMORY_FREE }, { 3, 4, MEMORY_USED },
		   { 4, 6, MEMORY_FREE }, { 6, 7, MEMORY_USED }, { 7, 8, MEMORY_FREE },
		   { 8, 10, MEMORY_USED }, { 10, 64, MEMORY_FREE });
}

TEST_F(setup, teardown, test_what_is_not_free)
{
	give(0, 20, MEMORY_FREE);
	give(20, 22, MEMORY_RESERVED);
	give(22, 30, MEMORY_FREE);
	give(30, 32, MEMORY_OTHER);
	open_with_image(4, 6);
	assert_pages_at(10, PAGE);
	for (uint64_t page = 4; page < 6; page++)
		assert_null(arena_pages_at(BASE + page * PAGE, PAGE));
	assert_null(arena_pages_at(BASE + 3 * PAGE, PAGE + 1));
	assert_null(arena_pages_at(BASE + 10 * PAGE, PAGE));
	assert_null(arena_pages_at(BASE + 9 * PAGE, 3 * PAGE));
	assert_null(arena_pages_at(BASE + 19 * PAGE, 2 * PAGE));
	assert_null(arena_pages_at(BASE + 20 * PAGE, PAGE));
	assert_null(arena_pages_at(BASE + 21 * PAGE, 2 * PAGE));
	assert_null(arena_pages_at(BASE + 30 * PAGE, PAGE));
	assert_null(arena_pages_at(BASE + 40 * PAGE, PAGE));
	assert_null(arena_pages_at(BASE + 12 * PAGE + 16, PAGE));
	ASSERT_MAP({ 0, 4, MEMORY_FREE }, { 4, 6, MEMORY_USED }, { 6, 10, MEMORY_FREE },
		   { 10, 11, MEMORY_USED }, { 11, 20, MEMORY_FREE }, { 20, 22, MEMORY_RESERVED },
		   { 22, 30, MEMORY_FREE }, { 30, 32, MEMORY_OTHER });
	assert_int_equal(*at(12), OLD);
}

TEST_F(setup, teardown, test_a_map_without_an_empty_range)
{
	give(0, 0, MEMORY_FREE);
	give(0, 8, MEMORY_FREE);
	give(8, 8, MEMORY_OTHER);
	give(9, 9, MEMORY_RESERVED);
	open_with_image(0, 8);
	ASSERT_MAP({ 0, 8, MEMORY_USED });
}

/* Page pieces apart until there is no range for one more. Then no page is lost. */
static void fill_ranges(uint64_t loaders)
{
	uint64_t page = 3, free;

	given.ranges = 0;
	give(0, 512, MEMORY_FREE);
	for (uint64_t n = 1; n < loaders; n++)
		give(512 + 2 * n - 1, 512 + 2 * n, MEMORY_RESERVED);
	open_with_image(0, 2);
	memset(at(0), OLD, 512 * PAGE);
	for (; page < 512 && arena_pages_at(BASE + page * PAGE, PAGE); page += 2)
		;
	assert_in_range(page, 3 + 2 * 50, 510);
	assert_true(arena_read(&found));
	free = memory_map_free(&found);
	assert_int_equal(free, (510 - (page - 3) / 2) * PAGE);
	assert_null(arena_pages_at(BASE + page * PAGE, PAGE));
	assert_null(arena_pages(PAGE, 0));
	assert_int_equal(*at(page), OLD);
	assert_true(arena_read(&found));
	assert_int_equal(memory_map_free(&found), free);
	/* A piece beside another one needs no further range. */
	assert_pages_at(4, PAGE);
	assert_true(arena_read(&found));
	assert_int_equal(memory_map_free(&found), free - PAGE);
}

/* A loader's longest map leaves ranges for 50 pieces. */
TEST_F(setup, teardown, test_too_many_ranges)
{
	fill_ranges(ARENA_RANGES_MAX);
	fill_ranges(ARENA_RANGES_MAX - 1);
}

/* Address 0 means that there is none. */
TEST_F(setup, teardown, test_page_0)
{
	give_bytes(0, 3 * PAGE, MEMORY_FREE);
	give(0, 2, MEMORY_FREE);
	open_with_image(0, 2);
	assert_null(arena_pages_at(0, PAGE));
	assert_null(arena_pages(PAGE, PAGE));
	assert_null(arena_pages(3 * PAGE, 0));
	assert_null(arena_pages(3 * PAGE, 3 * PAGE));
	assert_true(arena_read(&found));
	assert_int_equal(memory_map_free(&found), 3 * PAGE);
}

TEST_F(setup, teardown, test_sizes_that_wrap_around)
{
	static const size_t sizes[] = {
		0, SIZE_MAX, SIZE_MAX - PAGE + 1, SIZE_MAX - PAGE + 2, SIZE_MAX - PAGE, SIZE_MAX / 2
	};

	open_plain();
	for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
		assert_null(arena_pages(sizes[n], 0));
		assert_null(arena_pages(sizes[n], BASE + 8 * PAGE));
		assert_null(arena_pages_at(BASE + 8 * PAGE, sizes[n]));
	}
	/* Page and size add up to 0, and to more. */
	assert_null(arena_pages_at(-PAGE, PAGE));
	assert_null(arena_pages_at(-PAGE, BASE + 10 * PAGE));
	assert_null(arena_pages_at(BASE + 8 * PAGE, -(BASE + 8 * PAGE)));
	assert_null(arena_pages_at(BASE + 8 * PAGE, PAGE - (BASE + 8 * PAGE)));
	ASSERT_MAP({ 0, 2, MEMORY_USED }, { 2, 64, MEMORY_FREE });
	assert_int_equal(*at(8), OLD);
}

/* Compare each page with a plain list of the owners. */
TEST_F(setup, teardown, test_the_map_is_exact_after_each_piece)
{
	static uint8_t used[PAGES];
	uint32_t seed = 1;

	give(0, 200, MEMORY_FREE);
	open_with_image(0, 1);
	memset(used, 0, sizeof(used));
	used[0] = 1;
	for (unsigned round = 0; round < 200; round++) {
		uint64_t page = (seed = seed * 1103515245 + 12345) >> 16 & 255,
			 count = 1 + seed % 3;
		bool is_free = page + count <= 200;

		for (uint64_t n = 0; n < count; n++)
			is_free = is_free && !used[page + n];
		assert_int_equal(!!arena_pages_at(BASE + page * PAGE, count * PAGE), is_free);
		for (uint64_t n = 0; is_free && n < count; n++)
			used[page + n] = 1;
		assert_true(arena_read(&found));
		for (page = 0; page < 200; page++)
			assert_int_equal(memory_map_free_in(&found, BASE + page * PAGE,
							    BASE + (page + 1) * PAGE),
					 used[page] ? 0 : PAGE);
		assert_int_equal(memory_map_usable(&found, BASE, BASE + 200 * PAGE), 200 * PAGE);
		for (size_t n = 1; n < found.ranges; n++)
			assert_int_equal(found.range[n].from, found.range[n - 1].end);
	}
}
