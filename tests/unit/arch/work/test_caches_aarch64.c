/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of caches by registers as cores of Arm's have them, and by those that a guest is shown. */
#include "arch/aarch64/work/caches.c"

#include <string.h>

#include "tests/unit/common/test.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static uint64_t registers[LEVELS];
static unsigned reads;

static uint64_t read_ccsidr(unsigned level)
{
	assert_true(level < LEVELS);
	reads++;
	return registers[level];
}

/* Arm ARM, CCSIDR_EL1: the line's logarithm less four, ways and sets less one. */
static uint64_t narrow(uint64_t sets, uint64_t ways)
{
	return (sets - 1) << 13 | (ways - 1) << 3 | 2;
}

static uint64_t wide(uint64_t sets, uint64_t ways)
{
	return (sets - 1) << 32 | (ways - 1) << 3 | 2;
}

/* CLIDR_EL1 of two or three levels: split, then both in one. */
#define TWO   UINT64_C(0x23)
#define THREE UINT64_C(0x123)

static struct caches read_all(uint64_t clidr, bool is_wide)
{
	struct caches c;

	memset(&c, 0xff, sizeof(c));
	reads = 0;
	caches_of_registers(&c, clidr, is_wide, read_ccsidr);
	assert_int_equal(c.l3_bits, 0);
	return c;
}

/* Neoverse N1, whose last level is in the system: Technical Reference Manual, CCSIDR_EL1. */
TEST(test_neoverse_n1)
{
	struct caches c;

	registers[0] = 0x701fe01a;
	registers[1] = 0x70ffe03a;
	c = read_all(TWO, false);
	assert_int_equal(c.l1, 64 * KIB);
	assert_int_equal(c.l2, MIB);
	assert_int_equal(c.l3, 0);
	assert_int_equal(reads, 2);
}

TEST(test_each_format)
{
	struct caches c;

	registers[0] = narrow(256, 4);
	registers[1] = narrow(1024, 8);
	registers[2] = narrow(4096, 16);
	registers[3] = narrow(16384, 16);
	c = read_all(THREE, false);
	assert_int_equal(c.l1, 64 * KIB);
	assert_int_equal(c.l2, 512 * KIB);
	assert_int_equal(c.l3, 4 * MIB);
	c = read_all(THREE | 4 << 9, false);
	assert_int_equal(c.l3, 16 * MIB);
	registers[0] = wide(256, 4);
	registers[1] = wide(2048, 8);
	registers[2] = wide(65536, 2048);
	c = read_all(THREE, true);
	assert_int_equal(c.l1, 64 * KIB);
	assert_int_equal(c.l2, MIB);
	assert_int_equal(c.l3, 8192 * MIB);
}

/* A cache for instructions alone is none for data; nothing is behind a level that is not there. */
TEST(test_types)
{
	struct caches c;

	registers[0] = narrow(256, 4);
	registers[1] = narrow(1024, 8);
	registers[2] = narrow(4096, 16);
	c = read_all(0x121, false);
	assert_int_equal(c.l1, 0);
	assert_int_equal(c.l2, MIB / 2);
	assert_int_equal(reads, 2);
	c = read_all(0x102, false);
	assert_int_equal(c.l1, 64 * KIB);
	assert_int_equal(c.l2 | c.l3, 0);
	c = read_all(0, false);
	assert_int_equal(c.l1 | c.l2 | c.l3 | reads, 0);
}

/* KVM's guest sees a set and a way of each. */
TEST(test_not_shown)
{
	struct caches c;

	registers[0] = registers[1] = registers[2] = narrow(1, 1);
	c = read_all(THREE, false);
	assert_int_equal(c.l1 | c.l2 | c.l3, 0);
	assert_int_equal(caches_beyond(&c, 1, UINT64_C(1) << 62), 0);
	registers[0] = narrow(16, 4);
	assert_int_equal(read_all(THREE, false).l1, 4 * KIB);
}

TEST(test_largest)
{
	memset(registers, 0xff, sizeof(registers));
	assert_int_equal(read_all(UINT64_MAX, true).l1, 0); /* type 7 is reserved */
}
