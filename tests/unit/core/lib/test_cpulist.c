/* SPDX-License-Identifier: BSD-2-Clause */
/* Core lists as Linux writes them. */
#include "core/lib/cpulist.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/test.h"

static const struct {
	const char *text;
	const char *printed; /* NULL: refused */
} lists[] = {
	{ "0", "0" },
	{ "0-3,8", "0-3,8" },
	{ "8,0-3", "0-3,8" },
	{ "1,2,3", "1-3" },
	{ "5-5", "5" },
	{ "0-10,5-12", "0-12" },
	{ "007", "7" },
	{ "63,64", "63-64" },
	{ "62,64,66", "62,64,66" },
	{ "4095", "4095" },
	{ "0-4095", "0-4095" },

	{ "", NULL },
	{ ",", NULL },
	{ "1,", NULL },
	{ ",1", NULL },
	{ "1,,2", NULL },
	{ "-", NULL },
	{ "1-", NULL },
	{ "-1", NULL },
	{ "3-0", NULL },
	{ "1-2-3", NULL },
	{ "4096", NULL },
	{ "0-4096", NULL },
	{ "4294967296", NULL },
	{ "18446744073709551616", NULL },
	{ "1 2", NULL },
	{ "0x1", NULL },
	{ "0-7:2/4", NULL },
	{ "all", NULL },
};

TEST(test_lists)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct cpulist list;
		TEXT_DEFINE(text, 100);

		if (cpulist_parse(&list, lists[i].text, strlen(lists[i].text)) !=
		    (lists[i].printed != NULL))
			fail_msg("`%s`", lists[i].text);
		if (lists[i].printed) {
			cpulist_print(&list, &text);
			assert_string_equal(text.buf, lists[i].printed);
		}
	}
}

TEST(test_members)
{
	struct cpulist list;

	assert_true(cpulist_parse(&list, "1-2,64,4095", 11));
	for (uint32_t n = 0; n < CPULIST_MAX + 100; n++)
		assert_int_equal(cpulist_has(&list, n), n == 1 || n == 2 || n == 64 || n == 4095);
	assert_int_equal(cpulist_last(&list), 4095);
	assert_int_equal(cpulist_count(&list), 4);
	assert_false(cpulist_empty(&list));
}

TEST(test_empty)
{
	struct cpulist list;
	TEXT_DEFINE(text, 10);

	cpulist_clear(&list);
	assert_true(cpulist_empty(&list));
	assert_int_equal(cpulist_last(&list), 0);
	assert_int_equal(cpulist_count(&list), 0);
	cpulist_print(&list, &text);
	assert_string_equal(text.buf, "");
}

TEST(test_add)
{
	struct cpulist list;

	cpulist_clear(&list);
	cpulist_add(&list, CPULIST_MAX);
	cpulist_add(&list, UINT32_MAX);
	assert_true(cpulist_empty(&list));
	cpulist_add(&list, 64);
	cpulist_add(&list, 64);
	assert_int_equal(cpulist_last(&list), 64);
	assert_false(cpulist_has(&list, 0));
}

/* The text ends at its length, whatever follows. */
TEST(test_length_bounds_the_text)
{
	struct cpulist list;

	assert_true(cpulist_parse(&list, "12-34", 2));
	assert_int_equal(cpulist_last(&list), 12);
	assert_false(cpulist_parse(&list, "12-34", 3));
}

TEST(test_every_other_core_is_cut_not_overrun)
{
	struct cpulist list;
	TEXT_DEFINE(text, 16);

	cpulist_clear(&list);
	for (uint32_t n = 0; n < CPULIST_MAX; n += 2)
		cpulist_add(&list, n);
	cpulist_print(&list, &text);
	assert_true(text.overflow);
	assert_memory_equal(text.buf, "0,2,4,6,8,10", 12);
	assert_int_equal(strlen(text.buf), text.len);
}
