/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to a request: good ones, and those of servers that are none, end early or never. */
#include "host/collect/http.h"
#include "host/lib/output_file.h"

#include "tests/unit/http_server.h"

static struct http *http;
static char why[HTTP_WHY];

static void begin(void)
{
	http = http_open(&(struct http_access){ 0 }, why);
	assert_true(http && http_server_start("/query") && http_is_url(server.url));
}

static void end(void)
{
	http_close(http);
	http_server_stop();
}

/* The status of the answer, which `why` has in words. */
static int ask(const char *answer, unsigned seconds)
{
	server.answer = answer;
	return http_post(http, server.url, "x", 1, seconds, why);
}

#define OK "HTTP/1.0 200 OK\r\n"

TEST_F(begin, end, test_answers)
{
	static const struct {
		const char *bytes, *why;
		int status;
	} cases[] = {
		{ OK "\r\n{}", "HTTP status 200: {}", 200 },
		{ OK "content-length:2\r\n\r\n{}", "HTTP status 200: {}", 200 },
		{ "HTTP/1.1 204 OK\r\n\r\n", "HTTP status 204", 204 },
		{ "HTTP/1.1 500 Error\r\n\r\n\x1b[2Jno\nmore", "HTTP status 500: ?[2Jno", 500 },
		{ "HTTP/1.1 302 Found\r\nLocation: http://a/\r\n\r\n", "HTTP status 302", 302 },
		{ OK "Content-Length: 3\r\n\r\n{}", NULL, 0 },
		{ "HTTP/1.0 ", NULL, 0 },
		{ "SSH-2.0-OpenSSH\r\n", NULL, 0 },
		{ "\n", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*why = '\0';
		assert_int_equal(ask(cases[i].bytes, 30), cases[i].status);
		if (cases[i].why)
			assert_string_equal(why, cases[i].why);
		else
			assert_true(*why && !strstr(why, "HTTP status"));
	}
	assert_non_null(strstr(server.head, "POST /query HTTP/1.1\r\nHost: 127.0.0.1:"));
	assert_non_null(strstr(server.head, "\r\nContent-Length: 1\r\n"));
	/* No process listens on this port. */
	assert_int_equal(http_post(http, "http://127.0.0.1:1/", "x", 1, 30, why), 0);
}

/* Only the beginning of a long answer is stored. */
TEST_F(begin, end, test_long)
{
	static char bytes[1000001] = "HTTP/1.1 400 Bad\r\n\r\n";
	size_t head = strlen(bytes);

	memset(bytes + head, 'x', sizeof(bytes) - 1 - head);
	assert_int_equal(ask(bytes, 30), 400);
	assert_int_equal(strspn(why + strlen("HTTP status 400: "), "x"), 150);
	assert_int_equal(strlen(why), strlen("HTTP status 400: ") + 150);
}

/* The server sends a byte now and then: each wait is short, but their sum is not. */
TEST_F(begin, end, test_slow)
{
	server.is_endless = true;
	server.pause_ms = 20;
	assert_int_equal(ask(OK "X: y\r\n\r\n", 1), 0);
	assert_non_null(strstr(why, "timed out"));
}

TEST_F(begin, end, test_authorization)
{
	char name[] = "/tmp/test_http.XXXXXX";
	const struct http_access access = { .authorization = name };
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	close(fd);
	ask(OK "\r\n", 10);
	assert_null(strstr(server.head, "Authorization"));
	http_close(http);
	assert_int_equal(output_file_write(name, 0600, "Token se=cret\r\n", 15), 0);
	http = http_open(&access, why);
	unlink(name);
	assert_non_null(http);
	for (unsigned i = 0; i < 2; i++) {
		ask(OK "\r\n", 10);
		assert_non_null(strstr(server.head, "\r\nAuthorization: Token se=cret\r\n"));
	}
}

/* A value that would be a header of its own, or is empty, is no authorization. */
TEST(test_what_authorizes_nothing)
{
	static char longest[4096];
	static const struct {
		const char *bytes;
		size_t count;
		bool is_valid;
	} cases[] = {
		{ "Token a", 7, true },
		{ "Token a\n", 8, true },
		{ longest, 4095, true },
		{ longest, 4096, false },
		{ "", 0, false },
		{ "\n", 1, false },
		{ "Token a\nX: b", 12, false },
		{ "Token a\0b", 9, false },
		{ "Token \x01", 7, false },
		{ "Token \xc3\xa4", 8, false },
	};
	char name[] = "/tmp/test_http.XXXXXX";
	const struct http_access access = { .authorization = name };
	int fd = mkstemp(name);
	struct http *h;

	assert_true(fd >= 0);
	close(fd);
	memset(longest, 'x', sizeof(longest));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(output_file_write(name, 0600, cases[i].bytes, cases[i].count), 0);
		*why = '\0';
		h = http_open(&access, why);
		assert_int_equal(h != NULL, cases[i].is_valid);
		if (!h)
			assert_non_null(strstr(
				why, "accepted: one line of up to 4095 printable characters"));
		http_close(h);
	}
	unlink(name);
	assert_null(http_open(&access, why));
	assert_non_null(strstr(why, "No such file"));
}
