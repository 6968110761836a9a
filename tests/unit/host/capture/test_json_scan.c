/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that are expected, and others. */
#include "host/capture/json_scan.h"

#include "tests/unit/common/test.h"

/* The bytes that were taken of a text as long as it is; 0: the name was not found. */
static size_t taken(const char *name, const char *text)
{
	struct json_scan s = { .at = text, .end = text + strlen(text) };
	struct json_known known;

	json_known_set(&known, name);
	if (!json_scan_known(&s, &known)) {
		assert_ptr_equal(s.at, text);
		return 0;
	}
	return (size_t)(s.at - text);
}

TEST(test_expected)
{
	assert_int_equal(taken("a", "\"a\":1234567"), 4);
	assert_int_equal(taken("a", "\"a\": \t 567"), 7);
	assert_int_equal(taken("eightlet", "\"eightlet\":1"), 11);
	assert_int_equal(taken("nineletter", "\"nineletter\":1"), 13);
}

/* All of the name counts, and where it ends. */
TEST(test_others)
{
	static const char *const texts[] = {
		"\"nineletteR\":1",  "\"nineletter:\":1", "\"nineletter\" :1", "nineletter\":1234",
		"\"nineletters\":1", "\"ninelette\":1",   "\"nineletter\"",    "\"nineletter\"1:",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(taken("nineletter", texts[i]), 0);
	assert_int_equal(taken("a", "\"b\":1234567"), 0);
	assert_int_equal(taken("", "\"b\":1234567"), 0);
}

/* It is left to who needs no eight bytes. */
TEST(test_short)
{
	assert_int_equal(taken("a", "\"a\":1"), 0);
	assert_int_equal(taken("a", ""), 0);
}

static bool number(const char *text, uint64_t *value)
{
	struct json_scan s = { .at = text, .end = text + strlen(text) };

	return json_scan_u64(&s, value);
}

TEST(test_numbers)
{
	static const struct {
		const char *text;
		uint64_t value;
	} numbers[] = {
		{ "0,", 0 },
		{ "7}", 7 },
		{ "123456789012345678]", UINT64_C(123456789012345678) },
		{ "18446744073709551615,", UINT64_MAX },
		{ "12", 12 },
		{ "12 ", 12 },
		{ "-0,", 0 },
	};
	static const char *const wrong[] = {
		"", ",", "-1,", "1.0,", "1e3,", "18446744073709551616,", "99999999999999999999,",
	};
	struct json_scan s = { .at = "01," };
	uint64_t value;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_true(number(numbers[i].text, &value));
		assert_int_equal(value, numbers[i].value);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(number(wrong[i], &value));
	/* A zero before a number is a number of its own, and what follows no element. */
	s.end = s.at + strlen(s.at);
	assert_true(json_scan_u64(&s, &value));
	assert_string_equal(s.at, "1,");
}
