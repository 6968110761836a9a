/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units: exact, bounded, and back to the same text. */
#include "core/lib/units.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define UNTOUCHED UINT64_C(0xdeadbeef)

static const struct {
	const char *text;
	const char *error;
	uint64_t ns;
} times[] = {
	{ "0ns", NULL, 0 },
	{ "1ns", NULL, 1 },
	{ "250us", NULL, 250000 },
	{ "1.5ms", NULL, 1500000 },
	{ "60s", NULL, UINT64_C(60000000000) },
	{ "12h", NULL, UINT64_C(43200000000000) },
	{ "1d", NULL, UINT64_C(86400000000000) },
	{ "007s", NULL, UINT64_C(7000000000) },
	{ "0.000000001s", NULL, 1 },
	{ "0.0000000010000000000000000000000s", NULL, 1 },
	{ "0.00000000005m", NULL, 3 },
	{ "0.5d", NULL, UINT64_C(43200000000000) },
	{ "0.1h", NULL, UINT64_C(360000000000) },
	{ "1.0ns", NULL, 1 },
	{ "9223372036854775807ns", NULL, INT64_MAX },
	{ "9223372036.854775807s", NULL, INT64_MAX },
	{ "106751d", NULL, UINT64_C(9223286400000000000) },

	{ "", "is not a time", 0 },
	{ "s", "is not a time", 0 },
	{ "-1s", "is not a time", 0 },
	{ "+1s", "is not a time", 0 },
	{ ".5s", "is not a time", 0 },
	{ "1.s", "is not a time", 0 },
	{ "1.", "is not a time", 0 },
	{ " 1s", "is not a time", 0 },
	{ "5", "needs a unit", 0 },
	{ "1.5", "needs a unit", 0 },
	{ "99999999999999999999999", "needs a unit", 0 },
	{ "5S", "has an unknown unit", 0 },
	{ "5sec", "has an unknown unit", 0 },
	{ "5 s", "has an unknown unit", 0 },
	{ "5n", "has an unknown unit", 0 },
	{ "5\xc2\xb5s", "has an unknown unit", 0 },
	{ "0x10us", "has an unknown unit", 0 },
	{ "1.2.3s", "has an unknown unit", 0 },
	{ "9223372036854775808ns", "is too long", 0 },
	{ "9223372036.854775808s", "is too long", 0 },
	{ "106752d", "is too long", 0 },
	{ "18446744073709551616ns", "is too long", 0 },
	{ "18446744073709551617ns", "is too long", 0 },
	{ "99999999999999999999999d", "is too long", 0 },
	{ "0.5ns", "is finer than 1 ns", 0 },
	{ "1.0000000001s", "is finer than 1 ns", 0 },
	{ "0.0000000000000000000000001d", "is finer than 1 ns", 0 },
};

TEST(test_times)
{
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t ns = UNTOUCHED;
		const char *error = units_parse_ns(times[i].text, strlen(times[i].text), &ns);

		if (!text_same(error, times[i].error))
			fail_msg("`%s` %s", times[i].text, error ? error : "is accepted");
		assert_int_equal(ns, !error ? times[i].ns : UNTOUCHED);
	}
}

static const struct {
	const char *text;
	const char *error;
	uint64_t value;
} numbers[] = {
	{ "0", NULL, 0 },
	{ "42", NULL, 42 },
	{ "0x3f8", NULL, 0x3f8 },
	{ "0xafAF09", NULL, 0xafaf09 },
	{ "0XFE032000", NULL, UINT64_C(0xfe032000) },
	{ "18446744073709551615", NULL, UINT64_MAX },
	{ "0xffffffffffffffff", NULL, UINT64_MAX },

	{ "", "is not a whole number", 0 },
	{ "0x", "is not a whole number", 0 },
	{ "x1", "is not a whole number", 0 },
	{ "0xg", "is not a whole number", 0 },
	{ "0xG", "is not a whole number", 0 },
	{ "3f8", "is not a whole number", 0 },
	{ "1k", "is not a whole number", 0 },
	{ "-1", "is not a whole number", 0 },
	{ "1.0", "is not a whole number", 0 },
	{ "99999999999999999999999z", "is not a whole number", 0 },
	{ "18446744073709551616", "is out of range", 0 },
	{ "0x10000000000000000", "is out of range", 0 },
};

TEST(test_numbers)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t value = UNTOUCHED;
		const char *error = units_parse_u64(numbers[i].text, strlen(numbers[i].text),
						    &value);

		if (!text_same(error, numbers[i].error))
			fail_msg("`%s` %s", numbers[i].text, error ? error : "is accepted");
		assert_int_equal(value, !error ? numbers[i].value : UNTOUCHED);
	}
}

/* The text ends at its length, whatever follows. */
TEST(test_length_bounds_the_text)
{
	uint64_t value = 0;

	assert_null(units_parse_ns("5ms", 2, &value));
	assert_int_equal(value, UINT64_C(300000000000)); /* 5m */
	assert_string_equal(units_parse_ns("5ms", 1, &value), "needs a unit");
	assert_null(units_parse_u64("123", 2, &value));
	assert_int_equal(value, 12);
}

static void assert_prints(uint64_t ns, const char *expected)
{
	TEXT_DEFINE(text, 40);

	units_print_ns(&text, ns);
	assert_string_equal(text.buf, expected);
}

TEST(test_print_is_shortest)
{
	assert_prints(0, "0ns");
	assert_prints(1, "1ns");
	assert_prints(1500000, "1500us");
	assert_prints(UINT64_C(60000000000), "1m");
	assert_prints(UINT64_C(90000000000), "90s");
	assert_prints(UINT64_C(86400000000000), "1d");
	assert_prints(UINT64_C(43200000000000), "12h");
	assert_prints(INT64_MAX, "9223372036854775807ns");
}

TEST(test_print_is_read_back)
{
	uint64_t ns = 1, before = 0, next;

	/* Fibonacci numbers times powers of ten: all units, all digits. */
	for (; ns < UNITS_NS_MAX / 2; next = ns + before, before = ns, ns = next) {
		for (uint64_t scale = 1; ns <= UNITS_NS_MAX / scale; scale *= 10) {
			uint64_t again = 0;
			TEXT_DEFINE(text, 40);

			units_print_ns(&text, ns * scale);
			assert_null(units_parse_ns(text.buf, text.len, &again));
			assert_int_equal(again, ns * scale);
		}
	}
}
