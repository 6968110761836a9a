/* SPDX-License-Identifier: BSD-2-Clause */
/* The BIOS area, mapped where it is in a machine, with a page behind it. */
#include "pvh/bios_area.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/common/test.h"

#define AREA     0xe0000u
#define SMBIOS   0xf0000u
#define END      0x100000u
#define BEHIND   4096u
#define STEP     16u
#define LAST     (END - STEP)
#define RSDP     20u
#define SMBIOS_2 31u
#define SMBIOS_3 24u

static uint8_t *at(uint32_t address)
{
	return (uint8_t *)(uintptr_t)address;
}

static int setup(void **state)
{
	void *area = mmap(at(AREA), END + BEHIND - AREA, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	(void)state;
	assert_ptr_equal(area, at(AREA));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return munmap(at(AREA), END + BEHIND - AREA);
}

static void clear(void)
{
	memset(at(AREA), 0, END + BEHIND - AREA);
}

/* Let `bytes` bytes add up to 0 by way of the one at `checksum`. */
static void add_up(uint32_t address, uint32_t bytes, uint32_t checksum)
{
	uint8_t sum = 0;

	at(address)[checksum] = 0;
	for (uint32_t n = 0; n < bytes; n++)
		sum = (uint8_t)(sum + at(address)[n]);
	at(address)[checksum] = (uint8_t)-sum;
}

/* ACPI 6.5, table 5.3: 20 bytes, with the checksum at 8. */
static void put_rsdp(uint32_t address)
{
	memcpy(at(address), "RSD PTR \0OEMID ", 15);
	at(address)[RSDP - 1] = 0x42;
	add_up(address, RSDP, 8);
}

/* DSP0134 3.6, 5.2.1 and 5.2.2: the checksum is behind the anchor, the length behind that. */
static void put_smbios_of(uint32_t address, bool is_64bit, uint32_t bytes)
{
	uint32_t anchor = is_64bit ? 5 : 4;

	memcpy(at(address), is_64bit ? "_SM3_" : "_SM_", anchor);
	at(address)[anchor + 1] = (uint8_t)bytes;
	at(address)[bytes - 1] = 0x42;
	add_up(address, bytes, anchor);
}

static void put_smbios(uint32_t address, bool is_64bit)
{
	put_smbios_of(address, is_64bit, is_64bit ? SMBIOS_3 : SMBIOS_2);
}

TEST_F(setup, teardown, test_nothing_is_there)
{
	assert_int_equal(bios_area_rsdp(), 0);
	assert_int_equal(bios_area_smbios(false), 0);
	assert_int_equal(bios_area_smbios(true), 0);
}

TEST_F(setup, teardown, test_rsdp_at_each_step)
{
	for (uint32_t a = AREA; a + RSDP <= END; a += STEP) {
		clear();
		put_rsdp(a);
		assert_int_equal(bios_area_rsdp(), a);
	}
}

TEST_F(setup, teardown, test_smbios_at_each_step)
{
	for (int is_64bit = 0; is_64bit < 2; is_64bit++)
		for (uint32_t a = SMBIOS; a + (is_64bit ? SMBIOS_3 : SMBIOS_2) <= END; a += STEP) {
			clear();
			put_smbios(a, is_64bit);
			assert_int_equal(bios_area_smbios(is_64bit), a);
			assert_int_equal(bios_area_smbios(!is_64bit), 0);
		}
}

TEST_F(setup, teardown, test_only_multiples_of_16_count)
{
	for (uint32_t off = 1; off < STEP; off++) {
		clear();
		put_rsdp(AREA + off);
		assert_int_equal(bios_area_rsdp(), 0);
		for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
			clear();
			put_smbios(SMBIOS + off, is_64bit);
			assert_int_equal(bios_area_smbios(is_64bit), 0);
		}
	}
}

/* SMBIOS has the upper half alone. */
TEST_F(setup, teardown, test_smbios_below_its_area)
{
	put_smbios(SMBIOS - 2 * STEP, false);
	assert_int_equal(bios_area_smbios(false), 0);
	put_smbios(SMBIOS - 2 * STEP, true);
	assert_int_equal(bios_area_smbios(true), 0);
}

TEST_F(setup, teardown, test_the_first_one_counts)
{
	put_rsdp(AREA + 5 * STEP);
	put_rsdp(AREA + 9 * STEP);
	assert_int_equal(bios_area_rsdp(), AREA + 5 * STEP);
	put_smbios(SMBIOS + 4 * STEP, false);
	put_smbios(SMBIOS + 8 * STEP, false);
	assert_int_equal(bios_area_smbios(false), SMBIOS + 4 * STEP);
}

/* Each byte of the 20 counts, and none behind them. */
TEST_F(setup, teardown, test_an_rsdp_with_a_wrong_checksum)
{
	put_rsdp(AREA + 9 * STEP);
	for (uint32_t n = 0; n < RSDP; n++) {
		put_rsdp(AREA + 5 * STEP);
		at(AREA + 5 * STEP)[n] ^= 1;
		assert_int_equal(bios_area_rsdp(), AREA + 9 * STEP);
	}
	put_rsdp(AREA + 5 * STEP);
	at(AREA + 5 * STEP)[RSDP] ^= 1;
	assert_int_equal(bios_area_rsdp(), AREA + 5 * STEP);
}

/* A BIOS has the anchor in its code, too, where it makes the entry point. */
TEST_F(setup, teardown, test_an_smbios_with_a_wrong_checksum)
{
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		uint32_t bytes = is_64bit ? SMBIOS_3 : SMBIOS_2;

		clear();
		put_smbios(SMBIOS + 9 * STEP, is_64bit);
		for (uint32_t n = 0; n < bytes; n++) {
			put_smbios(SMBIOS + 5 * STEP, is_64bit);
			at(SMBIOS + 5 * STEP)[n] ^= 1;
			assert_int_equal(bios_area_smbios(is_64bit), SMBIOS + 9 * STEP);
		}
	}
}

/* Zeros add up to 0: an entry point has its own length at least. */
TEST_F(setup, teardown, test_an_smbios_without_a_length)
{
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		uint32_t length = is_64bit ? 6 : 5;

		for (uint32_t bytes = 0; bytes <= length; bytes++) {
			clear();
			put_smbios(SMBIOS, is_64bit);
			at(SMBIOS)[length] = (uint8_t)bytes;
			add_up(SMBIOS, bytes, length - 1);
			assert_int_equal(bios_area_smbios(is_64bit), 0);
		}
	}
}

/* What is behind the area would make them whole. */
TEST_F(setup, teardown, test_cut_at_the_end_of_the_area)
{
	put_rsdp(LAST);
	assert_int_equal(bios_area_rsdp(), 0);
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		clear();
		put_smbios(LAST, is_64bit);
		assert_int_equal(bios_area_smbios(is_64bit), 0);
		put_smbios_of(LAST - STEP, is_64bit, 2 * STEP);
		assert_int_equal(bios_area_smbios(is_64bit), LAST - STEP);
	}
}
