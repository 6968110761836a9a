/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux's boot_params, good but for one thing. What they share with PVH's start info is tested in
 * test_start_info.c.
 */
#include "tests/unit/pvh/loader.h"

#define SETUP   UINT64_C(0x9000)
#define DISPLAY UINT64_C(0xfd000000)

#define ENTRY_BYTES 20u

/* Linux, Documentation/arch/x86/zero-page.rst and boot.rst. */
enum {
	AT_RSDP = 0x70,
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

static void put(uint32_t at, unsigned bytes, uint64_t value)
{
	physical_put(&physical, INFO + at, bytes, value);
}

static void put_node(uint64_t at, uint64_t next, uint32_t type, uint32_t bytes)
{
	physical_put(&physical, at, 8, next);
	physical_put(&physical, at + 8, 4, type);
	physical_put(&physical, at + 12, 4, bytes);
}

static int setup(void **state)
{
	(void)state;
	memset(&info, 0xa5, sizeof(info));
	reset_memory();
	put(AT_MAGIC, 4, 0x53726448);
	put_entry_at(INFO + AT_MAP, 0, 0xa0000, MEMORY);
	put_entry_at(INFO + AT_MAP + ENTRY_BYTES, 0x100000, 0xf0000, MEMORY);
	put(AT_RANGES, 1, 2);
	return 0;
}

static void assert_good(void)
{
	assert_good_by(start_info_read_linux, INFO);
}

static void assert_refused_at(uint64_t address, const char *why)
{
	assert_refused_by(start_info_read_linux, address, why);
}

static void assert_refused(const char *why)
{
	assert_refused_at(INFO, why);
}

TEST_F(setup, teardown, test_good)
{
	put(AT_RSDP, 8, 0x123456789abcdef0);
	assert_good();
	assert_int_equal(info.map.ranges, 2);
	assert_int_equal(info.map.range[0].from, PAGE);
	assert_int_equal(info.map.range[0].end, 0xa0000);
	assert_int_equal(info.map.range[1].from, 0x100000);
	assert_int_equal(info.map.range[1].end, ABOVE);
	assert_int_equal(info.map.range[1].kind, MEMORY_FREE);
	assert_int_equal(info.rsdp, 0x123456789abcdef0);
	assert_int_equal(info.modules, 0);
	assert_int_equal(info.command_bytes, 0);
	assert_int_equal(info.screen.width, 0);
}

TEST_F(setup, teardown, test_magic)
{
	put(AT_MAGIC, 4, 0x53726449);
	assert_refused("boot_params at 0x8000 has 0x53726449 where its header begins; accepted: "
		       "0x53726448");
}

TEST_F(setup, teardown, test_where_they_are)
{
	assert_refused_at(0,
			  "boot_params at 0x0 cannot be read; accepted: an address below 3584 GiB");
	assert_refused_at(TOP - PAGE + 1, "boot_params at 0x1ff001 cannot be read; accepted: an "
					  "address below 3584 GiB");
	assert_refused_at(UINT64_MAX, "boot_params at 0xffffffffffffffff cannot be read; accepted: "
				      "an address below 3584 GiB");
	assert_refused_at(IMAGE - 1, "boot_params at 0x11ffff-0x120fff is over the probe at "
				     "0x120000-0x122000");
	memcpy(physical_at(&physical, ABOVE - 1), physical_at(&physical, INFO), PAGE);
	assert_refused_at(ABOVE - 1, "boot_params at 0x1effff, of 4096 bytes, is not in memory, by "
				     "the memory map");
}

TEST_F(setup, teardown, test_counts)
{
	put(AT_RANGES, 1, 0);
	assert_refused("its memory map has 0 ranges; accepted: 1 to 128");
	for (uint32_t n = 2; n < 129; n++)
		put_entry_at(INFO + AT_MAP + n * ENTRY_BYTES, TOP + 2 * n * PAGE, PAGE, RESERVED);
	put(AT_RANGES, 1, 128);
	assert_good();
	assert_int_equal(info.map.ranges, 128);
	put(AT_RANGES, 1, 129);
	assert_refused("its memory map has 129 ranges; accepted: 1 to 128");
}

/* ---- setup_data ---- */

TEST_F(setup, teardown, test_more_ranges)
{
	put(AT_RANGES, 1, 1);
	put(AT_SETUP, 8, SETUP);
	/* A node of another kind, then one of ranges, whose last bytes are no whole range. */
	put_node(SETUP, SETUP + 0x100, 4, UINT32_MAX);
	put_node(SETUP + 0x100, 0, 1, 2 * ENTRY_BYTES + 19);
	put_entry_at(SETUP + 0x110, TOP, PAGE, RESERVED);
	put_entry_at(SETUP + 0x110 + ENTRY_BYTES, 0x100000, 0xf0000, MEMORY);
	assert_good();
	assert_int_equal(info.map.ranges, 3);
	assert_int_equal(info.map.range[1].from, 0x100000);
	assert_int_equal(info.map.range[2].from, TOP);
	assert_int_equal(info.map.range[2].kind, MEMORY_RESERVED);
}

TEST_F(setup, teardown, test_too_many_more_ranges)
{
	put(AT_SETUP, 8, SETUP);
	put_node(SETUP, 0, 1, 254 * ENTRY_BYTES);
	for (uint32_t n = 0; n < 255; n++)
		put_entry_at(SETUP + 16 + n * ENTRY_BYTES, TOP + 2 * n * PAGE, PAGE, RESERVED);
	assert_good();
	assert_int_equal(info.map.ranges, START_INFO_RANGES_MAX);
	put_node(SETUP, 0, 1, 255 * ENTRY_BYTES);
	assert_refused("its memory map has 257 ranges; accepted: 1 to 256");
	put_node(SETUP, 0, 1, UINT32_MAX);
	assert_refused("its memory map has 214748366 ranges; accepted: 1 to 256");
}

TEST_F(setup, teardown, test_a_list_of_setup_data)
{
	put(AT_SETUP, 8, SETUP);
	for (uint32_t n = 0; n < 64; n++)
		put_node(SETUP + 16 * n, n < 63 ? SETUP + 16 * (n + 1) : 0, 9, 0);
	assert_good();
	put_node(SETUP + 16 * 63, SETUP + 16 * 64, 9, 0);
	put_node(SETUP + 16 * 64, 0, 9, 0);
	assert_refused("setup_data has more than 64 nodes");
	put_node(SETUP + 16 * 64, SETUP, 9, 0);
	assert_refused("setup_data has more than 64 nodes");
	put(AT_SETUP, 8, GIB4);
	assert_refused("setup_data at 0x100000000 cannot be read; accepted: an address below "
		       "3584 GiB");
	put(AT_SETUP, 8, UINT64_MAX);
	assert_refused("setup_data at 0xffffffffffffffff cannot be read; accepted: an address "
		       "below 3584 GiB");
	put(AT_SETUP, 8, SETUP);
	put_node(SETUP, TOP, 9, 0);
	assert_refused(
		"setup_data at 0x200000 cannot be read; accepted: an address below 3584 GiB");
}

TEST_F(setup, teardown, test_setup_data_over_the_probe)
{
	put(AT_SETUP, 8, IMAGE - 16);
	put_node(IMAGE - 16, 0, 1, ENTRY_BYTES);
	assert_refused("the memory map at 0x120000-0x120014 is over the probe at "
		       "0x120000-0x122000");
	put(AT_SETUP, 8, IMAGE_END - 1);
	assert_refused("setup_data at 0x121fff-0x12200f is over the probe at 0x120000-0x122000");
}

/* ---- The command line and the initrd ---- */

TEST_F(setup, teardown, test_a_command_line)
{
	strcpy((char *)physical_at(&physical, COMMAND), "duration=1s");
	put(AT_COMMAND, 4, COMMAND);
	assert_good();
	assert_string_equal(info.command, "duration=1s");
	put(AT_EXT_COMMAND, 4, 1);
	assert_refused("the command line at 0x100010000, of 1 bytes, is not in memory, by the "
		       "memory map");
}

TEST_F(setup, teardown, test_an_initrd)
{
	put(AT_IMAGE, 4, ABOVE - PAGE);
	put(AT_BYTES, 4, PAGE);
	assert_good();
	assert_int_equal(info.modules, 1);
	put(AT_EXT_BYTES, 4, 1);
	assert_refused("the initrd at 0x1ef000, of 4294971392 bytes, is not in memory, by the "
		       "memory map");
	put(AT_EXT_BYTES, 4, 0);
	put(AT_EXT_IMAGE, 4, 1);
	assert_refused("the initrd at 0x1001ef000, of 4096 bytes, is not in memory, by the memory "
		       "map");
	put(AT_EXT_IMAGE, 4, 0);
	put(AT_IMAGE, 4, IMAGE_END - 1);
	assert_refused("the initrd at 0x121fff-0x122fff is over the probe at 0x120000-0x122000");
}

/* A Linux that is started again needs them as they are. */
TEST_F(setup, teardown, test_what_is_kept)
{
	put(AT_IMAGE, 4, ABOVE - PAGE);
	put(AT_BYTES, 4, 17);
	put(AT_SETUP, 8, SETUP);
	put_node(SETUP, SETUP + 0x100, 4, 100);
	put_node(SETUP + 0x100, 0, 9, 0);
	put(0x1d0, 4, 0x12345678);
	put(0x1dc, 4, 9);
	put(0x1d4, 4, 480);
	assert_good();
	assert_memory_equal(info.params, physical_at(&physical, INFO), PAGE);
	assert_int_equal(info.initrd, ABOVE - PAGE);
	assert_int_equal(info.initrd_bytes, 17);
	assert_int_equal(info.kept, 4);
	assert_int_equal(info.keep[0].address, SETUP);
	assert_int_equal(info.keep[0].bytes, 116);
	assert_int_equal(info.keep[1].address, SETUP + 0x100);
	assert_int_equal(info.keep[1].bytes, 16);
	assert_int_equal(info.keep[2].address, ABOVE - PAGE);
	assert_int_equal(info.keep[2].bytes, 17);
	assert_int_equal(info.keep[3].address, 0x912345678);
	assert_int_equal(info.keep[3].bytes, 480);
}

/* ---- The screen ---- */

static void put_screen(uint8_t kind, uint64_t base)
{
	/* Bits and position of red, green, blue and reserved. */
	static const uint8_t colours[8] = { 8, 16, 8, 8, 8, 0, 8, 24 };

	put(0x0f, 1, kind);
	put(0x12, 2, 1024);
	put(0x14, 2, 768);
	put(0x16, 2, 32);
	put(0x18, 4, base);
	put(0x24, 2, 4224);
	put(0x3a, 4, base >> 32);
	for (uint32_t n = 0; n < 8; n++)
		put(0x26 + n, 1, colours[n]);
}

static void assert_no_screen(void)
{
	assert_good();
	assert_false(framebuffer_check(&info.screen));
}

TEST_F(setup, teardown, test_a_screen)
{
	static const uint8_t kinds[] = { 0x23, 0x70 };

	for (size_t n = 0; n < sizeof(kinds); n++) {
		put_screen(kinds[n], DISPLAY);
		assert_good();
		assert_true(framebuffer_check(&info.screen));
		assert_int_equal(info.screen.address, DISPLAY);
		assert_int_equal(info.screen.bytes, 4224 * 768);
		assert_int_equal(info.screen.width, 1024);
		assert_int_equal(info.screen.height, 768);
		assert_int_equal(info.screen.stride, 1056);
		assert_int_equal(info.screen.mask.red, 0xff0000);
		assert_int_equal(info.screen.mask.green, 0xff00);
		assert_int_equal(info.screen.mask.blue, 0xff);
		assert_int_equal(info.screen.mask.reserved, 0xff000000);
	}
}

TEST_F(setup, teardown, test_no_screen)
{
	put_screen(0x01, DISPLAY);
	assert_no_screen();
	put_screen(0x70, DISPLAY);
	put(0x16, 2, 16);
	assert_no_screen();
	put_screen(0x70, DISPLAY);
	put(0x26, 1, 5);
	assert_no_screen();
	put_screen(0x70, DISPLAY);
	put(0x27, 1, 25);
	assert_no_screen();
	put_screen(0x70, 0);
	assert_no_screen();
}

/* Pixels are written there: it may not be in memory, or where nothing is mapped. */
TEST_F(setup, teardown, test_where_a_screen_may_not_be)
{
	static const uint64_t bases[] = { 0xc0000, IMAGE,     ABOVE - 1, GIB4 - 4224 * 768 + 1,
					  GIB4,    UINT64_MAX };

	for (size_t n = 0; n < sizeof(bases) / sizeof(bases[0]); n++) {
		put_screen(0x70, bases[n]);
		assert_no_screen();
	}
	put_screen(0x70, GIB4 - 4224 * 768);
	assert_good();
	assert_true(framebuffer_check(&info.screen));
	put_screen(0x70, ABOVE);
	assert_good();
	assert_true(framebuffer_check(&info.screen));
}
