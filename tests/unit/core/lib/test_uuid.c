/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes in the order of the text, and what is no such text. */
#include "core/lib/uuid.h"

#include "tests/unit/common/test.h"

#include <string.h>

static const uint8_t bytes[UUID_BYTES] = { 0x4c, 0x4c, 0x45, 0x44, 0x00, 0x42, 0x35, 0x10,
					   0x80, 0x52, 0xb4, 0xc0, 0x4f, 0x4e, 0x37, 0x32 };

#define TEXT "4c4c4544-0042-3510-8052-b4c04f4e3732"

TEST(test_print)
{
	char text[UUID_TEXT];

	uuid_print(bytes, text);
	assert_string_equal(text, TEXT);
}

TEST(test_parse)
{
	uint8_t uuid[UUID_BYTES];

	assert_true(uuid_parse(TEXT, uuid));
	assert_memory_equal(uuid, bytes, sizeof(bytes));
	assert_true(uuid_parse("4C4C4544-0042-3510-8052-B4C04F4E3732", uuid));
	assert_memory_equal(uuid, bytes, sizeof(bytes));
}

/* Each place has its digit or its dash, and there is no more and no less. */
TEST(test_no_uuid)
{
	static const char wrong[] = "-g/:@G` ";
	char text[UUID_TEXT + 1];
	uint8_t uuid[UUID_BYTES];

	for (size_t at = 0; at < UUID_TEXT - 1; at++) {
		strcpy(text, TEXT);
		for (const char *c = wrong; *c; c++) {
			text[at] = *c;
			assert_int_equal(uuid_parse(text, uuid), TEXT[at] == *c);
		}
		text[at] = '0';
		assert_int_equal(uuid_parse(text, uuid), TEXT[at] != '-');
		text[at] = '\0';
		assert_false(uuid_parse(text, uuid));
	}
	assert_false(uuid_parse(TEXT "0", uuid));
	assert_false(uuid_parse(TEXT "-", uuid));
}
