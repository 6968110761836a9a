/* SPDX-License-Identifier: BSD-2-Clause */
/* The BIOS area, mapped at its real address, with a page behind it. */
#include "probe/bios_area.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/unit/common/test.h"

#define AREA   0xe0000u
#define END    0x100000u
#define BEHIND 4096u
#define STEP   16u
#define LAST   (END - STEP)

/* ACPI 6.5, table 5.3; DSP0134 3.6, 5.2.1 and 5.2.2. The length is the byte after the checksum. */
static const struct form {
	enum door_table table;
	const char *anchor;
	uint32_t from, bytes, checksum;
} forms[] = {
	{ DOOR_ACPI_2, "RSD PTR ", 0xe0000, 20, 8 },
	{ DOOR_SMBIOS, "_SM_", 0xf0000, 31, 4 },
	{ DOOR_SMBIOS_3, "_SM3_", 0xf0000, 24, 5 },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static uint8_t *at(uint32_t address)
{
	return (uint8_t *)(uintptr_t)address;
}

static void setup(void)
{
	void *area = mmap(at(AREA), END + BEHIND - AREA, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(area, at(AREA));
}

static void teardown(void)
{
	assert_int_equal(munmap(at(AREA), END + BEHIND - AREA), 0);
}

static void clear(void)
{
	memset(at(AREA), 0, END + BEHIND - AREA);
}

/* Set the byte at `checksum` so that `bytes` bytes add up to 0. */
static void add_up(uint32_t address, uint32_t bytes, uint32_t checksum)
{
	uint8_t sum = 0;

	at(address)[checksum] = 0;
	for (uint32_t n = 0; n < bytes; n++)
		sum = (uint8_t)(sum + at(address)[n]);
	at(address)[checksum] = (uint8_t)-sum;
}

static void put_of(const struct form *f, uint32_t address, uint32_t bytes)
{
	memset(at(address), 0, bytes);
	memcpy(at(address), f->anchor, strlen(f->anchor));
	if (f->table != DOOR_ACPI_2)
		at(address)[f->checksum + 1] = (uint8_t)bytes;
	at(address)[bytes - 1] = 0x42;
	add_up(address, bytes, f->checksum);
}

static void put(const struct form *f, uint32_t address)
{
	put_of(f, address, f->bytes);
}

/* Only this table is found, at this address, and no table of another kind. */
static void assert_found(const struct form *f, uint32_t address)
{
	for (unsigned table = 0; table < DOOR_TABLES; table++)
		assert_int_equal(bios_area_find(table), table == f->table ? address : 0);
}

TEST_F(setup, teardown, test_at_each_step)
{
	for (const struct form *f = forms; f < forms + FORMS; f++) {
		clear();
		assert_found(f, 0);
		for (uint32_t a = f->from; a + f->bytes <= END; a += STEP) {
			clear();
			put(f, a);
			assert_found(f, a);
		}
	}
}

/* Not found: tables between the steps, and SMBIOS in the lower half of the area. */
TEST_F(setup, teardown, test_not_elsewhere)
{
	for (const struct form *f = forms; f < forms + FORMS; f++) {
		for (uint32_t off = 1; off < STEP; off++) {
			clear();
			put(f, f->from + off);
			assert_found(f, 0);
		}
		clear();
		if (f->from > AREA)
			put(f, f->from - 2 * STEP);
		assert_found(f, 0);
	}
}

/*
 * The first table with a valid checksum is used, which covers only the table itself. A BIOS has the
 * anchor in its code as well, where it builds the entry point.
 */
TEST_F(setup, teardown, test_a_wrong_checksum)
{
	for (const struct form *f = forms; f < forms + FORMS; f++) {
		uint32_t first = f->from + 5 * STEP, second = f->from + 9 * STEP;

		clear();
		put(f, second);
		for (uint32_t n = 0; n < f->bytes; n++) {
			put(f, first);
			at(first)[n] ^= 1;
			assert_found(f, second);
		}
		put(f, first);
		at(first)[f->bytes] ^= 1;
		assert_found(f, first);
	}
}

/* An entry point whose length does not include the length field itself is not used. */
TEST_F(setup, teardown, test_an_smbios_without_a_length)
{
	for (const struct form *f = forms + 1; f < forms + FORMS; f++)
		for (uint32_t bytes = 0; bytes <= f->checksum + 1; bytes++) {
			clear();
			put(f, f->from);
			at(f->from)[f->checksum + 1] = (uint8_t)bytes;
			add_up(f->from, bytes, f->checksum);
			assert_found(f, 0);
		}
}

/* Bytes behind the area would complete them. */
TEST_F(setup, teardown, test_cut_at_the_end_of_the_area)
{
	for (const struct form *f = forms; f < forms + FORMS; f++) {
		clear();
		put(f, LAST);
		assert_found(f, 0);
		if (f->table == DOOR_ACPI_2)
			continue;
		put_of(f, LAST - STEP, 2 * STEP);
		assert_found(f, LAST - STEP);
	}
}
