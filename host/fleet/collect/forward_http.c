/* SPDX-License-Identifier: BSD-2-Clause */
/* One connection per request; every wait on the network has a bound. */
#define _GNU_SOURCE /* memrchr */
#include "forward_http.h"

#include "host/lib/monotonic.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define SCHEME    "http://"
#define TIMEOUT_S 10              /* of each wait; */
#define POST_NS   (30 * NS_PER_S) /* after this time no other is begun */
#define REPLY_MAX 512

/* An address must not contain characters that could end a line of the request. */
static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if (*text <= ' ' || *text > '~')
			return false;
	}
	return true;
}

static bool copy(char *to, size_t room, const char *from, size_t bytes)
{
	if (!bytes || bytes >= room)
		return false;
	memcpy(to, from, bytes);
	to[bytes] = '\0';
	return true;
}

bool forward_http_target(const char *url, struct forward_http_target *t)
{
	const char *host = url + strlen(SCHEME), *slash, *colon;
	size_t bytes;

	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0 || !is_plain(url))
		return false;
	slash = strchr(host, '/');
	if (!slash)
		return false;
	colon = memrchr(host, ':', (size_t)(slash - host));
	if (!colon)
		return false;
	bytes = (size_t)(colon - host);
	if (bytes > 2 && host[0] == '[' && host[bytes - 1] == ']') {
		host++;
		bytes -= 2;
	}
	return copy(t->host, sizeof(t->host), host, bytes) &&
	       copy(t->port, sizeof(t->port), colon + 1, (size_t)(slash - colon - 1)) &&
	       copy(t->path, sizeof(t->path), slash, strlen(slash));
}

static int connect_one(const struct addrinfo *a)
{
	const struct timeval patience = { .tv_sec = TIMEOUT_S };
	int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	/* On Linux the timeout of sending holds for connecting, too. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
		return fd;
	close(fd);
	return -1;
}

static int connect_to(const struct forward_http_target *t)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int fd = -1;

	if (getaddrinfo(t->host, t->port, &wanted, &found) != 0)
		return -1;
	for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
		fd = connect_one(a);
	freeaddrinfo(found);
	return fd;
}

static bool send_all(int fd, const char *text, size_t bytes, uint64_t until)
{
	while (bytes) {
		ssize_t n = monotonic_ns() < until ? send(fd, text, bytes, MSG_NOSIGNAL) : 0;

		if (n <= 0)
			return false;
		text += n;
		bytes -= (size_t)n;
	}
	return true;
}

/* The result is in the status line. */
static enum forward_http_result read_result(int fd, uint64_t until)
{
	char reply[REPLY_MAX] = "";
	size_t used = 0;
	int status;
	ssize_t n;

	while (used < sizeof(reply) - 1 && !strchr(reply, '\n') && monotonic_ns() < until &&
	       (n = recv(fd, reply + used, sizeof(reply) - 1 - used, 0)) > 0) {
		used += (size_t)n;
		reply[used] = '\0';
	}
	if (sscanf(reply, "HTTP/%*d.%*d %d", &status) != 1)
		return FORWARD_HTTP_AWAY;
	if (status >= 200 && status < 300)
		return FORWARD_HTTP_TAKEN;
	/*
	 * 408 and 429 mean: try later; 401, 403 and 404 are for the engine's administrator to fix.
	 */
	return status == 400 || status == 413 || status == 422 ? FORWARD_HTTP_REFUSED
							       : FORWARD_HTTP_AWAY;
}

enum forward_http_result forward_http_post(const struct forward_http_target *t, const char *body,
					   size_t bytes)
{
	bool is_v6 = strchr(t->host, ':') != NULL;
	enum forward_http_result result = FORWARD_HTTP_AWAY;
	char head[640];
	uint64_t until = monotonic_ns() + POST_NS;
	int fd = connect_to(t), count;

	if (fd < 0)
		return FORWARD_HTTP_AWAY;
	count = snprintf(head, sizeof(head),
			 "POST %s HTTP/1.0\r\nHost: %s%s%s:%s\r\n"
			 "Content-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n\r\n",
			 t->path, is_v6 ? "[" : "", t->host, is_v6 ? "]" : "", t->port, bytes);
	if (send_all(fd, head, (size_t)count, until) && send_all(fd, body, bytes, until))
		result = read_result(fd, until);
	close(fd);
	return result;
}
