/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings and numbers as they are mostly written, and others. */
#include "host/capture/json_scan.h"

#include "tests/unit/common/test.h"

static bool is_plain(unsigned byte)
{
	return byte >= ' ' && byte < 0x80 && byte != '"' && byte != '\\';
}

/* Any byte at any place: it ends there, or at the end. */
TEST(test_copy_plain)
{
	char text[20], copy[20];

	for (unsigned byte = 0; byte < 256; byte++) {
		for (size_t bytes = 0; bytes <= sizeof(text); bytes++) {
			for (size_t at = 0; at < bytes; at++) {
				size_t plain = is_plain(byte) ? bytes : at;
				char *to = copy;

				memset(text, 'x', sizeof(text));
				text[at] = (char)byte;
				assert_ptr_equal(json_copy_plain(text, text + bytes, &to),
						 text + plain);
				assert_int_equal(to - copy, plain);
				assert_memory_equal(copy, text, plain);
			}
		}
	}
}

/* What is taken in one way is the same in the other. */
static void check_number(const char *text)
{
	const char *end = text + strlen(text);
	struct json_scan any = { .at = text, .end = end }, one = any;
	uint64_t value = 0, other = 0;
	const char *at = json_plain_u64(text, end, &value);
	bool taken_any = json_scan_any_u64(&any, &other);

	if (at) {
		assert_true(taken_any);
		assert_ptr_equal(any.at, at);
		assert_int_equal(value, other);
	}
	assert_int_equal(json_scan_u64(&one, &value), taken_any);
	if (taken_any) {
		assert_ptr_equal(one.at, any.at);
		assert_int_equal(value, other);
	}
}

/* Of up to 21 digits and of others, each behind each. */
TEST(test_plain_numbers)
{
	static const char bytes[] = "0189,]}.eE- ";
	char text[24] = "";

	for (size_t digits = 0; digits < sizeof(text) - 2; digits++) {
		for (const char *last = bytes; *last; last++) {
			for (const char *first = bytes; *first; first++) {
				memset(text, '9', digits);
				text[0] = *first;
				text[digits] = *last;
				text[digits + 1] = '\0';
				check_number(text);
			}
		}
	}
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
