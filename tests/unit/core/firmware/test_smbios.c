/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS tables built byte by byte from the specification: sound, broken and lying ones. */
#include "core/firmware/smbios.h"
#include "tests/unit/described.h"

#include <stdio.h>
#include <string.h>

static struct smbios_info info;

static uint8_t table[SMBIOS_BYTES_MAX + 16];
static uint32_t table_bytes, table_structs;

static void setup(void)
{
	empty_memory();
	physical_alloc(&memory, 64);
	table_bytes = 0;
	table_structs = 0;
}

static void add_bytes(const void *bytes, uint32_t count)
{
	assert_true(table_bytes + count <= sizeof(table));
	memcpy(table + table_bytes, bytes, count);
	table_bytes += count;
}

/*
 * Add a structure: header, `fixed` bytes after it, then `strings` with their
 * NULs and the NULs that close them, which for no strings are two.
 */
static void add_struct(uint8_t type, const void *fixed, uint8_t fixed_bytes, const char *strings,
		       uint32_t strings_bytes)
{
	uint8_t header[4] = { type, (uint8_t)(4 + fixed_bytes), 0, 0 };

	add_bytes(header, 4);
	add_bytes(fixed, fixed_bytes);
	add_bytes(strings, strings_bytes);
	table_structs++;
}

#define STRINGS(s) s "\0", sizeof(s "\0")

static const uint8_t bios_fixed[] = { 1, 2, 0, 0xe8, 3, 0x0f }; /* strings 1 to 3 */
static const uint8_t system_fixed[] = {
	1,    2,    0,    0,    0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
	0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 6,    0,    0,
};
static const uint8_t board_fixed[] = { 1, 2, 0, 0 };

static void add_bios(void)
{
	add_struct(0, bios_fixed, sizeof(bios_fixed),
		   STRINGS("Acme BIOS\0v1.2\0"
			   "01/02/2024"));
}

static void add_system(void)
{
	add_struct(1, system_fixed, sizeof(system_fixed), STRINGS("Acme\0Anvil 9000"));
}

static void add_board(void)
{
	add_struct(2, board_fixed, sizeof(board_fixed), STRINGS("Acme\0Board X"));
}

static void add_end(void)
{
	add_struct(127, "", 0, "\0", 2);
}

static uint64_t place_table(void)
{
	uint64_t address = physical_alloc(&memory, table_bytes);

	memcpy(physical_at(&memory, address), table, table_bytes);
	return address;
}

/* DSP0134 section 5.2.1. */
static uint64_t add_entry_2(uint8_t major, uint8_t minor)
{
	uint64_t structs = place_table(), entry = physical_alloc(&memory, 0x1f);

	memcpy(physical_at(&memory, entry), "_SM_", 4);
	physical_put(&memory, entry + 0x05, 1, 0x1f);
	physical_put(&memory, entry + 0x06, 1, major);
	physical_put(&memory, entry + 0x07, 1, minor);
	memcpy(physical_at(&memory, entry + 0x10), "_DMI_", 5);
	physical_put(&memory, entry + 0x16, 2, table_bytes);
	physical_put(&memory, entry + 0x18, 4, structs);
	physical_put(&memory, entry + 0x1c, 2, table_structs);
	physical_sum(&memory, entry, 0x1f, 4);
	return entry;
}

/* DSP0134 section 5.2.2. */
static uint64_t add_entry_3(void)
{
	uint64_t structs = place_table(), entry = physical_alloc(&memory, 0x18);

	memcpy(physical_at(&memory, entry), "_SM3_", 5);
	physical_put(&memory, entry + 0x06, 1, 0x18);
	physical_put(&memory, entry + 0x07, 1, 3);
	physical_put(&memory, entry + 0x0c, 4, table_bytes);
	physical_put(&memory, entry + 0x10, 8, structs);
	physical_sum(&memory, entry, 0x18, 5);
	return entry;
}

static bool read_entry(uint64_t entry, bool is_64bit)
{
	struct acpi_memory m = physical_memory(&memory);

	memset(&reported, 0, sizeof(reported));
	memset(&info, 0x5a, sizeof(info));
	return smbios_read(&info, &m, entry, is_64bit, complain, &reported);
}

static void is_silent(uint64_t entry, bool is_64bit)
{
	assert_true(read_entry(entry, is_64bit));
	reported_assert_none(&reported);
}

static void refuses(uint64_t entry, bool is_64bit, const char *what)
{
	assert_false(read_entry(entry, is_64bit));
	reported_assert_one(&reported, what);
}

static void assert_info_empty(void)
{
	static const struct smbios_info empty;

	assert_memory_equal(&info, &empty, sizeof(empty));
}

static void assert_whole_machine(void)
{
	assert_string_equal(info.bios_vendor, "Acme BIOS");
	assert_string_equal(info.bios_version, "v1.2");
	assert_string_equal(info.bios_date, "01/02/2024");
	assert_string_equal(info.vendor, "Acme");
	assert_string_equal(info.product, "Anvil 9000");
	assert_string_equal(info.board, "Board X");
	assert_string_equal(info.uuid, "00112233-4455-6677-8899-aabbccddeeff");
}

/* The table ends with a structure or, in older ones, with its bytes or its count. */
TEST_F(setup, empty_memory, test_versions)
{
	for (unsigned has_end = 0; has_end < 2; has_end++) {
		setup();
		add_bios();
		add_system();
		add_struct(17, "12345678", 8, "\0", 2);
		add_board();
		if (has_end)
			add_end();
		is_silent(add_entry_2(2, 8), false);
		assert_whole_machine();
		is_silent(add_entry_3(), true);
		assert_whole_machine();
		/* Bytes after the last counted structure are ignored. */
		add_bytes("\x02\x01garbage", 9);
		is_silent(add_entry_2(2, 8), false);
		assert_whole_machine();
	}
}

/* A size that is only a maximum: behind the end there may be anything. */
TEST_F(setup, empty_memory, test_nothing_is_read_behind_the_end)
{
	add_bios();
	add_end();
	add_board();
	add_bytes("\x02\x01garbage", 9);
	is_silent(add_entry_3(), true);
	assert_string_equal(info.bios_vendor, "Acme BIOS");
	assert_string_equal(info.board, "");
}

TEST_F(setup, empty_memory, test_bad_entry_points)
{
	uint64_t entry_2, entry_3;

	add_bios();
	add_end();
	entry_2 = add_entry_2(2, 8);
	entry_3 = add_entry_3();
	physical_alloc(&memory, 16);

	refuses(0, true,
		"SMBIOS entry point _SM3_ at 0x0 is not in memory; the machine is not identified");
	refuses(UINT64_MAX - 4, false,
		"SMBIOS entry point _SM_ at 0xfffffffffffffffb is not in memory");
	refuses(entry_2, true, "has another anchor");
	refuses(entry_3, false, "has another anchor");

	physical_put(&memory, entry_2 + 5, 1, 0x1d);
	physical_put(&memory, entry_3 + 6, 1, 0x17);
	refuses(entry_2, false, "has an invalid length");
	refuses(entry_3, true, "has an invalid length");
	physical_put(&memory, entry_2 + 5, 1, 0xff);
	refuses(entry_2, false, "has an invalid length");

	physical_put(&memory, entry_3 + 6, 1, 0x19);
	memory.used = (uint32_t)(entry_3 - PHYSICAL_BASE) + 0x18;
	refuses(entry_3, true, "extends beyond memory");
	assert_info_empty();
}

TEST_F(setup, empty_memory, test_every_bit_of_the_entry_point_counts)
{
	uint64_t entry;

	add_bios();
	add_end();
	entry = add_entry_3();
	for (uint32_t bit = 0; bit < 0x18 * 8; bit++) {
		uint8_t *byte = physical_at(&memory, entry + bit / 8);

		*byte ^= (uint8_t)(1u << bit % 8);
		assert_false(read_entry(entry, true));
		assert_int_equal(reported.count, 1);
		assert_info_empty();
		*byte ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(read_entry(entry, true));
}

/* SMBIOS 2.1 gave the length as 1Eh. */
TEST_F(setup, empty_memory, test_the_length_of_version_2_1)
{
	uint64_t entry;

	add_bios();
	entry = add_entry_2(2, 1);
	physical_put(&memory, entry + 5, 1, 0x1e);
	physical_sum(&memory, entry, 0x1e, 4);
	is_silent(entry, false);
	assert_string_equal(info.bios_version, "v1.2");
}

TEST_F(setup, empty_memory, test_table_that_is_not_there)
{
	static const struct {
		uint64_t address;
		uint32_t bytes;
	} places[] = {
		{ 0, 16 },
		{ UINT64_C(0x7fffffff0000), 16 },
		{ UINT64_MAX - 3, 16 },
		{ PHYSICAL_BASE, PHYSICAL_BYTES },
		{ PHYSICAL_BASE, SMBIOS_BYTES_MAX + 1 },
		{ PHYSICAL_BASE, UINT32_MAX },
	};
	uint64_t entry;

	entry = add_entry_3();
	memory.used = PHYSICAL_BYTES - 1;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		physical_put(&memory, entry + 0x0c, 4, places[i].bytes);
		physical_put(&memory, entry + 0x10, 8, places[i].address);
		physical_sum(&memory, entry, 0x18, 5);
		assert_true(read_entry(entry, true));
		reported_assert_one(&reported, "bytes is not in memory; ignored");
		assert_info_empty();
	}
}

TEST_F(setup, empty_memory, test_structures_cut_off)
{
	static const struct {
		const char *bytes;
		uint32_t count;
	} tails[] = {
		{ "\x02", 1 },
		{ "\x02\x08\0", 3 },
		{ "\x02\x00\0\0\0\0\0\0", 8 }, /* length 0: would stand still */
		{ "\x02\x03\0\0\0\0\0\0", 8 }, /* shorter than its header */
		{ "\x02\x09\0\0\1\2\0\0", 8 }, /* longer than what is left */
		{ "\x02\xff\0\0\1\2\0\0", 8 },
		{ "\x02\x08\0\0\1\2\0\0", 8 },   /* no strings, no NULs */
		{ "\x02\x08\0\0\1\2\0\0\0", 9 }, /* one NUL of two */
		{ "\x02\x08\0\0\1\2\0\0Board", 13 },
		{ "\x02\x08\0\0\1\2\0\0Board\0", 14 },
	};

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		setup();
		add_bios();
		add_system();
		add_bytes(tails[i].bytes, tails[i].count);
		assert_true(read_entry(add_entry_3(), true));
		reported_assert_one(&reported, "is truncated; the rest is ignored");
		assert_string_equal(info.product, "Anvil 9000");
		assert_string_equal(info.board, "");
	}
}

/* Fields that an older, shorter structure does not have are absent. */
TEST_F(setup, empty_memory, test_short_structures)
{
	add_struct(0, "\x01", 1, STRINGS("Acme BIOS"));
	add_struct(1, "\x01\x02\0\0", 4, STRINGS("Acme\0Anvil"));
	add_struct(2, "", 0, STRINGS("Unused"));
	add_end();
	is_silent(add_entry_3(), true);
	assert_string_equal(info.bios_vendor, "Acme BIOS");
	assert_string_equal(info.bios_version, "");
	assert_string_equal(info.product, "Anvil");
	assert_string_equal(info.uuid, "");
	assert_string_equal(info.board, "");
}

TEST_F(setup, empty_memory, test_strings_that_are_not_there)
{
	add_struct(0, "\x03\xff\0\0\x01\0", 6, STRINGS("Acme\0v1"));
	add_struct(1, "\x01\0\0\0", 4, "\0", 2);
	add_end();
	assert_true(read_entry(add_entry_3(), true));
	assert_int_equal(reported.count, 3);
	assert_true(reported_has(&reported, "SMBIOS structure of type 0 has no string 3; ignored"));
	assert_true(
		reported_has(&reported, "SMBIOS structure of type 0 has no string 255; ignored"));
	assert_true(reported_has(&reported, "SMBIOS structure of type 1 has no string 1; ignored"));
	assert_string_equal(info.bios_vendor, "");
	assert_string_equal(info.bios_date, "Acme");
}

TEST_F(setup, empty_memory, test_strings_are_fit_to_show)
{
	char strings[200];

	memset(strings, 'x', sizeof(strings));
	strings[197] = ' '; /* cut before this blank */
	memcpy(strings + 198, "\0\0", 2);
	add_struct(0, "\x01", 1, strings, sizeof(strings));
	add_struct(1, "\x01\x02\0\0", 4, STRINGS("A\x1b[2J\x7f\xe4\tB\"  \0   "));
	add_end();
	assert_true(read_entry(add_entry_3(), true));
	assert_int_equal(strlen(info.bios_vendor), SMBIOS_STRING_MAX);
	assert_int_equal(strspn(info.bios_vendor, "x"), SMBIOS_STRING_MAX);
	assert_string_equal(info.vendor, "A?[2J???B\"");
	assert_string_equal(info.product, "");
}

TEST_F(setup, empty_memory, test_first_of_a_type_counts)
{
	add_board();
	add_struct(2, board_fixed, sizeof(board_fixed), STRINGS("Acme\0Riser"));
	add_end();
	assert_true(read_entry(add_entry_3(), true));
	assert_string_equal(info.board, "Board X");
}

TEST_F(setup, empty_memory, test_uuid)
{
	static const struct {
		uint8_t fill, first;
		const char *text;
	} rows[] = {
		{ 0, 0, "" },
		{ 0xff, 0xff, "" },
		{ 0xfe, 0xfe, "fefefefe-fefe-fefe-fefe-fefefefefefe" },
		/* One byte of it is enough. */
		{ 0, 0xab, "000000ab-0000-0000-0000-000000000000" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t fixed[20] = { 0 }, bytes[UUID_BYTES] = { 0 };

		setup();
		memset(fixed + 4, rows[i].fill, UUID_BYTES);
		fixed[4] = rows[i].first;
		add_struct(1, fixed, sizeof(fixed), "\0", 2);
		add_end();
		assert_true(read_entry(add_entry_3(), true));
		assert_string_equal(info.uuid, rows[i].text);
		if (*rows[i].text)
			memset(bytes, rows[i].fill, UUID_BYTES);
		bytes[3] = *rows[i].text ? rows[i].first : 0;
		assert_memory_equal(info.uuid_bytes, bytes, UUID_BYTES);
	}
}

/* The first three fields are little-endian from SMBIOS 2.6 on. */
TEST_F(setup, empty_memory, test_uuid_by_version)
{
	add_system();
	assert_true(read_entry(add_entry_2(2, 6), false));
	assert_string_equal(info.uuid, "00112233-4455-6677-8899-aabbccddeeff");
	assert_true(read_entry(add_entry_2(2, 5), false));
	assert_string_equal(info.uuid, "33221100-5544-7766-8899-aabbccddeeff");
	assert_memory_equal(info.uuid_bytes, system_fixed + 4, UUID_BYTES);
}

TEST_F(setup, empty_memory, test_largest_table)
{
	while (table_bytes < SMBIOS_BYTES_MAX - 64)
		add_struct(200, "", 0, "\0", 2);
	add_board();
	add_end();
	is_silent(add_entry_3(), true);
	assert_string_equal(info.board, "Board X");
}

TEST_F(setup, empty_memory, test_memory_that_ends_anywhere)
{
	uint64_t entry;
	uint32_t all;

	add_bios();
	add_system();
	add_end();
	entry = add_entry_3();
	all = memory.used;
	for (uint32_t used = 0; used < all; used++) {
		memory.used = used;
		read_entry(entry, true);
		assert_int_equal(reported.count, 1);
	}
}
