/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS as it leaves the machine. */
#define _GNU_SOURCE /* memmem */
#include "core/firmware/smbios.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define ROOM 2048

static uint8_t table[ROOM], out[ROOM];
static uint32_t used;

/* A structure of `length` bytes with string numbers at places, and strings up to a NULL. */
static uint8_t *add(uint8_t type, uint8_t length, const char *const *strings)
{
	uint8_t *at = table + used;

	memset(at, 0, length);
	at[0] = type;
	at[1] = length;
	used += length;
	for (; *strings; strings++) {
		memcpy(table + used, *strings, strlen(*strings) + 1);
		used += (uint32_t)strlen(*strings) + 1;
	}
	if (used == (uint32_t)(at - table) + length)
		table[used++] = 0;
	table[used++] = 0;
	return at;
}

static bool has(size_t bytes, const char *what)
{
	return memmem(out, bytes, what, strlen(what));
}

static size_t scrub(void)
{
	memset(out, 0xee, sizeof(out));
	return smbios_scrub(table, used, out, sizeof(out));
}

static void lay(void)
{
	uint8_t *s;

	used = 0;
	s = add(1, 0x1b, (const char *const[]){ "Acme", "Anvil 9", "SERIAL-1", "SKU-7", NULL });
	s[4] = 1;
	s[5] = 2;
	s[7] = 3;
	memset(s + 8, 0x5a, 16);
	s[0x19] = 4;
	s = add(2, 0x0f, (const char *const[]){ "Board", "SERIAL-2", "ASSET-2", "SERIAL-2", NULL });
	s[5] = 1;
	s[7] = 2;
	s[8] = 3;
	s[10] = 4;
	s = add(3, 0x15, (const char *const[]){ "SERIAL-3", "ASSET-3", NULL });
	s[7] = 1;
	s[8] = 2;
	s = add(4, 0x30, (const char *const[]){ "Intel", "SERIAL-4", "ASSET-4", "PART-4", NULL });
	s[7] = 1;
	s[0x20] = 2;
	s[0x21] = 3;
	s[0x22] = 4;
	s = add(17, 0x28,
		(const char *const[]){ "DIMM A1", "SERIAL-17", "ASSET-17", "PART-17", NULL });
	s[0x10] = 1;
	s[0x18] = 2;
	s[0x19] = 3;
	s[0x1a] = 4;
	add(11, 5, (const char *const[]){ "OWNER=rack7.example.org", NULL });
	add(200, 6, (const char *const[]){ "SERIAL-200", NULL });
	add(127, 4, (const char *const[]){ NULL });
}

TEST(test_names)
{
	static const char *const gone[] = { "SERIAL", "ASSET", "example.org", "ZZZZ" };
	static const char *const kept[] = { "Acme",  "Anvil 9", "SKU-7",   "Board",
					    "Intel", "PART-4",  "DIMM A1", "PART-17" };
	size_t bytes;

	lay();
	bytes = scrub();
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		assert_false(has(bytes, gone[i]));
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		assert_true(has(bytes, kept[i]));
	assert_true(bytes < used);
	assert_int_equal(out[bytes - 6], 127);
}

/* All other bytes stay where they were: only those that name the machine differ. */
TEST(test_places)
{
	size_t bytes, changed = 0;

	lay();
	bytes = scrub();
	for (size_t i = 0; i < 0x1b; i++)
		changed += out[i] != table[i];
	assert_int_equal(changed, 16);
	assert_memory_equal(out + 0x1b, "Acme\0Anvil 9\0********\0SKU-7\0", 28);
	assert_true(bytes > 28);
}

/* A structure that is cut ends it, and a small buffer holds whole ones. */
TEST(test_bounds)
{
	size_t whole;

	lay();
	whole = scrub();
	for (size_t cap = 0; cap < whole; cap++) {
		memset(out, 0xee, sizeof(out));
		assert_true(smbios_scrub(table, used, out, cap) <= cap);
		assert_int_equal(out[cap], 0xee);
	}
	for (uint32_t bytes = 0; bytes < used; bytes++)
		assert_true(smbios_scrub(table, bytes, out, sizeof(out)) <= bytes);
	table[0x1b + 28] = 1; /* strings go on to the next structure */
	scrub();
	/* A number past the strings, and lengths before the fields that would be hidden. */
	lay();
	table[7] = 99;
	scrub();
	lay();
	table[1] = 5;
	scrub();
}
