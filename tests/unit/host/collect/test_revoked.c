/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of revoked nodes: one that has other lines than UUIDs is refused. */
#include "host/collect/receiver.h"

#include <stdlib.h>

#include "tests/unit/tree.h"

#define A "4c4c4544-0042-3510-8052-b4c04f4e3732"
#define B "11111111-2222-3333-4444-55555555555f"

#define CASE(text, has) text, sizeof(text) - 1, has

/* Each file, and how many UUIDs are read; all others are refused. */
static const struct {
	const char *bytes;
	size_t count, has;
	bool bad;
} files[] = {
	{ CASE("", 0), false },        { CASE("# all\n\n  " A "  # sold\r\n" B, 2), false },
	{ CASE(A " x\n" B, 1), true }, { CASE(A "0\n" B "\nme", 1), true },
	{ CASE(B "\n\0" A, 1), true },
};

TEST_F(tree_make, tree_remove, test_files)
{
	uint8_t a[UUID_BYTES], b[UUID_BYTES], other[UUID_BYTES] = { 1 };

	assert_true(uuid_parse(A, a) && uuid_parse(B, b));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct receiver_revoked list;

		tree_write_bytes("list", files[i].bytes, files[i].count);
		assert_int_equal(receiver_revoked_read("me", "--list", tree_path("list"), &list),
				 !files[i].bad);
		assert_int_equal(list.count, files[i].has);
		assert_int_equal(receiver_revoked_has(&list, a), files[i].has == 2);
		assert_int_equal(receiver_revoked_has(&list, b), files[i].has > 0);
		assert_false(receiver_revoked_has(&list, other));
		receiver_revoked_free(&list);
	}
}

TEST(test_no_file)
{
	struct receiver_revoked list;

	assert_false(receiver_revoked_read("me", "--list", "/nowhere/at/all", &list));
}
