/* SPDX-License-Identifier: BSD-2-Clause */
/* An HTTP server on this machine: it takes one request after the other, with any answer. */
#pragma once

#include "tests/unit/common/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct {
	int fd;
	char url[64];
	pthread_t thread;
	const char *answer;                  /* "": it closes without one */
	bool is_endless;                     /* the answer is repeated until nobody listens */
	unsigned pause_ms;                   /* before each byte of it; 0: all at once */
	char head[8192];                     /* the latest request's */
	_Atomic unsigned requests, newlines; /* newlines in their bodies */
	_Atomic bool has_part;               /* a body is empty, or ends within a line */
} server;

static inline bool http_server_take(int client)
{
	static char body[1 << 16];
	size_t used = 0, left;
	ssize_t n;

	memset(server.head, 0, sizeof(server.head));
	for (; !strstr(server.head, "\r\n\r\n"); used++)
		if (used == sizeof(server.head) - 1 || recv(client, server.head + used, 1, 0) <= 0)
			return false;
	left = strtoul(strstr(server.head, "Content-Length: ") + strlen("Content-Length: "), NULL,
		       10);
	server.has_part |= !left;
	for (; left; left -= (size_t)n) {
		n = recv(client, body, left < sizeof(body) ? left : sizeof(body), 0);
		if (n <= 0)
			break;
		for (ssize_t i = 0; i < n; i++)
			server.newlines += body[i] == '\n';
		server.has_part |= left == (size_t)n && body[n - 1] != '\n';
	}
	server.requests++;
	return true;
}

/* A client that has the whole answer may set the next one while this one is being sent. */
static inline void http_server_answer(int client)
{
	const char *answer = server.answer;
	size_t count = strlen(answer), step = server.pause_ms ? 1 : count;

	do {
		for (size_t at = 0; at < count; at += step) {
			nanosleep(&(struct timespec){ .tv_nsec = server.pause_ms * 1000000 }, NULL);
			if (send(client, answer + at, step, MSG_NOSIGNAL) < 0)
				return;
		}
	} while (server.is_endless);
}

static inline void *http_server_run(void *ctx)
{
	int client;

	while ((client = accept(server.fd, NULL, NULL)) >= 0) {
		if (http_server_take(client))
			http_server_answer(client);
		close(client);
	}
	return ctx;
}

/* False: it could not be started. `path` is that of its URL. */
static inline bool http_server_start(const char *path)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t bytes = sizeof(a);

	memset(&server, 0, sizeof(server));
	server.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	server.fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(server.fd, (struct sockaddr *)&a, sizeof(a)) || listen(server.fd, 8) ||
	    getsockname(server.fd, (struct sockaddr *)&a, &bytes))
		return false;
	snprintf(server.url, sizeof(server.url), "http://127.0.0.1:%u%s", ntohs(a.sin_port), path);
	return pthread_create(&server.thread, NULL, http_server_run, NULL) == 0;
}

static inline void http_server_stop(void)
{
	shutdown(server.fd, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.fd);
}
