/* SPDX-License-Identifier: BSD-2-Clause */
/* Bodies of answers, in whatever pieces: whole, too long, broken. */
#include "core/config/http_answer.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define CAP 16

static char out[CAP];
static struct http_answer a;

/* "Name: value" up to a NULL. */
static enum http_answer_state begin(const char *const headers[])
{
	char name[40], value[80];

	http_answer_start(&a, out, CAP);
	for (; *headers; headers++) {
		assert_int_equal(sscanf(*headers, "%39[^:]:%79[^\n]", name, value), 2);
		http_answer_header(&a, name, value);
	}
	return http_answer_begin(&a);
}

/* In pieces of `piece` bytes. */
static enum http_answer_state take(const char *body, size_t piece)
{
	enum http_answer_state state = a.state;
	size_t bytes = strlen(body);

	for (size_t at = 0; at < bytes && state == HTTP_ANSWER_MORE; at += piece)
		state = http_answer_take(&a, body + at, bytes - at < piece ? bytes - at : piece);
	return state;
}

static void assert_body(const char *want)
{
	assert_int_equal(a.used, strlen(want));
	assert_memory_equal(out, want, a.used);
}

static const char *const none[] = { NULL };

TEST(test_by_length)
{
	static const char *const five[] = { "Server: x", "CONTENT-LENGTH: 5", NULL };

	for (size_t piece = 1; piece < 8; piece++) {
		assert_int_equal(begin(five), HTTP_ANSWER_MORE);
		assert_int_equal(take("hell", piece), HTTP_ANSWER_MORE);
		assert_int_equal(take("o, and more", piece), HTTP_ANSWER_WHOLE);
		assert_body("hello");
	}
}

TEST(test_lengths)
{
	static const struct {
		const char *header;
		enum http_answer_state state;
	} rows[] = {
		{ "Content-Length: 0", HTTP_ANSWER_WHOLE },
		{ "Content-Length: 16", HTTP_ANSWER_MORE },
		{ "Content-Length: 17", HTTP_ANSWER_LONG },
		{ "Content-Length: 18446744073709551617", HTTP_ANSWER_LONG },
		{ "Content-Length: 99999999999999999999999999999999", HTTP_ANSWER_LONG },
		{ "Content-Length: -1", HTTP_ANSWER_BROKEN },
		{ "Content-Length: 5 5", HTTP_ANSWER_BROKEN },
		{ "Content-Length: five", HTTP_ANSWER_BROKEN },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const headers[] = { rows[i].header, NULL };

		assert_int_equal(begin(headers), rows[i].state);
	}
}

TEST(test_two_lengths)
{
	static const char *const same[] = { "Content-Length: 5", "Content-Length: 5", NULL };
	static const char *const other[] = { "Content-Length: 5", "Content-Length: 6", NULL };

	assert_int_equal(begin(same), HTTP_ANSWER_MORE);
	assert_int_equal(begin(other), HTTP_ANSWER_BROKEN);
}

TEST(test_no_length)
{
	assert_int_equal(begin(none), HTTP_ANSWER_UNSIZED);
	assert_int_equal(take("hello", 5), HTTP_ANSWER_UNSIZED);
	assert_body("");
}

/* Chunks are refused, with a length beside them, too. */
TEST(test_chunks)
{
	static const char *const chunked[] = { "transfer-encoding: Chunked ", NULL };
	static const char *const both[] = { "Content-Length: 9", "Transfer-Encoding: chunked",
					    NULL };

	assert_int_equal(begin(chunked), HTTP_ANSWER_UNSIZED);
	assert_int_equal(begin(both), HTTP_ANSWER_UNSIZED);
	assert_int_equal(take("2\nok\n0\n", 3), HTTP_ANSWER_UNSIZED);
	assert_body("");
}

TEST(test_codings)
{
	static const char *const gzip[] = { "Content-Encoding: gzip", NULL };
	static const char *const both[] = { "Transfer-Encoding: gzip, chunked", NULL };
	static const char *const as_is[] = { "Content-Encoding: identity", "Content-Length: 5",
					     "Transfer-Encoding: identity", NULL };

	assert_int_equal(begin(gzip), HTTP_ANSWER_CODED);
	assert_int_equal(take("hello", 5), HTTP_ANSWER_CODED);
	assert_int_equal(begin(both), HTTP_ANSWER_CODED);
	assert_int_equal(begin(as_is), HTTP_ANSWER_MORE);
}
