/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/pack32.h"

#include "tests/unit/common/test.h"

static void check(uint64_t value)
{
	uint64_t back = pack32_unpack(pack32(value));

	assert_true(back <= value);
	assert_true(value - back <= value >> (PACK32_BITS - 1));
	if (value < 1 << PACK32_BITS)
		assert_int_equal(back, value);
}

TEST(test_every_size)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		for (uint64_t near = 0; near < 3; near++)
			check((UINT64_C(1) << bit) - 1 + near);
		check(UINT64_MAX >> bit);
		check(UINT64_C(0xfedcba9876543210) >> bit);
	}
	check(0);
}

static void check_signed(int64_t value)
{
	int64_t back = pack32_unpack_signed(pack32_signed(value));
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t back_size = back < 0 ? -(uint64_t)back : (uint64_t)back;

	assert_true((back < 0) == (value < 0));
	assert_true(back_size <= size);
	assert_true(size - back_size <= size >> (PACK32_SIGNED_BITS - 1));
}

/* A sign is never lost. */
TEST(test_signed)
{
	for (unsigned bit = 0; bit < 63; bit++) {
		for (int64_t near = -1; near < 2; near++) {
			check_signed((INT64_C(1) << bit) + near);
			check_signed(-(INT64_C(1) << bit) + near);
		}
		check_signed(INT64_MAX >> bit);
		check_signed(INT64_MIN >> bit);
	}
}
