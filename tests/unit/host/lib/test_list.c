/* SPDX-License-Identifier: BSD-2-Clause */
/* A list keeps its items when it grows, also after it was cut; AddressSanitizer checks its room. */
#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

/* Too large an allocation returns NULL, as without the sanitizer, and is no fault. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static size_t *filled(size_t *list, size_t from, size_t to)
{
	for (size_t n = from; n < to; n++) {
		list = memory_grow(list, n, sizeof(*list));
		list[n] = n;
	}
	return list;
}

static void check(const size_t *list, size_t count)
{
	for (size_t n = 0; n < count; n++)
		assert_int_equal(list[n], n);
}

/* A list is cut to each count, and then grows to more than it ever held. */
TEST(test_grows_after_a_cut)
{
	for (size_t cut = 0; cut <= 40; cut++) {
		size_t *list = filled(NULL, 0, 40);

		list = filled(list, cut, 100);
		check(list, 100);
		free(list);
	}
}

TEST(test_no_memory)
{
	size_t *list = filled(NULL, 0, 4);

	assert_null(memory_try_grow(list, 4, SIZE_MAX / 4));
	check(list, 4);
	free(list);
}

TEST(test_nothing_is_something)
{
	void *none = memory_new(0, 8), *copy = memory_copy(NULL, 0, 8);

	assert_non_null(none);
	assert_non_null(copy);
	free(none);
	free(copy);
}

TEST(test_copies)
{
	uint64_t from[2] = { 1, 2 }, *to = memory_copy(from, 2, sizeof(from[0]));
	char *text = memory_text("text");

	assert_memory_equal(to, from, sizeof(from));
	assert_string_equal(text, "text");
	free(to);
	free(text);
}
