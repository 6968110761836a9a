/* SPDX-License-Identifier: BSD-2-Clause */
/* The keyboard controller: keys, what is none, and controllers that are absent or mad. */
#include "arch/arch.h"
#include "drivers/ps2.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define MOUSE 0x100

static const uint16_t *waiting;
static size_t count;
static unsigned reads;
static int stuck; /* status that never changes; -1: none */

uint8_t arch_in8(uint16_t port)
{
	reads++;
	if (port == 0x64) {
		if (stuck >= 0)
			return (uint8_t)stuck;
		return count ? (uint8_t)(0x01 | (*waiting & MOUSE ? 0x20 : 0)) : 0x1c;
	}
	assert_int_equal(port, 0x60);
	/* Only what the status announced may be taken. */
	assert_true(count || stuck >= 0);
	if (stuck >= 0)
		return 0x1e;
	count--;
	return (uint8_t)*waiting++;
}

static uint8_t key_of(const uint16_t *codes, size_t n)
{
	waiting = codes;
	count = n;
	reads = 0;
	stuck = -1;
	return ps2_key();
}

#define KEY(...) key_of((const uint16_t[]){ __VA_ARGS__ }, sizeof((uint16_t[]){ __VA_ARGS__ }) / 2)

TEST(test_keys)
{
	assert_int_equal(key_of(NULL, 0), 0);
	assert_int_equal(KEY(0x01), PS2_ESC);
	assert_int_equal(KEY(0x1e), 0x1e);
	/* The first key that is pressed counts, and all bytes are taken. */
	assert_int_equal(KEY(0x01, 0x81, 0x1e), PS2_ESC);
	assert_int_equal(count, 0);
}

TEST(test_no_keys)
{
	assert_int_equal(KEY(0x81), 0);                       /* Esc released */
	assert_int_equal(KEY(0xfa, 0xfe, 0xaa), 0);           /* answers, self-test passed */
	assert_int_equal(KEY(0xe0, 0xcb), 0);                 /* an arrow released */
	assert_int_equal(KEY(MOUSE | 0x01, MOUSE | 0x7f), 0); /* mice send anything */
	assert_int_equal(KEY(MOUSE | 0x01, 0x1e), 0x1e);
}

TEST(test_bounds)
{
	waiting = NULL;
	count = 0;
	reads = 0;
	stuck = 0xff; /* nobody is there */
	assert_int_equal(ps2_key(), 0);
	assert_int_equal(reads, 1);

	stuck = 0x01; /* never empty */
	reads = 0;
	assert_int_equal(ps2_key(), 0x1e);
	assert_true(reads <= 32);
}
