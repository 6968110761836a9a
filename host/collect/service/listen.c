/* SPDX-License-Identifier: BSD-2-Clause */
/* Numeric addresses only: a name may resolve differently tomorrow. */
#include "listen.h"

#include "core/lib/units.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG     128
#define RECV_BUFFER (64 << 20) /* requested from the system, which may grant less */

/* An address of either family; IPv4 mapped into IPv6 if IPv6 is available. */
struct where {
	bool any;
	bool is_v4;
	struct in6_addr v6;
	struct in_addr v4;
	uint16_t port;
};

static bool read_port(const char *text, uint16_t *port)
{
	uint64_t number;

	if (units_parse_u64(text, strlen(text), &number) != UNITS_OK || number > UINT16_MAX)
		return false;
	*port = (uint16_t)number;
	return true;
}

static bool read_address(const char *text, size_t bytes, struct where *w)
{
	char address[INET6_ADDRSTRLEN] = "";

	w->any = bytes == 0;
	if (w->any)
		return true;
	w->is_v4 = bytes < 2 || text[0] != '[' || text[bytes - 1] != ']';
	if (!w->is_v4) {
		text++;
		bytes -= 2;
	}
	if (bytes >= sizeof(address))
		return false;
	memcpy(address, text, bytes);
	return w->is_v4 ? inet_pton(AF_INET, address, &w->v4) == 1
			: inet_pton(AF_INET6, address, &w->v6) == 1;
}

static bool read_where(const char *text, struct where *w)
{
	const char *colon = strrchr(text, ':');

	*w = (struct where){ .any = true };
	return colon && read_address(text, (size_t)(colon - text), w) &&
	       read_port(colon + 1, &w->port);
}

static void ask_for_room(int fd)
{
	int bytes = RECV_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int bind_to(const void *address, socklen_t bytes, int family, int type, bool both)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0), on = 1, only = !both;

	if (fd < 0)
		return -1;
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	else
		ask_for_room(fd);
	if (bind(fd, address, bytes) == 0)
		return fd;
	close(fd);
	return -1;
}

static int bind_v4(const struct where *w, int type)
{
	const struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons(w->port),
		.sin_addr = w->any ? (struct in_addr){ htonl(INADDR_ANY) } : w->v4,
	};

	return bind_to(&a, sizeof(a), AF_INET, type, false);
}

static int bind_v6(const struct where *w, int type)
{
	const struct sockaddr_in6 a = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(w->port),
		.sin6_addr = w->any ? in6addr_any : w->v6,
	};

	return bind_to(&a, sizeof(a), AF_INET6, type, w->any);
}

int listen_open(const char *text, int type, char *why, size_t room)
{
	struct where w;
	int fd = -1;

	if (!read_where(text, &w)) {
		snprintf(why, room, "is not an address with a port; accepted: " LISTEN_FORMS);
		return -1;
	}
	if (!w.is_v4)
		fd = bind_v6(&w, type);
	/* A system without IPv6 has no such sockets. */
	if (w.is_v4 || (fd < 0 && w.any && errno != EADDRINUSE && errno != EACCES))
		fd = bind_v4(&w, type);
	if (fd >= 0 && type == SOCK_STREAM && listen(fd, BACKLOG) != 0) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		snprintf(why, room, "%s", strerror(errno));
	return fd;
}

unsigned listen_port(int fd)
{
	union {
		struct sockaddr sa;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} a;
	socklen_t bytes = sizeof(a);

	if (getsockname(fd, &a.sa, &bytes) != 0)
		return 0;
	return ntohs(a.sa.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
}
