/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of answers: lengths that fit or not, contradictions. */
#include "efi/net/http_answer.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define CAP 16

enum state { SOUND, LONG, UNSIZED, BROKEN };

static const struct {
	const char *headers[4]; /* "Name: value" */
	enum state state;
	uint64_t bytes;
} rows[] = {
	{ { "Server: x", "CONTENT-LENGTH: 5" }, SOUND, 5 },
	{ { "Content-Length: 0" }, SOUND, 0 },
	{ { "Content-Length: 16" }, SOUND, 16 },
	{ { "Content-Length: 17" }, LONG, 0 },
	{ { "Content-Length: 18446744073709551617" }, LONG, 0 },
	{ { "Content-Length: 99999999999999999999999999999999" }, LONG, 0 },
	{ { "Content-Length: -1" }, BROKEN, 0 },
	{ { "Content-Length: 5 5" }, BROKEN, 0 },
	{ { "Content-Length: five" }, BROKEN, 0 },
	{ { "Content-Length: 5", "Content-Length: 5" }, SOUND, 5 },
	{ { "Content-Length: 5", "Content-Length: 6" }, BROKEN, 0 },
	{ { NULL }, UNSIZED, 0 },
	{ { "Transfer-Encoding: chunked" }, UNSIZED, 0 },
};

static enum state state_of(const struct http_answer *a)
{
	const char *problem = http_answer_problem(a);

	if (problem)
		return strstr(problem, "is no HTTP") ? BROKEN : UNSIZED;
	return a->bytes > CAP ? LONG : SOUND;
}

TEST(test_headers)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_answer a = { .bytes = 0 };
		char name[40], value[80];

		for (const char *const *h = rows[i].headers; *h; h++) {
			assert_int_equal(sscanf(*h, "%39[^:]:%79[^\n]", name, value), 2);
			http_answer_header(&a, name, value);
		}
		if (state_of(&a) != rows[i].state)
			fail_msg("row %zu: state %u", i, state_of(&a));
		if (rows[i].state == SOUND)
			assert_int_equal(a.bytes, rows[i].bytes);
	}
}
