/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounded text: the same as libc's printf, and nothing is written past the buffer. */
#include "core/lib/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define GUARD '\x5a'

/* Formats once with libc and once with ours, into every size of buffer up to the whole. */
__attribute__((format(printf, 1, 2))) static void compare(const char *format, ...)
{
	char expected[256], buf[256];
	struct text t;
	va_list args;

	va_start(args, format);
	int length = vsnprintf(expected, sizeof(expected), format, args);

	va_end(args);
	assert_in_range(length, 0, sizeof(expected) - 2);
	for (size_t cap = 1; cap <= (size_t)length + 1; cap++) {
		memset(buf, GUARD, sizeof(buf));
		text_init(&t, buf, cap);
		va_start(args, format);
		text_vadd(&t, format, args);
		va_end(args);
		assert_int_equal(t.len, cap - 1);
		assert_memory_equal(buf, expected, cap - 1);
		assert_int_equal(buf[cap - 1], '\0');
		assert_int_equal(buf[cap], GUARD);
		assert_int_equal(t.overflow, cap <= (size_t)length);
	}
}

TEST(test_integers)
{
	static const int64_t values[] = { 0,        1,       -1,      9,         10,       -10,
					  12345678, INT_MAX, INT_MIN, INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		long long v = values[i];

		compare("%d %i %u %x %X", (int)v, (int)v, (unsigned)v, (unsigned)v, (unsigned)v);
		compare("%ld %lld %lu %llu", (long)v, v, (unsigned long)v, (unsigned long long)v);
		compare("%lx %llX %zu %zd %zx", (unsigned long)v, (unsigned long long)v, (size_t)v,
			(ptrdiff_t)v, (size_t)v);
		compare("[%5lld] [%-5lld] [%05lld] [%020lld]", v, v, v, v);
		compare("[%*lld] [%-*lld] [%0*llx]", 12, v, 12, v, 18, (unsigned long long)v);
		compare("[%*lld]", -25, v);
	}
}

TEST(test_strings)
{
	compare("%s", "");
	compare("a%sb%%c%c", "middle", 'x');
	compare("[%8s] [%-8s] [%2s]", "abc", "abc", "abc");
	compare("[%.2s] [%8.2s] [%-8.2s] [%.0s] [%.9s]", "abc", "abc", "abc", "abc", "abc");
	compare("[%.*s] [%*.*s] [%.*s]", 1, "abc", 5, 2, "abc", -1, "abc");
	compare("[%3c] [%-3c]", 'x', 'y');
}

TEST(test_null_is_not_available)
{
	const char *volatile nothing = NULL; /* volatile, since the compiler objects otherwise */
	TEXT_DEFINE(t, 32);

	text_add(&t, "[%s] [%5s]", nothing, nothing);
	assert_string_equal(t.buf, "[n/a] [  n/a]");
}

/* A string with a precision may lack its end: ASan sees one byte too many. */
TEST(test_precision_bounds_the_read)
{
	char open[3] = { 'a', 'b', 'c' };
	TEXT_DEFINE(t, 8);

	text_add(&t, "%.*s", (int)sizeof(open), open);
	assert_string_equal(t.buf, "abc");
}

TEST(test_foreign_conversions_stand)
{
	static const struct {
		const char *format, *expected;
	} cases[] = {
		{ "%f|%d", "%f|7" },   { "%hd|%d", "%hd|7" }, { "%5.3d|%d", "%5.3d|7" },
		{ "%p|%d", "%p|7" },   { "%d%", "7%" },       { "%d %5", "7 %5" },
		{ "%lc|%d", "%lc|7" }, { "%*f|%d", "%*f|7" }, { "%+d|%d", "%+d|7" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *format = cases[i].format;
		TEXT_DEFINE(t, 32);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
		/* A star takes an argument of its own. */
		if (strchr(format, '*'))
			text_add(&t, format, 5, 7);
		else
			text_add(&t, format, 7);
#pragma GCC diagnostic pop
		assert_string_equal(t.buf, cases[i].expected);
	}
}

TEST(test_absurd_width_ends)
{
	TEXT_DEFINE(t, 16);

	text_add(&t, "%*d", INT_MAX, 1);
	assert_true(t.overflow);
	assert_string_equal(t.buf, "               ");
}

TEST(test_overflow_stays_until_reset)
{
	TEXT_DEFINE(t, 4);

	text_bytes(&t, "abc", 3);
	assert_false(t.overflow);
	text_bytes(&t, "", 0);
	assert_false(t.overflow);
	text_char(&t, 'd');
	assert_true(t.overflow);
	text_bytes(&t, "", 0);
	assert_true(t.overflow);
	assert_string_equal(t.buf, "abc");
	text_reset(&t);
	assert_false(t.overflow);
	assert_string_equal(t.buf, "");
}

TEST(test_fixed)
{
	static const struct {
		uint64_t value;
		unsigned digits, width;
		const char *expected;
	} cases[] = {
		{ 1234567, 3, 0, "1234.567" },
		{ 5, 3, 0, "0.005" },
		{ 0, 5, 0, "0.00000" },
		{ 9998100, 5, 0, "99.98100" },
		{ 7, 0, 0, "7" },
		{ 7, 0, 4, "   7" },
		{ 1234, 2, 8, "   12.34" },
		{ 123456, 2, 3, "1234.56" },
		{ UINT64_MAX, 0, 0, "18446744073709551615" },
		{ UINT64_MAX, 19, 0, "1.8446744073709551615" },
		{ UINT64_MAX, 1, 24, "   1844674407370955161.5" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TEXT_DEFINE(t, 64);

		text_fixed(&t, cases[i].value, cases[i].digits, cases[i].width);
		assert_string_equal(t.buf, cases[i].expected);
	}
}

TEST(test_duration)
{
	static const struct {
		uint64_t ns;
		const char *expected;
	} cases[] = {
		{ 0, "0 ns" },
		{ 1, "1 ns" },
		{ 812, "812 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 1234, "1.23 us" },
		{ 1235, "1.24 us" },
		{ 15200, "15.2 us" },
		{ 152000, "152 us" },
		{ 152499, "152 us" },
		{ 152500, "153 us" },
		{ 3100000, "3.10 ms" },
		{ 1200000000, "1.20 s" },
		{ UINT64_C(59800000000), "59.8 s" },
		{ UINT64_C(3600000000000), "3600 s" },
		{ UINT64_MAX, "18446744074 s" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TEXT_DEFINE(t, 64);

		text_duration(&t, cases[i].ns);
		assert_string_equal(t.buf, cases[i].expected);
	}
}

TEST(test_unhex)
{
	static const char *const bad[] = { NULL,  "",   "0",  "0g", "g0", "0x12",     "12 ",
					   " 12", "/0", "0:", "@0", "0`", "000102030" };
	uint8_t bytes[4] = { 0 };

	assert_int_equal(text_unhex("09afAF", bytes, sizeof(bytes)), 3);
	assert_memory_equal(bytes, ((const uint8_t[]){ 0x09, 0xaf, 0xaf, 0 }), 4);
	assert_int_equal(text_unhex("fEdCbA98", bytes, sizeof(bytes)), 4);
	assert_memory_equal(bytes, ((const uint8_t[]){ 0xfe, 0xdc, 0xba, 0x98 }), 4);
	assert_int_equal(text_unhex("0011223344", bytes, sizeof(bytes)), 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(text_unhex(bad[i], bytes, sizeof(bytes)), 0);
}

TEST(test_maybe)
{
	TEXT_DEFINE(t, 40);

	text_maybe(&t, (struct maybe){ 0, true });
	text_add(&t, " ");
	text_maybe(&t, (struct maybe){ 1500, false });
	text_add(&t, " ");
	text_maybe_duration(&t, (struct maybe){ 1500, true });
	text_add(&t, " ");
	text_maybe_duration(&t, (struct maybe){ 1500, false });
	assert_string_equal(t.buf, "0 n/a 1.50 us n/a");
}
