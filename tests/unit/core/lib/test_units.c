/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units: exact, bounded, and back to the same text. */
#include "core/lib/units.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define UNTOUCHED UINT64_C(0xdeadbeef)

static const struct {
	const char *text;
	enum units_error error;
	uint64_t ns;
} times[] = {
	{ "0ns", UNITS_OK, 0 },
	{ "1ns", UNITS_OK, 1 },
	{ "250us", UNITS_OK, 250000 },
	{ "1.5ms", UNITS_OK, 1500000 },
	{ "60s", UNITS_OK, UINT64_C(60000000000) },
	{ "12h", UNITS_OK, UINT64_C(43200000000000) },
	{ "1d", UNITS_OK, UINT64_C(86400000000000) },
	{ "007s", UNITS_OK, UINT64_C(7000000000) },
	{ "0.000000001s", UNITS_OK, 1 },
	{ "0.0000000010000000000000000000000s", UNITS_OK, 1 },
	{ "0.00000000005m", UNITS_OK, 3 },
	{ "0.5d", UNITS_OK, UINT64_C(43200000000000) },
	{ "0.1h", UNITS_OK, UINT64_C(360000000000) },
	{ "1.0ns", UNITS_OK, 1 },
	{ "9223372036854775807ns", UNITS_OK, INT64_MAX },
	{ "9223372036.854775807s", UNITS_OK, INT64_MAX },
	{ "106751d", UNITS_OK, UINT64_C(9223286400000000000) },

	{ "", UNITS_NOT_A_NUMBER, 0 },
	{ "s", UNITS_NOT_A_NUMBER, 0 },
	{ "-1s", UNITS_NOT_A_NUMBER, 0 },
	{ "+1s", UNITS_NOT_A_NUMBER, 0 },
	{ ".5s", UNITS_NOT_A_NUMBER, 0 },
	{ "1.s", UNITS_NOT_A_NUMBER, 0 },
	{ "1.", UNITS_NOT_A_NUMBER, 0 },
	{ " 1s", UNITS_NOT_A_NUMBER, 0 },
	{ "5", UNITS_NO_UNIT, 0 },
	{ "1.5", UNITS_NO_UNIT, 0 },
	{ "99999999999999999999999", UNITS_NO_UNIT, 0 },
	{ "5S", UNITS_BAD_UNIT, 0 },
	{ "5sec", UNITS_BAD_UNIT, 0 },
	{ "5 s", UNITS_BAD_UNIT, 0 },
	{ "5n", UNITS_BAD_UNIT, 0 },
	{ "5\xc2\xb5s", UNITS_BAD_UNIT, 0 },
	{ "0x10us", UNITS_BAD_UNIT, 0 },
	{ "1.2.3s", UNITS_BAD_UNIT, 0 },
	{ "9223372036854775808ns", UNITS_TOO_BIG, 0 },
	{ "9223372036.854775808s", UNITS_TOO_BIG, 0 },
	{ "106752d", UNITS_TOO_BIG, 0 },
	{ "18446744073709551616ns", UNITS_TOO_BIG, 0 },
	{ "18446744073709551617ns", UNITS_TOO_BIG, 0 },
	{ "99999999999999999999999d", UNITS_TOO_BIG, 0 },
	{ "0.5ns", UNITS_TOO_FINE, 0 },
	{ "1.0000000001s", UNITS_TOO_FINE, 0 },
	{ "0.0000000000000000000000001d", UNITS_TOO_FINE, 0 },
};

TEST(test_times)
{
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t ns = UNTOUCHED;
		enum units_error error = units_parse_ns(times[i].text, strlen(times[i].text), &ns);

		if (error != times[i].error)
			fail_msg("`%s`: error %d instead of %d", times[i].text, error,
				 times[i].error);
		assert_int_equal(ns, error == UNITS_OK ? times[i].ns : UNTOUCHED);
	}
}

static const struct {
	const char *text;
	enum units_error error;
	uint64_t value;
} numbers[] = {
	{ "0", UNITS_OK, 0 },
	{ "42", UNITS_OK, 42 },
	{ "0x3f8", UNITS_OK, 0x3f8 },
	{ "0xafAF09", UNITS_OK, 0xafaf09 },
	{ "0XFE032000", UNITS_OK, UINT64_C(0xfe032000) },
	{ "18446744073709551615", UNITS_OK, UINT64_MAX },
	{ "0xffffffffffffffff", UNITS_OK, UINT64_MAX },

	{ "", UNITS_NOT_A_NUMBER, 0 },
	{ "0x", UNITS_NOT_A_NUMBER, 0 },
	{ "x1", UNITS_NOT_A_NUMBER, 0 },
	{ "0xg", UNITS_NOT_A_NUMBER, 0 },
	{ "0xG", UNITS_NOT_A_NUMBER, 0 },
	{ "3f8", UNITS_NOT_A_NUMBER, 0 },
	{ "1k", UNITS_NOT_A_NUMBER, 0 },
	{ "-1", UNITS_NOT_A_NUMBER, 0 },
	{ "1.0", UNITS_NOT_A_NUMBER, 0 },
	{ "99999999999999999999999z", UNITS_NOT_A_NUMBER, 0 },
	{ "18446744073709551616", UNITS_TOO_BIG, 0 },
	{ "0x10000000000000000", UNITS_TOO_BIG, 0 },
};

TEST(test_numbers)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t value = UNTOUCHED;
		enum units_error error = units_parse_u64(numbers[i].text, strlen(numbers[i].text),
							 &value);

		if (error != numbers[i].error)
			fail_msg("`%s`: error %d instead of %d", numbers[i].text, error,
				 numbers[i].error);
		assert_int_equal(value, error == UNITS_OK ? numbers[i].value : UNTOUCHED);
	}
}

/* The text ends at its length, whatever follows. */
TEST(test_length_bounds_the_text)
{
	uint64_t value = 0;

	assert_int_equal(units_parse_ns("5ms", 2, &value), UNITS_OK);
	assert_int_equal(value, UINT64_C(300000000000)); /* 5m */
	assert_int_equal(units_parse_ns("5ms", 1, &value), UNITS_NO_UNIT);
	assert_int_equal(units_parse_u64("123", 2, &value), UNITS_OK);
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
			assert_int_equal(units_parse_ns(text.buf, text.len, &again), UNITS_OK);
			assert_int_equal(again, ns * scale);
		}
	}
}
