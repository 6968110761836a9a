/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of answers: lengths that fit or not, contradictions. */
#include "efi/net/http_answer.h"

#include <stdio.h>

#include "tests/unit/common/test.h"

#define CAP 16

static const struct {
	const char *headers[4]; /* "Name: value" */
	enum http_answer_state state;
	uint64_t bytes;
} rows[] = {
	{ { "Server: x", "CONTENT-LENGTH: 5" }, HTTP_ANSWER_SOUND, 5 },
	{ { "Content-Length: 0" }, HTTP_ANSWER_SOUND, 0 },
	{ { "Content-Length: 16" }, HTTP_ANSWER_SOUND, 16 },
	{ { "Content-Length: 17" }, HTTP_ANSWER_LONG, 0 },
	{ { "Content-Length: 18446744073709551617" }, HTTP_ANSWER_LONG, 0 },
	{ { "Content-Length: 99999999999999999999999999999999" }, HTTP_ANSWER_LONG, 0 },
	{ { "Content-Length: -1" }, HTTP_ANSWER_BROKEN, 0 },
	{ { "Content-Length: 5 5" }, HTTP_ANSWER_BROKEN, 0 },
	{ { "Content-Length: five" }, HTTP_ANSWER_BROKEN, 0 },
	{ { "Content-Length: 5", "Content-Length: 5" }, HTTP_ANSWER_SOUND, 5 },
	{ { "Content-Length: 5", "Content-Length: 6" }, HTTP_ANSWER_BROKEN, 0 },
	{ { NULL }, HTTP_ANSWER_UNSIZED, 0 },
	{ { "Transfer-Encoding: chunked" }, HTTP_ANSWER_UNSIZED, 0 },
};

TEST(test_headers)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_answer a = { .bytes = 0 };
		char name[40], value[80];

		for (const char *const *h = rows[i].headers; *h; h++) {
			assert_int_equal(sscanf(*h, "%39[^:]:%79[^\n]", name, value), 2);
			http_answer_header(&a, name, value);
		}
		if (http_answer_end(&a, CAP) != rows[i].state)
			fail_msg("row %zu: state %u", i, a.state);
		if (rows[i].state == HTTP_ANSWER_SOUND)
			assert_int_equal(a.bytes, rows[i].bytes);
	}
}
