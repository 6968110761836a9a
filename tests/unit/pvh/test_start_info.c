/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start infos with one defect each, which must be refused for that reason, next to the last good
 * value.
 */
#include "tests/unit/pvh/loader.h"

#define MAGIC 0x336ec578u

#define MAP     UINT64_C(0x9000)
#define MODULES UINT64_C(0xc000)

#define HEAD_BYTES   56u
#define ENTRY_BYTES  24u
#define MODULE_BYTES 32u

/* Types of ranges: UEFI 2.10, 7.2. */
enum { UEFI_RESERVED, UEFI_FREE = 7, UEFI_UNUSABLE, UEFI_ACPI, UEFI_NVS, UEFI_DEVICE };

/* struct hvm_start_info: Xen, public/arch-x86/hvm/start_info.h. */
enum {
	AT_MAGIC = 0,
	AT_VERSION = 4,
	AT_MODULES = 12,
	AT_MODULE_LIST = 16,
	AT_COMMAND = 24,
	AT_RSDP = 32,
	AT_MAP = 40,
	AT_RANGES = 48,
};

struct entry {
	uint64_t from, bytes;
	uint32_t type;
};

static const struct entry good[] = {
	{ 0, 0xa0000, MEMORY },
	{ 0xf0000, 0x10000, RESERVED },
	{ 0x100000, 0xf0000, MEMORY },
};
#define GOOD (sizeof(good) / sizeof(good[0]))

/* Write an entry of the memory map. */
static void put_entry(uint32_t n, uint64_t from, uint64_t bytes, uint32_t type)
{
	put_entry_at(MAP + n * ENTRY_BYTES, from, bytes, type);
}

static void put_head(uint32_t at, unsigned bytes, uint64_t value)
{
	physical_put(&physical, INFO + at, bytes, value);
}

/* Add ranges to the good ones. */
static void put_more(const struct entry *more, uint32_t count)
{
	for (uint32_t n = 0; n < count; n++)
		put_entry(GOOD + n, more[n].from, more[n].bytes, more[n].type);
	put_head(AT_RANGES, 4, GOOD + count);
}

static void put_module(uint32_t n, uint64_t address, uint64_t bytes)
{
	physical_put(&physical, MODULES + n * MODULE_BYTES, 8, address);
	physical_put(&physical, MODULES + n * MODULE_BYTES + 8, 8, bytes);
	put_head(AT_MODULES, 4, n + 1);
}

/* Write a command line of `bytes` bytes and a NUL. */
static void put_command(uint64_t address, size_t bytes)
{
	for (size_t n = 0; n < bytes; n++)
		*physical_at(&physical, address + n) = (uint8_t)('a' + n % 26);
	*physical_at(&physical, address + bytes) = 0;
	put_head(AT_COMMAND, 8, address);
}

static void put_good(void)
{
	reset_memory();
	put_head(AT_MAGIC, 4, MAGIC);
	put_head(AT_VERSION, 4, 1);
	put_head(AT_MODULE_LIST, 8, MODULES);
	put_head(AT_MAP, 8, MAP);
	for (uint32_t n = 0; n < GOOD; n++)
		put_entry(n, good[n].from, good[n].bytes, good[n].type);
	put_head(AT_RANGES, 4, GOOD);
}

static int setup(void **state)
{
	(void)state;
	memset(&info, 0xa5, sizeof(info));
	put_good();
	return 0;
}

static void assert_good_at(uint64_t address)
{
	assert_good_by(start_info_read, address);
}

static void assert_good(void)
{
	assert_good_at(INFO);
}

static void assert_refused(const char *why)
{
	assert_refused_by(start_info_read, INFO, why);
}

static void assert_range(size_t n, uint64_t from, uint64_t end, enum memory_kind kind,
			 uint32_t type)
{
	const struct memory_range *r = memory_map_at(&info.map, n);

	assert_non_null(r);
	assert_int_equal(r->from, from);
	assert_int_equal(r->end, end);
	assert_int_equal(r->kind, kind);
	assert_int_equal(r->type, type);
	assert_int_equal(r->attributes, 0);
	assert_false(r->is_runtime);
}

static void assert_good_ranges(void)
{
	assert_range(0, PAGE, 0xa0000, MEMORY_FREE, UEFI_FREE);
	assert_range(1, 0xf0000, 0x100000, MEMORY_RESERVED, UEFI_RESERVED);
	assert_range(2, 0x100000, ABOVE, MEMORY_FREE, UEFI_FREE);
}

/* ---- The head ---- */

TEST_F(setup, teardown, test_good)
{
	put_head(AT_RSDP, 8, 0x123456789abcdef0);
	assert_good();
	assert_int_equal(info.map.ranges, GOOD);
	assert_good_ranges();
	assert_int_equal(info.rsdp, 0x123456789abcdef0);
	assert_int_equal(info.modules, 0);
	assert_int_equal(info.command_bytes, 0);
	assert_string_equal(info.command, "");
}

TEST_F(setup, teardown, test_magic)
{
	for (unsigned bit = 0; bit < 32; bit++) {
		char why[PROBLEM];

		put_head(AT_MAGIC, 4, MAGIC ^ 1u << bit);
		snprintf(why, sizeof(why),
			 "the start info at 0x8000 begins with 0x%x; accepted: 0x336ec578",
			 MAGIC ^ 1u << bit);
		assert_refused(why);
	}
}

TEST_F(setup, teardown, test_version)
{
	put_head(AT_VERSION, 4, 0);
	assert_refused("the start info has version 0, without a memory map; accepted: 1 or later");
	put_head(AT_VERSION, 4, 2);
	assert_good();
	put_head(AT_VERSION, 4, UINT32_MAX);
	assert_good();
}

/* ---- Where things may be ---- */

static void place_head(uint64_t to)
{
	memmove(physical_at(&physical, to), physical_at(&physical, INFO), HEAD_BYTES);
}

static void place_map(uint64_t to)
{
	memmove(physical_at(&physical, to), physical_at(&physical, MAP), GOOD * ENTRY_BYTES);
	put_head(AT_MAP, 8, to);
}

static void place_module(uint64_t to)
{
	put_module(0, to, PAGE);
}

static void place_list(uint64_t to)
{
	put_head(AT_MODULES, 4, 1);
	put_head(AT_MODULE_LIST, 8, to);
}

/* Parts that must not overlap the probe, and must be in memory. */
static const struct part {
	const char *what;
	uint32_t bytes;
	void (*place)(uint64_t to);
} parts[] = {
	{ "the start info", HEAD_BYTES, place_head },
	{ "the memory map", GOOD *ENTRY_BYTES, place_map },
	{ "a module", PAGE, place_module },
	{ "the list of modules", MODULE_BYTES, place_list },
};

static void try_place(const struct part *p, uint64_t to, const char *why)
{
	const uint64_t head = p->place == place_head ? to : INFO;
	char text[PROBLEM];

	put_good();
	p->place(to);
	if (!why) {
		assert_good_at(head);
		return;
	}
	if (strstr(why, "over"))
		snprintf(text, sizeof(text), "%s at 0x%llx-0x%llx %s", p->what,
			 (unsigned long long)to, (unsigned long long)to + p->bytes, why);
	else
		snprintf(text, sizeof(text), "%s at 0x%llx, of %u bytes, %s", p->what,
			 (unsigned long long)to, p->bytes, why);
	assert_refused_by(start_info_read, head, text);
}

TEST_F(setup, teardown, test_places)
{
	static const char over[] = "is over the probe at 0x120000-0x122000";
	static const char outside[] = "is not in memory, by the memory map";

	for (size_t n = 0; n < sizeof(parts) / sizeof(parts[0]); n++) {
		const struct part *p = &parts[n];

		try_place(p, IMAGE - p->bytes, NULL);
		try_place(p, IMAGE - p->bytes + 1, over);
		try_place(p, IMAGE + 64, over);
		try_place(p, IMAGE_END - 1, over);
		try_place(p, IMAGE_END, NULL);
		try_place(p, ABOVE - p->bytes, NULL);
		try_place(p, ABOVE - p->bytes + 1, outside);
	}
}

static void assert_unread(uint64_t head, const char *what, uint64_t address)
{
	char text[PROBLEM];

	snprintf(text, sizeof(text),
		 "%s at 0x%llx cannot be read; accepted: an address below 3584 GiB", what,
		 (unsigned long long)address);
	assert_refused_by(start_info_read, head, text);
}

/* The program can read memory below 4 GiB; here, memory ends at TOP. */
TEST_F(setup, teardown, test_places_that_cannot_be_read)
{
	static const uint64_t rows[] = {
		0, TOP - HEAD_BYTES + 1, GIB4, -(uint64_t)HEAD_BYTES, UINT64_MAX - 7, UINT64_MAX
	};

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		assert_unread(rows[n], "the start info", rows[n]);
		put_head(AT_MAP, 8, rows[n]);
		put_head(AT_RANGES, 4, 2);
		if (n != 1)
			assert_unread(INFO, "the memory map", rows[n]);
	}
	/* The third entry is cut; its last four bytes are reserved, and are not read. */
	put_good();
	memmove(physical_at(&physical, TOP - GOOD * ENTRY_BYTES + 5), physical_at(&physical, MAP),
		2 * ENTRY_BYTES);
	put_head(AT_MAP, 8, TOP - GOOD * ENTRY_BYTES + 5);
	assert_unread(INFO, "the memory map", TOP - GOOD * ENTRY_BYTES + 5 + 2 * ENTRY_BYTES);
	/* Addresses from 4 GiB on cannot be read, even if the map has memory there. */
	put_good();
	put_more(&(struct entry){ GIB4, PAGE, MEMORY }, 1);
	put_head(AT_COMMAND, 8, GIB4);
	assert_unread(INFO, "the command line", GIB4);
	put_head(AT_COMMAND, 8, 0);
	place_list(GIB4);
	assert_unread(INFO, "the list of modules", GIB4);
}

/* ---- The memory map ---- */

/* One range, then as many as are accepted: pages that are in turn reserved and free. */
TEST_F(setup, teardown, test_counts)
{
	put_head(AT_RANGES, 4, 0);
	assert_refused("its memory map has 0 ranges; accepted: 1 to 256");
	put_entry(0, 0, ABOVE, MEMORY);
	put_head(AT_RANGES, 4, 1);
	assert_good();
	assert_int_equal(info.map.ranges, 1);
	assert_range(0, PAGE, ABOVE, MEMORY_FREE, UEFI_FREE);

	for (uint32_t n = 1; n <= START_INFO_RANGES_MAX; n++)
		put_entry(n, TOP + 2 * n * PAGE, PAGE, n % 2 ? RESERVED : MEMORY);
	put_head(AT_RANGES, 4, START_INFO_RANGES_MAX);
	assert_good();
	assert_int_equal(info.map.ranges, START_INFO_RANGES_MAX);
	assert_range(START_INFO_RANGES_MAX - 1, TOP + 510 * PAGE, TOP + 511 * PAGE, MEMORY_RESERVED,
		     UEFI_RESERVED);
	put_head(AT_RANGES, 4, START_INFO_RANGES_MAX + 1);
	assert_refused("its memory map has 257 ranges; accepted: 1 to 256");
	put_head(AT_RANGES, 4, UINT32_MAX);
	assert_refused("its memory map has 4294967295 ranges; accepted: 1 to 256");
}

TEST_F(setup, teardown, test_types)
{
	static const struct {
		uint32_t type;
		enum memory_kind kind;
		uint32_t uefi;
	} rows[] = {
		{ 0, MEMORY_OTHER, UEFI_DEVICE },
		{ MEMORY, MEMORY_FREE, UEFI_FREE },
		{ RESERVED, MEMORY_RESERVED, UEFI_RESERVED },
		{ ACPI, MEMORY_USED, UEFI_ACPI },
		{ NVS, MEMORY_USED, UEFI_NVS },
		{ UNUSABLE, MEMORY_OTHER, UEFI_UNUSABLE },
		{ DISABLED, MEMORY_OTHER, UEFI_DEVICE },
		{ UINT32_MAX, MEMORY_OTHER, UEFI_DEVICE },
	};

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		put_more(&(struct entry){ TOP, PAGE, rows[n].type }, 1);
		assert_good();
		assert_int_equal(info.map.ranges, GOOD + 1);
		assert_range(GOOD, TOP, TOP + PAGE, rows[n].kind, rows[n].uefi);
	}
}

/* A reserved range that ends above 4 GiB is not memory. */
TEST_F(setup, teardown, test_reserved_up_to_4_gib)
{
	put_more(&(struct entry){ GIB4 - PAGE, PAGE, RESERVED }, 1);
	assert_good();
	assert_range(GOOD, GIB4 - PAGE, GIB4, MEMORY_RESERVED, UEFI_RESERVED);
	put_more(&(struct entry){ GIB4 - PAGE, PAGE + 1, RESERVED }, 1);
	assert_good();
	assert_range(GOOD, GIB4 - PAGE, GIB4 + 1, MEMORY_OTHER, UEFI_DEVICE);
}

/* Free ranges are cut to whole pages; other ranges keep each byte. */
TEST_F(setup, teardown, test_whole_pages)
{
	static const struct {
		struct entry given;
		uint64_t from, end;
	} rows[] = {
		{ { TOP, PAGE, MEMORY }, TOP, TOP + PAGE },
		{ { TOP + 1, 2 * PAGE, MEMORY }, TOP + PAGE, TOP + 2 * PAGE },
		{ { TOP + 1, 2 * PAGE - 1, MEMORY }, TOP + PAGE, TOP + 2 * PAGE },
		{ { TOP, PAGE - 1, MEMORY }, TOP, TOP },
		{ { TOP + 1, 2 * PAGE - 2, MEMORY }, TOP + PAGE, TOP + PAGE },
		{ { TOP + 16, 16, MEMORY }, TOP, TOP },
		{ { TOP + 1, 2 * PAGE, ACPI }, TOP + 1, TOP + 2 * PAGE + 1 },
	};

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		const struct memory_range *r;

		put_more(&rows[n].given, 1);
		assert_good();
		r = memory_map_at(&info.map, GOOD);
		assert_non_null(r);
		assert_int_equal(r->from, rows[n].from);
		assert_int_equal(r->end, rows[n].end);
	}
}

/* Ranges are sorted by address, and empty ones are left out. */
TEST_F(setup, teardown, test_order)
{
	static const struct entry more[] = {
		{ TOP + 8 * PAGE, PAGE, ACPI },     { 0xa0000, 0, MEMORY },
		{ 0xa0000, 0x1000, NVS },           { UINT64_MAX, 0, MEMORY },
		{ TOP + 2 * PAGE, PAGE, RESERVED }, { ABOVE, TOP - ABOVE, UNUSABLE },
	};

	put_more(more, 6);
	assert_good();
	assert_int_equal(info.map.ranges, GOOD + 4);
	assert_range(0, PAGE, 0xa0000, MEMORY_FREE, UEFI_FREE);
	assert_range(1, 0xa0000, 0xa1000, MEMORY_USED, UEFI_NVS);
	assert_range(2, 0xf0000, 0x100000, MEMORY_RESERVED, UEFI_RESERVED);
	assert_range(3, 0x100000, ABOVE, MEMORY_FREE, UEFI_FREE);
	assert_range(4, ABOVE, TOP, MEMORY_OTHER, UEFI_UNUSABLE);
	assert_range(5, TOP + 2 * PAGE, TOP + 3 * PAGE, MEMORY_RESERVED, UEFI_RESERVED);
	assert_range(6, TOP + 8 * PAGE, TOP + 9 * PAGE, MEMORY_USED, UEFI_ACPI);
}

TEST_F(setup, teardown, test_the_last_address)
{
	put_more(&(struct entry){ UINT64_MAX - PAGE, PAGE, UNUSABLE }, 1);
	assert_good();
	assert_range(GOOD, UINT64_MAX - PAGE, UINT64_MAX, MEMORY_OTHER, UEFI_UNUSABLE);
	/* The last whole page of this range ends below the last address. */
	put_more(&(struct entry){ UINT64_MAX - 2 * PAGE, 2 * PAGE, MEMORY }, 1);
	assert_good();
	assert_range(GOOD, -2 * PAGE, -PAGE, MEMORY_FREE, UEFI_FREE);
	put_more(&(struct entry){ UINT64_MAX - 1, 1, MEMORY }, 1);
	assert_good();
	assert_range(GOOD, -PAGE, -PAGE, MEMORY_FREE, UEFI_FREE);
	put_more(&(struct entry){ UINT64_MAX - PAGE, PAGE + 1, UNUSABLE }, 1);
	assert_refused("its memory map has a range at 0xffffffffffffefff, of 0x1001 bytes, that "
		       "ends past the last address");
	put_more(&(struct entry){ 1, UINT64_MAX, MEMORY }, 1);
	assert_refused("its memory map has a range at 0x1, of 0xffffffffffffffff bytes, that ends "
		       "past the last address");
}

TEST_F(setup, teardown, test_overlaps)
{
	/* test_order has ranges that touch, which is allowed. */
	put_more(&(struct entry){ ABOVE - 1, PAGE, RESERVED }, 1);
	assert_refused("its memory map has ranges that overlap, 0x100000-0x1f0000 and "
		       "0x1effff-0x1f0fff");
	put_more(&(struct entry){ 0xe0000, 0x10001, RESERVED }, 1);
	assert_refused("its memory map has ranges that overlap, 0xe0000-0xf0001 and "
		       "0xf0000-0x100000");
	put_more(&(struct entry){ 0x100000, 0xf0000, MEMORY }, 1);
	assert_refused("its memory map has ranges that overlap, 0x100000-0x1f0000 and "
		       "0x100000-0x1f0000");
	put_more(&(struct entry){ 0x40000, 1, ACPI }, 1);
	assert_refused("its memory map has ranges that overlap, 0x0-0xa0000 and 0x40000-0x40001");
}

TEST_F(setup, teardown, test_memory_where_the_probe_is)
{
	static const struct {
		struct entry low, high; /* replace the third range */
		bool is_good;
	} rows[] = {
		{ { 0x100000, 0x22000, MEMORY }, { IMAGE_END, PAGE, RESERVED }, true },
		{ { 0x100000, 0x20000, RESERVED }, { IMAGE, 0x10000, MEMORY }, true },
		{ { 0x100000, 0x21000, MEMORY }, { 0x121000, PAGE, MEMORY }, true },
		{ { 0x100000, 0x21fff, MEMORY }, { IMAGE_END, PAGE, MEMORY }, false },
		{ { 0x100000, 0x20000, MEMORY }, { IMAGE + 1, 0x10000, MEMORY }, false },
		{ { 0x100000, 0x21000, MEMORY }, { 0x121000, PAGE, RESERVED }, false },
		{ { 0x100000, 0x21000, MEMORY }, { 0x121000, PAGE, ACPI }, false },
	};

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		put_more(&rows[n].high, 1);
		put_entry(2, rows[n].low.from, rows[n].low.bytes, rows[n].low.type);
		if (rows[n].is_good)
			assert_good();
		else
			assert_refused("its memory map does not have memory at 0x120000-0x122000, "
				       "where the probe is");
	}
}

/* Page 0 is not free, and data that a loader has there can be read. */
TEST_F(setup, teardown, test_page_0)
{
	put_entry(0, 0, 0x800, MEMORY);
	put_more(&(struct entry){ 0x800, 0x9f800, NVS }, 1);
	assert_good();
	assert_int_equal(info.map.ranges, GOOD + 1);
	assert_range(0, PAGE, PAGE, MEMORY_FREE, UEFI_FREE);
	assert_range(1, PAGE, 0xa0000, MEMORY_USED, UEFI_NVS);
	assert_int_equal(memory_map_free_in(&info.map, 0, PAGE), 0);
}

/* ---- The command line ---- */

TEST_F(setup, teardown, test_command_lines)
{
	static const char outside[] = "the command line at 0x1f0000, of 1 bytes, is not in "
				      "memory, by the memory map";
	static const struct {
		uint64_t at;
		size_t bytes;
		const char *why; /* NULL: accepted */
	} rows[] = {
		{ COMMAND, 5, NULL },
		{ COMMAND, 0, NULL },
		{ COMMAND, START_INFO_COMMAND_MAX - 1, NULL },
		{ COMMAND, START_INFO_COMMAND_MAX,
		  "the command line at 0x10000 is too long; accepted: at most 16383 bytes" },
		{ ABOVE - 6, 5, NULL },
		{ ABOVE - 5, 5, outside },
		{ IMAGE - 6, 5, NULL },
		{ IMAGE - 5, 5,
		  "the command line at 0x120000-0x120001 is over the probe at 0x120000-0x122000" },
		{ IMAGE_END - 1, 5,
		  "the command line at 0x121fff-0x122000 is over the probe at 0x120000-0x122000" },
		{ IMAGE_END, 5, NULL },
	};

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		put_command(rows[n].at, rows[n].bytes);
		if (rows[n].why) {
			assert_refused(rows[n].why);
			continue;
		}
		assert_good();
		assert_int_equal(info.command_bytes, rows[n].bytes);
		assert_memory_equal(info.command, physical_at(&physical, rows[n].at),
				    rows[n].bytes + 1);
	}
	put_head(AT_COMMAND, 8, UINT64_MAX);
	assert_refused("the command line at 0xffffffffffffffff, of 1 bytes, is not in memory, by "
		       "the memory map");
}

/* ---- Modules ---- */

TEST_F(setup, teardown, test_modules)
{
	for (uint32_t n = 0; n < START_INFO_MODULES_MAX; n++)
		put_module(n, 0x20000 + n * PAGE, PAGE);
	assert_good();
	assert_int_equal(info.modules, START_INFO_MODULES_MAX);
	/* The last module counts as well. */
	put_module(START_INFO_MODULES_MAX - 1, IMAGE, 1);
	assert_refused("a module at 0x120000-0x120001 is over the probe at 0x120000-0x122000");
	put_module(START_INFO_MODULES_MAX, 0x20000, PAGE);
	assert_refused("it has 65 modules; accepted: at most 64");
	put_head(AT_MODULES, 4, UINT32_MAX);
	assert_refused("it has 4294967295 modules; accepted: at most 64");
}

TEST_F(setup, teardown, test_where_a_module_is)
{
	static const struct {
		uint64_t address, bytes;
		const char *why; /* NULL: accepted */
	} rows[] = {
		{ 0x110000, 0x20000,
		  "a module at 0x110000-0x130000 is over the probe at 0x120000-0x122000" },
		{ 0x9f000, PAGE, NULL },
		{ 0, PAGE, NULL },
		{ UINT64_MAX, 1,
		  "a module at 0xffffffffffffffff, of 1 bytes, is not in memory, by the memory "
		  "map" },
		{ 0x180000, UINT64_MAX - 0x17ffff,
		  "a module at 0x180000, of 18446744073707978752 bytes, is not in memory, by the "
		  "memory map" },
		/* An empty module may be anywhere. */
		{ 0, 0, NULL },
		{ IMAGE, 0, NULL },
		{ IMAGE + PAGE, 0, NULL },
		{ IMAGE_END, 0, NULL },
		{ TOP, 0, NULL },
		{ UINT64_MAX, 0, NULL },
	};

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		put_module(0, rows[n].address, rows[n].bytes);
		if (rows[n].why)
			assert_refused(rows[n].why);
		else
			assert_good();
	}
}

TEST_F(setup, teardown, test_where_the_list_of_modules_is)
{
	/* The list's second entry is over the probe, or not in memory. */
	put_head(AT_MODULES, 4, 2);
	put_head(AT_MODULE_LIST, 8, IMAGE - MODULE_BYTES);
	assert_refused("the list of modules at 0x120000-0x120020 is over the probe at "
		       "0x120000-0x122000");
	put_head(AT_MODULE_LIST, 8, ABOVE - MODULE_BYTES);
	assert_refused("the list of modules at 0x1f0000, of 32 bytes, is not in memory, by the "
		       "memory map");
	put_head(AT_MODULE_LIST, 8, -(uint64_t)MODULE_BYTES);
	assert_refused("the list of modules at 0xffffffffffffffe0, of 32 bytes, is not in memory, "
		       "by the memory map");
	/* If there are no modules, the list may be anywhere. */
	put_head(AT_MODULES, 4, 0);
	put_head(AT_MODULE_LIST, 8, IMAGE);
	assert_good();
}
