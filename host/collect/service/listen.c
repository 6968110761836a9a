/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses to listen on: "[addr]:port", "1.2.3.4:port", ":port". Numeric ones only: a name may
 * resolve differently tomorrow.
 */
#include "service.h"

#include "core/lib/units.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG     128
#define RECV_BUFFER (64 << 20) /* requested from the system, which may grant less */

union address {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* False: it is not an address with a port. *any: it has only the port. */
static bool listen_parse(const char *text, union address *a, bool *any)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	size_t bytes = colon ? (size_t)(colon - text) : sizeof(host);
	uint64_t port;

	if (bytes >= sizeof(host) || units_parse_u64(colon + 1, strlen(colon + 1), &port) ||
	    port > UINT16_MAX)
		return false;
	snprintf(host, bytes + 1, "%s", text);
	*any = !bytes;
	*a = (union address){ .v6 = { .sin6_family = AF_INET6,
				      .sin6_port = htons((uint16_t)port) } };
	if (*any)
		return true;
	if (host[0] == '[' && host[bytes - 1] == ']') {
		host[bytes - 1] = '\0';
		return inet_pton(AF_INET6, host + 1, &a->v6.sin6_addr) == 1;
	}
	*a = (union address){ .v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) } };
	return inet_pton(AF_INET, host, &a->v4.sin_addr) == 1;
}

static void ask_for_room(int fd)
{
	int bytes = RECV_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int bind_to(const union address *a, int type, bool both)
{
	bool is_v6 = a->sa.sa_family == AF_INET6;
	int fd = socket(a->sa.sa_family, type | SOCK_CLOEXEC, 0), on = 1, only = !both;

	if (fd < 0)
		return -1;
	if (is_v6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	else
		ask_for_room(fd);
	if (bind(fd, &a->sa, is_v6 ? sizeof(a->v6) : sizeof(a->v4)) == 0 &&
	    (type != SOCK_STREAM || listen(fd, BACKLOG) == 0))
		return fd;
	close(fd);
	return -1;
}

int service_listen(const char *text, int type, char *why, size_t room)
{
	union address a;
	bool any;
	int fd;

	if (!listen_parse(text, &a, &any)) {
		snprintf(why, room,
			 "is not an address with a port; accepted: " SERVICE_LISTEN_FORMS);
		return -1;
	}
	fd = bind_to(&a, type, any);
	/* A system without IPv6 has no such sockets. */
	if (fd < 0 && any && errno != EADDRINUSE && errno != EACCES) {
		a = (union address){ .v4 = { .sin_family = AF_INET, .sin_port = a.v6.sin6_port } };
		fd = bind_to(&a, type, false);
	}
	if (fd < 0)
		snprintf(why, room, "%s", strerror(errno));
	return fd;
}

unsigned service_port(int fd)
{
	union address a;
	socklen_t bytes = sizeof(a);

	if (getsockname(fd, &a.sa, &bytes) != 0)
		return 0;
	return ntohs(a.sa.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
}
