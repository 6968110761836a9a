/* SPDX-License-Identifier: BSD-2-Clause */
/* The vectors of RFC 9285, 4.3 and 4.4; all letters; and what is none. */
#include "core/lib/letters.h"

#include <string.h>

#include "tests/unit/common/test.h"

static const struct {
	const char *bytes, *chars;
} examples[] = { { "", "" },
		 { "AB", "BB8" },
		 { "Hello!!", "%69 VD92EX0" },
		 { "base-45", "UJCLQE7W581" },
		 { "ietf!", "QED8WEX0" } };

TEST(test_base45_examples)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		size_t bytes = strlen(examples[i].bytes), chars = strlen(examples[i].chars);
		TEXT_DEFINE(t, 40);
		uint8_t back[40];

		letters_base45_add(&t, (const uint8_t *)examples[i].bytes, bytes);
		assert_string_equal(t.buf, examples[i].chars);
		assert_int_equal(BASE45_CHARS(bytes), chars);
		assert_int_equal(BASE45_BYTES(chars), bytes);
		assert_int_equal(letters_base45_read(back, t.buf, chars), chars);
		assert_memory_equal(back, examples[i].bytes, bytes);
	}
}

TEST(test_base45_all_pairs)
{
	for (uint32_t value = 0; value < 0x10000; value++) {
		const uint8_t pair[] = { (uint8_t)(value >> 8), (uint8_t)value };
		TEXT_DEFINE(t, 4);
		uint8_t back[2];

		letters_base45_add(&t, pair, 2);
		assert_int_equal(letters_base45_read(back, t.buf, 3), 3);
		assert_memory_equal(back, pair, 2);
	}
}

/* Decoding stops at an invalid character, or at a group that is too large or too short. */
TEST(test_base45_refused)
{
	static const struct {
		const char *chars;
		size_t good;
	} bad[] = { { "a", 0 },   { "BBb", 2 },   { "BB8!BB", 3 }, { "GGX", 0 },
		    { ":::", 0 }, { "BB8::", 3 }, { "BB8B", 3 },   { "BB8BB\n", 5 } };
	uint8_t back[10];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(letters_base45_read(back, bad[i].chars, strlen(bad[i].chars)),
				 bad[i].good);
}
