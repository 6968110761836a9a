/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start infos of PVH and boot_params of Linux with one defect each, which must be refused for that
 * reason, next to the last good value.
 */
#include "pvh/x86_64/start_info.h"
#include "tests/unit/common/test.h"
#include "tests/unit/physical.h"

#include <stdio.h>
#include <string.h>

#define PAGE UINT64_C(4096)

/* Addresses. From ABOVE on there is no memory by the map; physical memory ends at TOP. */
#define INFO      UINT64_C(0x8000)
#define MAP       UINT64_C(0x9000) /* address of the start info */
#define SETUP     UINT64_C(0xa000)
#define COMMAND   UINT64_C(0x10000)
#define IMAGE     UINT64_C(0x120000)
#define IMAGE_END UINT64_C(0x122000)
#define ABOVE     UINT64_C(0x1f0000)
#define TOP       UINT64_C(0x200000)
#define DISPLAY   UINT64_C(0xfd000000)

#define OVER     "is over the probe at 0x120000-0x122000"
#define OUTSIDE  "is not in memory, by the memory map"
#define UNREAD   "cannot be read; accepted: an address below 3584 GiB"
#define PROBLEM  240
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Types of entries: ACPI 6.5, table 15.4. */
enum { MEMORY = 1, RESERVED, ACPI, NVS, UNUSABLE, DISABLED, SETUP_DATA = 128 };

/* struct hvm_start_info: Xen, public/arch-x86/hvm/start_info.h. */
enum { PVH_MAGIC = 0, PVH_VERSION = 4, PVH_MODULES = 12, PVH_MAP = 40, PVH_RANGES = 48 };

/* Linux, Documentation/arch/x86/zero-page.rst and boot.rst. */
enum {
	AT_EXT_IMAGE = 0xc0,
	AT_EXT_BYTES = 0xc4,
	AT_EXT_COMMAND = 0xc8,
	AT_RANGES = 0x1e8,
	AT_MAGIC = 0x202,
	AT_IMAGE = 0x218,
	AT_BYTES = 0x21c,
	AT_COMMAND = 0x228,
	AT_SETUP = 0x250,
	AT_MAP = 0x2d0,
};

struct protocol {
	bool (*read)(struct start_info_reading *r);
	const char *name;
	uint32_t bytes, magic, at_magic, at_ranges, entry_bytes, at_command, at_rsdp;
	uint64_t map;
};
static const struct protocol pvh = {
	start_info_read, "the start info", 56, 0x336ec578, PVH_MAGIC, PVH_RANGES, 24, 24, 32, MAP
};
static const struct protocol kexec = { start_info_read_linux,
				       "boot_params",
				       4096,
				       0x53726448,
				       AT_MAGIC,
				       AT_RANGES,
				       20,
				       AT_COMMAND,
				       0x70,
				       INFO + AT_MAP };

static const struct protocol *const both[] = { &pvh, &kexec };
static const struct protocol *by;

struct entry {
	uint64_t from, bytes;
	uint32_t type;
};

static const struct entry good[] = {
	{ 0, 0xa0000, MEMORY },
	{ 0xf0000, 0x10000, RESERVED },
	{ 0x100000, 0xf0000, MEMORY },
};
#define GOOD ((uint32_t)COUNT(good))

static struct physical physical;
static struct start_info info;
static char reason[PROBLEM];

static void put(uint32_t at, unsigned bytes, uint64_t value)
{
	physical_put(&physical, INFO + at, bytes, value);
}

static void put_entry_at(uint64_t at, struct entry e)
{
	physical_put(&physical, at, 8, e.from);
	physical_put(&physical, at + 8, 8, e.bytes);
	physical_put(&physical, at + 16, 4, e.type);
}

static void put_entry(uint32_t n, struct entry e)
{
	put_entry_at(by->map + n * by->entry_bytes, e);
}

static void put_count(uint32_t ranges)
{
	put(by->at_ranges, by == &pvh ? 4 : 1, ranges);
}

/* Start again, with what is good, and these ranges besides. */
static void start(const struct protocol *p, const struct entry *more, uint32_t count)
{
	physical_reset(&physical);
	physical.used = TOP - PHYSICAL_BASE;
	by = p;
	put(p->at_magic, 4, p->magic);
	if (p == &pvh) {
		put(PVH_VERSION, 4, 1);
		put(PVH_MAP, 8, MAP);
	}
	for (uint32_t n = 0; n < GOOD + count; n++)
		put_entry(n, n < GOOD ? good[n] : more[n - GOOD]);
	put_count(GOOD + count);
}

static void start_with(uint64_t from, uint64_t bytes, uint32_t type)
{
	start(&pvh, &(struct entry){ from, bytes, type }, 1);
}

static void setup_pvh(void)
{
	start(&pvh, NULL, 0);
}

static void setup_kexec(void)
{
	start(&kexec, NULL, 0);
}

static void teardown(void)
{
	physical_forget(&physical);
}

/* Map one part, and forget the one before: the reader must not use parts later. */
static const void *map_one(void *ctx, uint64_t address, size_t bytes)
{
	physical_forget(ctx);
	return physical_map(ctx, address, bytes);
}

static bool read_at(uint64_t address)
{
	const struct acpi_memory memory = { map_one, &physical };
	TEXT_DEFINE(problem, PROBLEM);
	struct start_info_reading r = { &info, &memory, address, IMAGE, IMAGE_END, &problem };
	bool is_good;

	memset(&info, 0xa5, sizeof(info));
	is_good = by->read(&r);
	assert_false(problem.overflow);
	memcpy(reason, problem.buf, sizeof(reason));
	return is_good;
}

static void assert_good_at(uint64_t address)
{
	if (!read_at(address))
		fail_msg("is refused: %s", reason);
	assert_string_equal(reason, "");
}

static void assert_good(void)
{
	assert_good_at(INFO);
}

static __attribute__((format(printf, 2, 3))) void assert_refused_at(uint64_t address,
								    const char *format, ...)
{
	char why[PROBLEM];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	assert_false(read_at(address));
	assert_string_equal(reason, why);
}

#define assert_refused(...) assert_refused_at(INFO, __VA_ARGS__)

static void assert_range(size_t n, uint64_t from, uint64_t end, enum memory_kind kind)
{
	const struct memory_range *r = memory_map_at(&info.map, n);

	assert_non_null(r);
	assert_int_equal(r->from, from);
	assert_int_equal(r->end, end);
	assert_int_equal(r->kind, kind);
	assert_false(r->is_runtime);
}

/* ---- The head ---- */

TEST_F(NULL, teardown, test_good)
{
	for (size_t n = 0; n < COUNT(both); n++) {
		start(both[n], NULL, 0);
		put(by->at_rsdp, 8, 0x123456789abcdef0);
		assert_good();
		assert_int_equal(info.map.ranges, GOOD);
		assert_range(0, PAGE, 0xa0000, MEMORY_FREE);
		assert_range(1, 0xf0000, 0x100000, MEMORY_RESERVED);
		assert_range(2, 0x100000, ABOVE, MEMORY_FREE);
		assert_int_equal(info.rsdp, 0x123456789abcdef0);
		assert_int_equal(info.initrd_bytes, 0);
		assert_int_equal(info.command_bytes, 0);
		assert_string_equal(info.command, "");
		assert_int_equal(info.screen.width, 0);
	}
}

TEST_F(NULL, teardown, test_magic)
{
	for (size_t n = 0; n < COUNT(both); n++)
		for (unsigned bit = 0; bit < 32; bit++) {
			uint32_t wrong = both[n]->magic ^ UINT32_C(1) << bit;

			start(both[n], NULL, 0);
			put(by->at_magic, 4, wrong);
			assert_refused("%s at 0x8000 has the magic number 0x%x; accepted: 0x%x",
				       by->name, wrong, by->magic);
		}
}

TEST_F(setup_pvh, teardown, test_version)
{
	put(PVH_VERSION, 4, 0);
	assert_refused("the start info has version 0, without a memory map; accepted: 1 or later");
	put(PVH_VERSION, 4, UINT32_MAX);
	assert_good();
}

TEST_F(setup_pvh, teardown, test_modules)
{
	put(PVH_MODULES, 4, 1);
	assert_refused("it has 1 modules; accepted: none");
	put(PVH_MODULES, 4, UINT32_MAX);
	assert_refused("it has 4294967295 modules; accepted: none");
}

/* ---- Where things may be ---- */

/* Move it there, if there is physical memory. */
static void move(uint64_t from, uint64_t to, size_t bytes)
{
	if (to >= PHYSICAL_BASE && to <= TOP)
		memmove(physical_at(&physical, to), physical_at(&physical, from), bytes);
}

static void place_head(uint64_t to)
{
	move(INFO, to, by->bytes);
}

static void place_map(uint64_t to)
{
	move(MAP, to, GOOD * by->entry_bytes);
	put(PVH_MAP, 8, to);
}

static void place_command(uint64_t to)
{
	put(by->at_command, 4, to);
	put(by == &pvh ? by->at_command + 4 : AT_EXT_COMMAND, 4, to >> 32);
}

static void place_initrd(uint64_t to)
{
	put(AT_IMAGE, 4, to);
	put(AT_EXT_IMAGE, 4, to >> 32);
	put(AT_BYTES, 4, PAGE);
}

static void put_node(uint64_t at, uint64_t next, uint32_t type, uint32_t bytes)
{
	physical_put(&physical, at, 8, next);
	physical_put(&physical, at + 8, 4, type);
	physical_put(&physical, at + 12, 4, bytes);
}

static void place_node(uint64_t to)
{
	put(AT_SETUP, 8, to);
}

/* A node whose first range is there. */
static void place_range(uint64_t to)
{
	put_node(to - 16, 0, 1, 20);
	place_node(to - 16);
}

/* Each address is beside the probe, at the end of the map's memory, or cannot be read. */
TEST_F(NULL, teardown, test_places)
{
	static const struct {
		const struct protocol *by;
		void (*place)(uint64_t to);
		uint64_t to;
		const char *why; /* NULL: accepted */
	} rows[] = {
		{ &pvh, place_head, IMAGE - 56, NULL },
		{ &pvh, place_head, IMAGE - 55, "the start info at 0x11ffc9-0x120001 " OVER },
		{ &pvh, place_head, IMAGE_END - 1, "the start info at 0x121fff-0x122037 " OVER },
		{ &pvh, place_head, IMAGE_END, NULL },
		{ &pvh, place_head, ABOVE - 56, NULL },
		{ &pvh, place_head, ABOVE - 55,
		  "the start info at 0x1effc9, of 56 bytes, " OUTSIDE },
		{ &pvh, place_head, 0, "the start info at 0x0 " UNREAD },
		{ &pvh, place_head, TOP - 55, "the start info at 0x1fffc9 " UNREAD },
		{ &pvh, place_head, GIB4, "the start info at 0x100000000 " UNREAD },
		{ &pvh, place_head, -(uint64_t)56, "the start info at 0xffffffffffffffc8 " UNREAD },
		{ &pvh, place_map, IMAGE - 72, NULL },
		{ &pvh, place_map, IMAGE - 67, "the memory map at 0x11ffed-0x120001 " OVER },
		{ &pvh, place_map, IMAGE_END - 1, "the memory map at 0x121fff-0x122013 " OVER },
		{ &pvh, place_map, IMAGE_END, NULL },
		{ &pvh, place_map, ABOVE - 72, NULL },
		{ &pvh, place_map, ABOVE - 71,
		  "the memory map at 0x1effb9, of 72 bytes, " OUTSIDE },
		{ &pvh, place_map, 0, "the memory map at 0x0 " UNREAD },
		{ &pvh, place_map, TOP - 67, "the memory map at 0x1fffed " UNREAD },
		{ &pvh, place_map, UINT64_MAX, "the memory map at 0xffffffffffffffff " UNREAD },
		{ &pvh, place_command, UINT64_MAX,
		  "the command line at 0xffffffffffffffff, of 1 bytes, " OUTSIDE },
		{ &kexec, place_head, IMAGE - 1, "boot_params at 0x11ffff-0x120fff " OVER },
		{ &kexec, place_head, ABOVE - PAGE, NULL },
		{ &kexec, place_head, ABOVE - 1,
		  "boot_params at 0x1effff, of 4096 bytes, " OUTSIDE },
		{ &kexec, place_head, TOP - PAGE + 1, "boot_params at 0x1ff001 " UNREAD },
		{ &kexec, place_command, GIB4 + COMMAND,
		  "the command line at 0x100010000, of 1 bytes, " OUTSIDE },
		{ &kexec, place_initrd, IMAGE - PAGE, NULL },
		{ &kexec, place_initrd, IMAGE - PAGE + 1, "the initrd at 0x11f001-0x120001 " OVER },
		{ &kexec, place_initrd, IMAGE_END - 1, "the initrd at 0x121fff-0x122fff " OVER },
		{ &kexec, place_initrd, ABOVE - PAGE, NULL },
		{ &kexec, place_initrd, ABOVE - 1,
		  "the initrd at 0x1effff, of 4096 bytes, " OUTSIDE },
		{ &kexec, place_initrd, GIB4,
		  "the initrd at 0x100000000, of 4096 bytes, " OUTSIDE },
		{ &kexec, place_node, IMAGE - 15, "setup_data at 0x11fff1-0x120001 " OVER },
		{ &kexec, place_node, IMAGE_END - 1, "setup_data at 0x121fff-0x12200f " OVER },
		{ &kexec, place_node, TOP - 15, "setup_data at 0x1ffff1 " UNREAD },
		{ &kexec, place_node, UINT64_MAX, "setup_data at 0xffffffffffffffff " UNREAD },
		{ &kexec, place_range, IMAGE, "the memory map at 0x120000-0x120014 " OVER },
		{ &kexec, place_range, TOP, "the memory map at 0x200000 " UNREAD },
	};

	for (size_t n = 0; n < COUNT(rows); n++) {
		uint64_t head = rows[n].place == place_head ? rows[n].to : INFO;

		start(rows[n].by, NULL, 0);
		rows[n].place(rows[n].to);
		if (rows[n].why)
			assert_refused_at(head, "%s", rows[n].why);
		else
			assert_good_at(head);
	}
}

/* The map has memory that the program cannot read; here, memory ends at TOP. */
TEST_F(NULL, teardown, test_memory_that_cannot_be_read)
{
	start_with(GIB4, PAGE, MEMORY);
	place_command(GIB4);
	assert_refused("the command line at 0x100000000 " UNREAD);
}

/* ---- The memory map ---- */

/* The largest accepted number of ranges: pages that are reserved and free in turn. */
TEST_F(NULL, teardown, test_counts)
{
	for (size_t n = 0; n < COUNT(both); n++) {
		start(both[n], NULL, 0);
		put_count(0);
		assert_refused("its memory map has 0 ranges; accepted: 1 to 128");
		for (uint32_t i = GOOD; i < 129; i++)
			put_entry(i, (struct entry){ TOP + 2 * i * PAGE, PAGE,
						     i % 2 ? RESERVED : MEMORY });
		put_count(128);
		assert_good();
		assert_int_equal(info.map.ranges, 128);
		assert_range(127, TOP + 254 * PAGE, TOP + 255 * PAGE, MEMORY_RESERVED);
		put_count(129);
		assert_refused("its memory map has 129 ranges; accepted: 1 to 128");
	}
	start(&pvh, NULL, 0);
	put_count(UINT32_MAX);
	assert_refused("its memory map has 4294967295 ranges; accepted: 1 to 128");
}

/*
 * Below 4 GiB, reserved ranges are memory. Free ranges are cut to whole pages, and left out if they
 * have none; others keep each byte.
 */
TEST_F(NULL, teardown, test_a_range)
{
	static const struct {
		struct entry given;
		uint64_t from, end; /* 0: left out */
		enum memory_kind kind;
	} rows[] = {
		{ { TOP, PAGE, 0 }, TOP, TOP + PAGE, MEMORY_OTHER },
		{ { TOP, PAGE, MEMORY }, TOP, TOP + PAGE, MEMORY_FREE },
		{ { TOP, PAGE, RESERVED }, TOP, TOP + PAGE, MEMORY_RESERVED },
		{ { TOP, PAGE, ACPI }, TOP, TOP + PAGE, MEMORY_USED },
		{ { TOP, PAGE, NVS }, TOP, TOP + PAGE, MEMORY_USED },
		{ { TOP, PAGE, UNUSABLE }, TOP, TOP + PAGE, MEMORY_OTHER },
		{ { TOP, PAGE, DISABLED }, TOP, TOP + PAGE, MEMORY_OTHER },
		{ { TOP, PAGE, UINT32_MAX }, TOP, TOP + PAGE, MEMORY_OTHER },
		{ { GIB4 - PAGE, PAGE, RESERVED }, GIB4 - PAGE, GIB4, MEMORY_RESERVED },
		{ { GIB4 - PAGE, PAGE + 1, RESERVED }, GIB4 - PAGE, GIB4 + 1, MEMORY_OTHER },
		{ { UINT64_MAX - PAGE, PAGE, UNUSABLE }, -1 - PAGE, UINT64_MAX, MEMORY_OTHER },
		{ { TOP + 1, 2 * PAGE, MEMORY }, TOP + PAGE, TOP + 2 * PAGE, MEMORY_FREE },
		{ { TOP + 1, 2 * PAGE - 1, MEMORY }, TOP + PAGE, TOP + 2 * PAGE, MEMORY_FREE },
		{ { UINT64_MAX - 2 * PAGE, 2 * PAGE, MEMORY }, -2 * PAGE, -PAGE, MEMORY_FREE },
		{ { TOP + 1, 2 * PAGE, ACPI }, TOP + 1, TOP + 2 * PAGE + 1, MEMORY_USED },
		{ { TOP, PAGE - 1, MEMORY }, 0, 0, MEMORY_FREE },
		{ { TOP + 1, 2 * PAGE - 2, MEMORY }, 0, 0, MEMORY_FREE },
		{ { TOP + 16, 16, MEMORY }, 0, 0, MEMORY_FREE },
		{ { UINT64_MAX - 1, 1, MEMORY }, 0, 0, MEMORY_FREE },
		{ { TOP, 0, RESERVED }, 0, 0, MEMORY_FREE },
	};

	for (size_t n = 0; n < COUNT(rows); n++) {
		start(&pvh, &rows[n].given, 1);
		assert_good();
		assert_int_equal(info.map.ranges, rows[n].end ? GOOD + 1 : GOOD);
		if (rows[n].end)
			assert_range(GOOD, rows[n].from, rows[n].end, rows[n].kind);
	}
}

/* Ranges are sorted by address. Free ones that touch become one. */
TEST_F(NULL, teardown, test_order)
{
	static const struct entry more[] = {
		{ TOP + 8 * PAGE, PAGE, ACPI },
		{ 0xa0000, 0x1000, NVS },
		{ TOP + 2 * PAGE, PAGE, RESERVED },
		{ ABOVE, TOP - ABOVE, MEMORY },
		{ TOP, PAGE, MEMORY },
		{ TOP + 3 * PAGE, PAGE, RESERVED },
	};

	start(&pvh, more, COUNT(more));
	assert_good();
	assert_int_equal(info.map.ranges, 7);
	assert_range(0, PAGE, 0xa0000, MEMORY_FREE);
	assert_range(1, 0xa0000, 0xa1000, MEMORY_USED);
	assert_range(2, 0xf0000, 0x100000, MEMORY_RESERVED);
	assert_range(3, 0x100000, TOP + PAGE, MEMORY_FREE);
	assert_range(4, TOP + 2 * PAGE, TOP + 3 * PAGE, MEMORY_RESERVED);
	assert_range(5, TOP + 3 * PAGE, TOP + 4 * PAGE, MEMORY_RESERVED);
	assert_range(6, TOP + 8 * PAGE, TOP + 9 * PAGE, MEMORY_USED);
}

TEST_F(NULL, teardown, test_maps_of_nonsense)
{
	static const struct {
		struct entry given;
		const char *why;
	} rows[] = {
		{ { UINT64_MAX - PAGE, PAGE + 1, UNUSABLE },
		  "its map has a range past the last address: 0xffffffffffffefff, 0x1001 bytes" },
		{ { 1, UINT64_MAX, MEMORY },
		  "its map has a range past the last address: 0x1, 0xffffffffffffffff bytes" },
		{ { ABOVE - 1, PAGE, RESERVED },
		  "its memory map has ranges that overlap at 0x1effff" },
		{ { 0xe0000, 0x10001, RESERVED },
		  "its memory map has ranges that overlap at 0xf0000" },
		{ { 0x100000, 0xf0000, MEMORY },
		  "its memory map has ranges that overlap at 0x100000" },
		{ { 0x40000, 1, ACPI }, "its memory map has ranges that overlap at 0x40000" },
	};

	for (size_t n = 0; n < COUNT(rows); n++) {
		start(&pvh, &rows[n].given, 1);
		assert_refused("%s", rows[n].why);
	}
}

TEST_F(NULL, teardown, test_memory_where_the_probe_is)
{
	static const struct {
		struct entry low, high; /* replace the third range */
		bool is_good;
	} rows[] = {
		{ { 0x100000, 0x22000, MEMORY }, { IMAGE_END, PAGE, RESERVED }, true },
		{ { 0x100000, 0x20000, RESERVED }, { IMAGE, 0x10000, MEMORY }, true },
		{ { 0x100000, 0x21000, MEMORY }, { 0x121000, PAGE, MEMORY }, true },
		{ { 0x100000, 0x21000, MEMORY }, { 0x121000, PAGE, SETUP_DATA }, true },
		{ { 0x100000, 0x20555, MEMORY }, { 0x120555, 0x2000, SETUP_DATA }, true },
		{ { 0x100000, 0x21fff, MEMORY }, { IMAGE_END, PAGE, MEMORY }, false },
		{ { 0x100000, 0x20000, MEMORY }, { IMAGE + 1, 0x10000, MEMORY }, false },
		{ { 0x100000, 0x21000, MEMORY }, { 0x121000, PAGE, RESERVED }, false },
		{ { 0x100000, 0x21000, MEMORY }, { 0x121000, PAGE, ACPI }, false },
	};

	for (size_t n = 0; n < COUNT(rows); n++) {
		start(&pvh, &rows[n].high, 1);
		put_entry(2, rows[n].low);
		if (rows[n].is_good)
			assert_good();
		else
			assert_refused("its memory map does not have memory at 0x120000-0x122000, "
				       "where the probe is");
	}
}

/*
 * Page 0 is not in the map. The start info's map may be there, but no initrd, which is read later.
 */
TEST_F(NULL, teardown, test_page_0)
{
	start_with(0x800, 0x9f800, NVS);
	put_entry(0, (struct entry){ 0, 0x800, MEMORY });
	assert_good();
	assert_int_equal(info.map.ranges, GOOD);
	assert_range(0, PAGE, 0xa0000, MEMORY_USED);
	start(&kexec, NULL, 0);
	put_entry(0, (struct entry){ 0, 9 * PAGE, MEMORY });
	put(AT_IMAGE, 4, PAGE);
	put(AT_BYTES, 4, 8 * PAGE);
	assert_good();
	put(AT_IMAGE, 4, PAGE - 1);
	assert_refused("the initrd at 0xfff, of 32768 bytes, " OUTSIDE);
	put(AT_IMAGE, 4, 0);
	put(AT_BYTES, 4, PAGE);
	assert_refused("the initrd at 0x0, of 4096 bytes, " OUTSIDE);
}

/* ---- The command line ---- */

TEST_F(NULL, teardown, test_command_lines)
{
	static const struct {
		uint64_t at;
		size_t bytes;
		const char *why; /* NULL: accepted */
	} rows[] = {
		{ COMMAND, 5, NULL },
		{ COMMAND, 0, NULL },
		{ COMMAND, 16383, NULL },
		{ COMMAND, 16384,
		  "the command line at 0x10000 is too long; accepted: at most 16383 bytes" },
		{ ABOVE - 6, 5, NULL },
		{ ABOVE - 5, 5, "the command line at 0x1f0000, of 1 bytes, " OUTSIDE },
		{ IMAGE - 6, 5, NULL },
		{ IMAGE - 5, 5, "the command line at 0x120000-0x120001 " OVER },
		{ IMAGE_END - 1, 5, "the command line at 0x121fff-0x122000 " OVER },
		{ IMAGE_END, 5, NULL },
	};

	for (size_t n = 0; n < 2 * COUNT(rows); n++) {
		const uint64_t at = rows[n / 2].at;
		const size_t bytes = rows[n / 2].bytes;

		start(both[n % 2], NULL, 0);
		for (size_t i = 0; i < bytes; i++)
			*physical_at(&physical, at + i) = (uint8_t)('a' + i % 26);
		place_command(at);
		if (rows[n / 2].why) {
			assert_refused("%s", rows[n / 2].why);
			continue;
		}
		assert_good();
		assert_int_equal(info.command_bytes, bytes);
		assert_memory_equal(info.command, physical_at(&physical, at), bytes + 1);
	}
}

/* ---- setup_data ---- */

TEST_F(setup_kexec, teardown, test_more_ranges)
{
	put_count(1);
	place_node(SETUP);
	/* A node of another kind, then one of ranges, whose last bytes are no whole range. */
	put_node(SETUP, SETUP + 0x100, 4, 100);
	put_node(SETUP + 0x100, 0, 1, 2 * 20 + 19);
	put_entry_at(SETUP + 0x110, (struct entry){ TOP, PAGE, RESERVED });
	put_entry_at(SETUP + 0x110 + 20, (struct entry){ 0x100000, 0xf0000, MEMORY });
	assert_good();
	/* The page of the nodes is kept. */
	assert_int_equal(info.map.ranges, 5);
	assert_range(0, PAGE, SETUP, MEMORY_FREE);
	assert_range(1, SETUP, SETUP + PAGE, MEMORY_USED);
	assert_range(3, 0x100000, ABOVE, MEMORY_FREE);
	assert_range(4, TOP, TOP + PAGE, MEMORY_RESERVED);
}

TEST_F(setup_kexec, teardown, test_too_many_more_ranges)
{
	place_node(SETUP);
	put_node(SETUP, 0, 1, (256 - GOOD) * 20);
	for (uint32_t n = 0; n < 256; n++)
		put_entry_at(SETUP + 16 + n * 20,
			     (struct entry){ TOP + 2 * n * PAGE, PAGE, RESERVED });
	assert_good();
	assert_int_equal(info.map.ranges, 256 + 2);
	put_node(SETUP, 0, 1, (257 - GOOD) * 20);
	assert_refused("its memory map has 257 ranges; accepted: 1 to 256");
	put_node(SETUP, 0, 1, UINT32_MAX);
	assert_refused("its memory map has 214748367 ranges; accepted: 1 to 256");
}

TEST_F(setup_kexec, teardown, test_a_list_of_setup_data)
{
	place_node(SETUP);
	for (uint32_t n = 0; n < 64; n++)
		put_node(SETUP + 16 * n, n < 63 ? SETUP + 16 * (n + 1) : 0, 9, 0);
	assert_good();
	put_node(SETUP + 16 * 63, SETUP + 16 * 64, 9, 0);
	assert_refused("setup_data has more than 64 nodes");
	put_node(SETUP + 16 * 63, SETUP, 9, 0);
	assert_refused("setup_data has more than 64 nodes");
}

/* A Linux that is started again needs them as they are. */
TEST_F(setup_kexec, teardown, test_what_is_kept)
{
	static const uint64_t kept[] = { SETUP, 2 * SETUP, 3 * SETUP, 4 * SETUP, 4 * SETUP + PAGE };

	put(AT_IMAGE, 4, 3 * SETUP);
	put(AT_BYTES, 4, 17);
	place_node(SETUP);
	put_node(SETUP, 2 * SETUP, 4, 100);
	put_node(2 * SETUP, 0, 9, 0);
	put(0x1d0, 4, 4 * SETUP);
	put(0x1d4, 4, PAGE + 1);
	assert_good();
	assert_memory_equal(info.params, physical_at(&physical, INFO), PAGE);
	assert_int_equal(info.initrd, 3 * SETUP);
	assert_int_equal(info.initrd_bytes, 17);
	assert_int_equal(memory_map_free_in(&info.map, PAGE, 0xa0000),
			 0xa0000 - PAGE - COUNT(kept) * PAGE);
	for (size_t n = 0; n < COUNT(kept); n++)
		assert_int_equal(memory_map_free_in(&info.map, kept[n], kept[n] + PAGE), 0);
	put(0x1dc, 4, 9);
	assert_good();
	assert_int_equal(memory_map_free_in(&info.map, 4 * SETUP, 5 * SETUP), SETUP);
	put(AT_EXT_BYTES, 4, 1);
	assert_refused("the initrd at 0x1e000-0x10001e011 " OVER);
}

/* ---- The screen ---- */

/* A screen, in which `bytes` bytes at `at` are then changed to `value`. */
static void put_screen(uint64_t base, uint32_t at, unsigned bytes, uint64_t value)
{
	/* Bits and position of red, green, blue and reserved. */
	static const uint8_t colours[8] = { 8, 16, 8, 8, 8, 0, 8, 24 };

	put(0x0f, 1, 0x70);
	put(0x12, 2, 1024);
	put(0x14, 2, 768);
	put(0x16, 2, 32);
	put(0x18, 4, base);
	put(0x24, 2, 4224);
	put(0x3a, 4, base >> 32);
	for (uint32_t n = 0; n < 8; n++)
		put(0x26 + n, 1, colours[n]);
	put(at, bytes, value);
}

TEST_F(setup_kexec, teardown, test_a_screen)
{
	static const uint8_t kinds[] = { 0x23, 0x70 };

	for (size_t n = 0; n < COUNT(kinds); n++) {
		put_screen(DISPLAY, 0x0f, 1, kinds[n]);
		assert_good();
		assert_true(framebuffer_check(&info.screen));
		assert_int_equal(info.screen.address, DISPLAY);
		assert_int_equal(info.screen.bytes, 4224 * 768);
		assert_int_equal(info.screen.width, 1024);
		assert_int_equal(info.screen.height, 768);
		assert_int_equal(info.screen.stride, 1056);
		assert_false(info.screen.red_first);
	}
}

/* Screens of another kind, depth or colour; and pixels in memory, or where nothing is mapped. */
TEST_F(setup_kexec, teardown, test_no_screen)
{
	static const struct {
		uint64_t base;
		uint32_t at, value; /* bytes of the header */
		bool is_there;
	} rows[] = {
		{ DISPLAY, 0x0f, 0x01, false },  { DISPLAY, 0x16, 16, false },
		{ DISPLAY, 0x26, 5, false },     { DISPLAY, 0x27, 25, false },
		{ DISPLAY, 0x27, 0, false },     { DISPLAY, 0x2b, 16, false },
		{ 0, 0x16, 32, false },          { 0xc0000, 0x16, 32, false },
		{ IMAGE, 0x16, 32, false },      { ABOVE - 1, 0x16, 32, false },
		{ ABOVE, 0x16, 32, true },       { GIB4 - 4224 * 768, 0x16, 32, true },
		{ GIB4, 0x16, 32, false },       { GIB4 - 4224 * 768 + 1, 0x16, 32, false },
		{ UINT64_MAX, 0x16, 32, false },
	};

	for (size_t n = 0; n < COUNT(rows); n++) {
		put_screen(rows[n].base, rows[n].at, 1, rows[n].value);
		assert_good();
		assert_int_equal(framebuffer_check(&info.screen), rows[n].is_there);
	}
	put_screen(DISPLAY, 0x27, 1, 0);
	put(0x2b, 1, 16);
	assert_good();
	assert_true(framebuffer_check(&info.screen) && info.screen.red_first);
}
