/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings and numbers as they are mostly written, and others. */
#include "host/capture/json_scan.h"

#include "tests/unit/common/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(unsigned byte)
{
	return byte >= ' ' && byte < 0x80 && byte != '"' && byte != '\\';
}

/* Any byte at any place of a string: what does not stand for itself ends it, or spoils it. */
TEST(test_plain_strings)
{
	char text[22] = "\"", copy[22];

	for (unsigned byte = 0; byte < 256; byte++) {
		for (size_t bytes = 1; bytes < sizeof(text) - 2; bytes++) {
			for (size_t at = 1; at <= bytes; at++) {
				struct json_scan s = { text, text + bytes + 2, 0, copy, 0 };
				size_t plain = is_plain(byte) ? bytes : at - 1;
				const char *value;

				memset(text + 1, 'x', bytes);
				text[1 + bytes] = '"';
				text[at] = (char)byte;
				assert_int_equal(json_scan_string(&s, &value),
						 is_plain(byte) || byte == '"');
				assert_ptr_equal(value, copy);
				assert_memory_equal(copy, text + 1, plain);
				if (is_plain(byte) || byte == '"')
					assert_int_equal(strlen(copy), plain);
			}
		}
	}
}

/* Of up to 21 digits: as strtoull() reads them, or past 64 bits. */
TEST(test_digits)
{
	char text[24] = "";

	for (size_t digits = 1; digits < sizeof(text) - 2; digits++) {
		for (char first = '1'; first <= '9'; first++) {
			for (char last = '0'; last <= '9'; last++) {
				struct json_scan s = { .at = text, .end = text + digits + 1 };
				uint64_t value, expected;
				char *end;

				memset(text, '9', digits);
				text[digits - 1] = last;
				text[0] = digits > 1 ? first : last;
				text[digits] = ',';
				text[digits + 1] = '\0';
				errno = 0;
				expected = strtoull(text, &end, 10);
				assert_int_equal(json_scan_u64(&s, &value), !errno);
				if (errno)
					continue;
				assert_int_equal(value, expected);
				assert_ptr_equal(s.at, end);
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
