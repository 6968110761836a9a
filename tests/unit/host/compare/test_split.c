/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges: shares of them, and what is printed of them, which holds them. */
#include "core/lib/text.h"

#include "host/lib/json_name.h"
#include "host/lib/range.h"

#include "tests/unit/common/test.h"

#include <stdlib.h>
#include <string.h>

TEST(test_share)
{
	struct range share = range_share(range_of(20, 50), range_of(100, 200), 1000);

	assert_true(share.known && share.low == 100 && share.high == 500 && !share.value.known);
	/* A third is rounded outwards. */
	share = range_share(range_exact(1), range_exact(3), 100);
	assert_true(share.low == 33 && share.high == 34 && share.value.value == 33);
	share = range_share(range_of(5, 9), range_of(5, RANGE_OPEN), 100);
	assert_true(share.low == 0 && share.high == 100);
	assert_false(range_share(range_exact(0), range_exact(0), 100).known);
	assert_false(range_share((struct range){ 0 }, range_exact(9), 100).known);
	share = range_share(range_exact(0), range_of(0, 9), 100);
	assert_true(share.known && share.low == 0);
}

TEST(test_text)
{
	static const struct {
		uint64_t low, high;
		const char *text;
	} cases[] = {
		{ 12028000, 12028999, "12028-12029" }, /* whole us, cut */
		{ 57291318, 57313380, "57291-57314" },
		{ 57291318, 57291340, "57291.31-57291.34" },
		{ 1, 2, "0.001-0.002" },
		{ 228000, 228000, "228.000" },
		{ 0, 0, "0.000" },
		{ 0, 999, "0-1" },
		{ 1904000, RANGE_OPEN, "1904-" },
		{ 1904001, RANGE_OPEN, "1904.001-" },
		{ 0, RANGE_OPEN, "n/a" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[64];
		struct text t;

		text_init(&t, buf, sizeof(buf));
		range_text(&t, range_of(cases[i].low, cases[i].high), RANGE_US);
		assert_string_equal(buf, cases[i].text);
	}
}

/* Exact, bounded, with a lower bound only, unbounded, and not known. */
TEST(test_json)
{
	static const struct {
		struct range r;
		const char *text;
	} cases[] = {
		{ { 5, 5, true, { 5, true } }, "{\"low\":5,\"value\":5,\"high\":5}" },
		{ { 5, 7, true, { 0, false } }, "{\"low\":5,\"value\":null,\"high\":7}" },
		{ { 5, RANGE_OPEN, true, { 0, false } },
		  "{\"low\":5,\"value\":null,\"high\":null}" },
		{ { 0, RANGE_OPEN, true, { 0, false } }, "null" },
		{ { 0, RANGE_OPEN, true, { 9, true } }, "{\"low\":0,\"value\":9,\"high\":null}" },
		{ { 0, 0, false, { 0, false } }, "null" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *json = json_range(cases[i].r);
		char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

		assert_string_equal(text, cases[i].text);
		free(text);
		json_decref(json);
	}
}
