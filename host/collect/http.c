/* SPDX-License-Identifier: BSD-2-Clause */
/* One connection per request; every wait on the network has a bound. */
#define _GNU_SOURCE /* memrchr, strcasestr */
#include "http.h"

#include "host/lib/monotonic.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>

#define SCHEME      "http://"
#define SEND_S      10 /* of connecting, and of each part that is sent */
#define HEAD_MAX    ((size_t)16384)
#define GZIP_WINDOW (MAX_WBITS + 16) /* zlib.h, inflateInit2(): a gzip header */
#define NS_PER_MS   (NS_PER_S / 1000)
#define STATUS_MIN  100 /* RFC 9110, 15 */

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

bool http_target(const char *url, struct http_target *t)
{
	const char *host = url + strlen(SCHEME), *slash, *colon;
	size_t bytes;

	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0 || !is_plain(url))
		return false;
	slash = strchr(host, '/');
	if (!slash || memchr(host, '@', (size_t)(slash - host)))
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

const char *http_unsupported(const char *url)
{
	if (strncasecmp(url, "https:", 6) != 0 && !strchr(url, '@'))
		return NULL;
	return "neither TLS nor a password in a URL is supported: use a proxy on this machine, "
	       "such as nginx or stunnel";
}

void http_shown(const char *url, char to[HTTP_SHOWN])
{
	const char *user = strrchr(url, '@'), *rest = user ? user + 1 : url;
	const char *query = strchr(rest, '?');
	bool is_name = query && strncmp(query, "?db=", 4) == 0;

	snprintf(to, HTTP_SHOWN, "%s%.*s", user ? "***@" : "",
		 (int)strcspn(rest, is_name ? "&" : "?"), rest);
}

/* An exchange, and why it failed. */
struct exchange {
	int fd;
	uint64_t until;
	const struct http_request *request;
	struct http_answer *answer;
	char *text; /* the answer as received, terminated */
	size_t bytes, room;
};

static bool fail(struct exchange *x, const char *why)
{
	x->answer->status = 0;
	snprintf(x->answer->why, sizeof(x->answer->why), "%s", why);
	return false;
}

static int connect_one(const struct addrinfo *a)
{
	const struct timeval patience = { .tv_sec = SEND_S };
	int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	/* On Linux the timeout of sending holds for connecting, too. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool connect_to(struct exchange *x, const struct http_target *t)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int error = getaddrinfo(t->host, t->port, &wanted, &found);

	if (error)
		return fail(x, gai_strerror(error));
	for (const struct addrinfo *a = found; a && x->fd < 0; a = a->ai_next)
		x->fd = connect_one(a);
	error = errno;
	freeaddrinfo(found);
	/* What connect(2) returns after its timeout. */
	return x->fd >= 0 ||
	       fail(x, error == EINPROGRESS ? "no connection in time" : strerror(error));
}

static bool send_all(struct exchange *x, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = monotonic_ns() < x->until ? send(x->fd, text, bytes, MSG_NOSIGNAL) : 0;

		if (n <= 0)
			return fail(x, "the request was not accepted in time");
		text += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool send_request(struct exchange *x, const struct http_target *t)
{
	const struct http_request *r = x->request;
	bool is_v6 = strchr(t->host, ':') != NULL;
	char head[704];
	int count = snprintf(head, sizeof(head),
			     "POST %s HTTP/1.0\r\nHost: %s%s%s:%s\r\nContent-Type: %s\r\n"
			     "%sContent-Length: %zu\r\n\r\n",
			     t->path, is_v6 ? "[" : "", t->host, is_v6 ? "]" : "", t->port, r->type,
			     r->most ? "Accept-Encoding: gzip\r\n" : "", r->bytes);

	return send_all(x, head, (size_t)count) && send_all(x, r->body, r->bytes);
}

static bool make_room(struct exchange *x)
{
	size_t room = x->room ? 2 * x->room : HEAD_MAX;
	char *more;

	if (x->room - x->bytes > 1)
		return true;
	more = x->room < x->request->most + HEAD_MAX ? realloc(x->text, room) : NULL;
	if (!more)
		return fail(x, "the answer is too long");
	x->text = more;
	x->room = room;
	return true;
}

/* The next bytes. False: there are none, or there is no room; `why` has it unless it is the end. */
static bool receive(struct exchange *x)
{
	uint64_t now = monotonic_ns();
	int ms = now < x->until ? (int)((x->until - now) / NS_PER_MS) : 0;
	ssize_t n;

	if (!make_room(x))
		return false;
	if (poll(&(struct pollfd){ .fd = x->fd, .events = POLLIN }, 1, ms) <= 0)
		return fail(x, "no answer in time");
	n = recv(x->fd, x->text + x->bytes, x->room - 1 - x->bytes, 0);
	if (n < 0)
		return fail(x, strerror(errno));
	x->bytes += (size_t)n;
	x->text[x->bytes] = '\0';
	return n > 0;
}

/* The value of a field of the head; "": it has none of that name. */
static const char *head_field(const struct exchange *x, const char *name)
{
	const char *at = strcasestr(x->text, name);

	return at ? at + strlen(name) + strspn(at + strlen(name), " ") : "";
}

static void inflate_body(struct exchange *x, const char *body, size_t bytes)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)body, .avail_in = (uInt)bytes };
	struct http_answer *a = x->answer;
	size_t room = 0;
	int result = inflateInit2(&z, GZIP_WINDOW);

	while (result == Z_OK && z.total_out < x->request->most) {
		char *more = realloc(a->body, (room = room ? 2 * room : HEAD_MAX) + 1);

		if (!more)
			break;
		a->body = more;
		z.next_out = (Bytef *)a->body + z.total_out;
		z.avail_out = (uInt)(room - z.total_out);
		result = inflate(&z, Z_NO_FLUSH);
	}
	a->bytes = z.total_out;
	inflateEnd(&z);
	if (result != Z_STREAM_END)
		fail(x, result == Z_OK ? "the answer is too long" : "the answer is damaged");
	else
		a->body[a->bytes] = '\0';
}

static void take_body(struct exchange *x, char *body)
{
	size_t bytes = x->bytes - (size_t)(body - x->text);
	const char *length, *coding;

	body[-1] = '\0';
	length = head_field(x, "\nContent-Length:");
	coding = head_field(x, "\nContent-Encoding:");
	if (*length && strtoull(length, NULL, 10) != bytes)
		fail(x, "the answer is cut");
	else if (*head_field(x, "\nTransfer-Encoding:"))
		fail(x, "the answer is in chunks, which are not of HTTP/1.0");
	else if (strncasecmp(coding, "gzip", 4) == 0)
		inflate_body(x, body, bytes);
	else if (*coding)
		fail(x, "the answer is compressed in a way that was not requested");
	else if (!(x->answer->body = malloc(bytes + 1)))
		fail(x, "out of memory");
	else {
		memcpy(x->answer->body, body, bytes);
		x->answer->body[bytes] = '\0';
		x->answer->bytes = bytes;
	}
}

static bool read_status(struct exchange *x)
{
	while (!x->text || !strchr(x->text, '\n')) {
		if (!receive(x))
			return *x->answer->why || fail(x, "the connection was closed, unanswered");
	}
	if (sscanf(x->text, "HTTP/%*d.%*d %3d", &x->answer->status) == 1 &&
	    x->answer->status >= STATUS_MIN)
		return true;
	return fail(x, "the answer is not HTTP");
}

static void read_answer(struct exchange *x)
{
	char *body;

	if (!read_status(x) || !x->request->most)
		return;
	while (receive(x))
		;
	if (*x->answer->why)
		return;
	body = strstr(x->text, "\r\n\r\n");
	if (body)
		take_body(x, body + strlen("\r\n\r\n"));
	else
		fail(x, "the answer is cut");
}

void http_post(const struct http_target *t, const struct http_request *r, struct http_answer *a)
{
	struct exchange x = {
		.fd = -1, .until = monotonic_ns() + r->seconds * NS_PER_S, .request = r, .answer = a
	};

	*a = (struct http_answer){ 0 };
	if (connect_to(&x, t) && send_request(&x, t))
		read_answer(&x);
	if (x.fd >= 0)
		close(x.fd);
	free(x.text);
}
