/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines by their fixed parts: numbers in hex and decimal, and what is none. */
#include "host/capture/line.h"

#include "core/lib/crc32c.h"

#include "tests/unit/common/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct line line;
static char text[256];

static enum line_result read_text(void)
{
	char reason[128];
	struct text why;

	text_init(&why, reason, sizeof(reason));
	return line_read(text, strlen(text), &line, &why);
}

static void sign(const char *format)
{
	size_t bytes = strlen(text);

	snprintf(text + bytes, sizeof(text) - bytes, format, crc32c(text, bytes));
}

#define SIGNED ",\"crc\":\"%08" PRIx32 "\"}"

static enum line_result read_header(const char *sid, const char *seq)
{
	snprintf(text, sizeof(text), "{\"nf\":1,\"sid\":\"%s\",\"seq\":%s,\"type\":\"log\"", sid,
		 seq);
	sign(SIGNED);
	return read_text();
}

/* Any byte in any place of it. */
TEST(test_sid)
{
	for (unsigned byte = 1; byte < 256; byte++) {
		for (size_t at = 0; at < 16; at++) {
			bool is_digit = strchr("0123456789abcdef", (int)byte);
			char sid[17] = "fedcba9876543210";

			sid[at] = (char)byte;
			assert_int_equal(read_header(sid, "1"), is_digit ? LINE_OK : LINE_DAMAGED);
			if (is_digit)
				assert_int_equal(line.sid, strtoull(sid, NULL, 16));
		}
	}
}

TEST(test_seq)
{
	static const char *const wrong[] = { "",
					     "-1",
					     "012",
					     "9223372036854775808",
					     "18446744073709551617",
					     "99999999999999999999" };

	for (uint64_t seq = 1; seq <= UINT64_C(1000000000000000000); seq *= 10) {
		char digits[24];

		snprintf(digits, sizeof(digits), "%" PRIu64, seq);
		assert_int_equal(read_header("0123456789abcdef", digits), LINE_OK);
		assert_int_equal(line.seq, seq);
	}
	assert_int_equal(read_header("0123456789abcdef", "9223372036854775807"), LINE_OK);
	assert_int_equal(line.seq, INT64_MAX);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(read_header("0123456789abcdef", wrong[i]), LINE_DAMAGED);
}

/* Checksums of all kinds of digits; in capitals they are none. */
TEST(test_checksums)
{
	for (unsigned n = 0; n < 1000; n++) {
		size_t bytes;
		bool letters;

		snprintf(text, sizeof(text),
			 "{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":%u,\"type\":\"log\"", n);
		bytes = strlen(text);
		sign(SIGNED);
		assert_int_equal(read_text(), LINE_OK);
		assert_int_equal(line.bytes, bytes);
		assert_int_equal(line.whole, strlen(text));
		letters = strpbrk(text + bytes + strlen(",\"crc\":\""), "abcdef");
		text[bytes] = '\0';
		sign(",\"crc\":\"%08" PRIX32 "\"}");
		assert_int_equal(read_text(), letters ? LINE_DAMAGED : LINE_OK);
	}
}

/* What follows a line does not spoil it. */
TEST(test_rest)
{
	assert_int_equal(read_header("0123456789abcdef", "1"), LINE_OK);
	strcat(text, "7,\"crc\":\"00000000\"}");
	assert_int_equal(read_text(), LINE_OK);
	assert_int_equal(line.whole, strlen(text) - 19);
}
