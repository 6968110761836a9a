/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to a request: good ones, and those of servers that are none, end early or never. */
#include "host/collect/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

/* Answers one request after the other with these bytes, once or until nobody listens. */
static struct {
	int fd;
	const char *bytes;
	size_t count;
	bool endless;
	unsigned pause_ms; /* before each byte */
	pthread_t thread;
	struct http *http;
	char url[64];
} server;

static char request[8192]; /* the last */
static char why[HTTP_WHY];

/* A client that has the whole answer may set the next one while this one is being sent. */
static void answer(int client)
{
	ssize_t bytes = recv(client, request, sizeof(request) - 1, 0);
	size_t count = server.count, step = server.pause_ms ? 1 : count;
	const char *all = server.bytes;

	if (bytes <= 0)
		return;
	request[bytes] = '\0';
	do {
		for (size_t at = 0; at < count; at += step) {
			nanosleep(&(struct timespec){ .tv_nsec = server.pause_ms * 1000000 }, NULL);
			if (send(client, all + at, step, MSG_NOSIGNAL) < 0)
				return;
		}
	} while (server.endless);
}

static void *serve(void *ctx)
{
	int client;

	(void)ctx;
	while ((client = accept(server.fd, NULL, NULL)) >= 0) {
		answer(client);
		shutdown(client, SHUT_WR);
		recv(client, (char[1]){ 0 }, 1, 0);
		close(client);
	}
	return NULL;
}

static int begin(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t bytes = sizeof(a);

	(void)state;
	server.fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(server.fd, (struct sockaddr *)&a, sizeof(a)) || listen(server.fd, 8) ||
	    getsockname(server.fd, (struct sockaddr *)&a, &bytes))
		return -1;
	snprintf(server.url, sizeof(server.url), "http://127.0.0.1:%u/query", ntohs(a.sin_port));
	server.http = http_open(&(struct http_access){ 0 }, why);
	return !server.http || !http_is_url(server.url) ||
	       pthread_create(&server.thread, NULL, serve, NULL);
}

static int end(void **state)
{
	(void)state;
	http_close(server.http);
	shutdown(server.fd, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	return close(server.fd);
}

/* The status of the answer, which `why` has in words. */
static int ask(const char *bytes, size_t count, unsigned seconds)
{
	server.bytes = bytes;
	server.count = count;
	return http_post(server.http, server.url, "x", 1, seconds, why);
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
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*why = '\0';
		assert_int_equal(ask(cases[i].bytes, strlen(cases[i].bytes), 30), cases[i].status);
		if (cases[i].why)
			assert_string_equal(why, cases[i].why);
		else
			assert_true(*why && !strstr(why, "HTTP status"));
	}
}

/* Of a long answer its beginning is there. */
TEST_F(begin, end, test_long)
{
	static char bytes[1000000] = "HTTP/1.1 400 Bad\r\n\r\n";
	size_t head = strlen(bytes);

	memset(bytes + head, 'x', sizeof(bytes) - head);
	assert_int_equal(ask(bytes, sizeof(bytes), 30), 400);
	assert_int_equal(strspn(why + strlen("HTTP status 400: "), "x"), 150);
	assert_int_equal(strlen(why), strlen("HTTP status 400: ") + 150);
}

/* A byte now and then: each wait is short, and the sum is not. */
TEST_F(begin, end, test_slow)
{
	static const char head[] = OK "X: y\r\n\r\n";

	server.endless = true;
	server.pause_ms = 20;
	assert_int_equal(ask(head, sizeof(head) - 1, 1), 0);
	assert_non_null(strstr(why, "timed out"));
	server.endless = false;
	server.pause_ms = 0;
}

static void write_file(const char *name, const char *bytes, size_t count)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

TEST_F(begin, end, test_authorization)
{
	static const char good[] = OK "\r\n";
	char name[] = "/tmp/test_http.XXXXXX";
	const struct http_access access = { .authorization = name };
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	close(fd);
	ask(good, sizeof(good) - 1, 10);
	assert_null(strstr(request, "Authorization"));
	http_close(server.http);
	write_file(name, "Token se=cret\r\n", 15);
	server.http = http_open(&access, why);
	unlink(name);
	assert_non_null(server.http);
	for (unsigned i = 0; i < 2; i++) {
		ask(good, sizeof(good) - 1, 10);
		assert_non_null(strstr(request, "\r\nAuthorization: Token se=cret\r\n"));
	}
}

/* What would be a header of its own, or is none, is no authorization. */
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
		write_file(name, cases[i].bytes, cases[i].count);
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
