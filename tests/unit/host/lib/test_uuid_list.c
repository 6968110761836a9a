/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with UUIDs: lines that are none are reported, and the others are read. */
#include "host/lib/uuid_list.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/tree.h"

#define A "4c4c4544-0042-3510-8052-b4c04f4e3732"
#define B "11111111-2222-3333-4444-55555555555f"

static struct uuid_list read_bytes(const char *bytes, size_t count)
{
	struct uuid_list list;

	tree_write_bytes("list", bytes, count);
	assert_true(uuid_list_read("me", "--list", tree_path("list"), &list));
	return list;
}

static void assert_uuid(const uint8_t uuid[UUID_BYTES], const char *expected)
{
	char text[UUID_TEXT];

	uuid_print(uuid, text);
	assert_string_equal(text, expected);
}

TEST_F(tree_make, tree_remove, test_in_order)
{
	static const char text[] = "# all\n\n  " A "  # sold\r\n" B;
	struct uuid_list list = read_bytes(text, sizeof(text) - 1);
	uint8_t other[UUID_BYTES] = { 1 };

	assert_int_equal(list.mistakes, 0);
	assert_int_equal(list.count, 2);
	assert_uuid(list.at[0], A);
	assert_uuid(list.at[1], B);
	uuid_list_sort(&list);
	for (size_t i = 0; i < list.count; i++)
		assert_true(uuid_list_has(&list, list.at[i]));
	assert_false(uuid_list_has(&list, other));
	uuid_list_free(&list);
	assert_int_equal(list.count, 0);
}

TEST_F(tree_make, tree_remove, test_nothing)
{
	struct uuid_list list = read_bytes("", 0);

	assert_int_equal(list.count + list.mistakes, 0);
	uuid_list_free(&list);
}

TEST_F(tree_make, tree_remove, test_mistakes)
{
	static const struct {
		const char *bytes;
		size_t count, mistakes;
	} cases[] = {
		{ A " x\n" B, sizeof(A " x\n" B) - 1, 1 },
		{ A "0\n" B "\nme", sizeof(A "0\n" B "\nme") - 1, 2 },
		{ B "\n\0" A, sizeof(B "\n\0" A) - 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uuid_list list = read_bytes(cases[i].bytes, cases[i].count);

		assert_int_equal(list.mistakes, cases[i].mistakes);
		assert_int_equal(list.count, 1);
		assert_uuid(list.at[0], B);
		uuid_list_free(&list);
	}
}

TEST(test_no_file)
{
	struct uuid_list list;

	assert_false(uuid_list_read("me", "--list", "/nowhere/at/all", &list));
}
