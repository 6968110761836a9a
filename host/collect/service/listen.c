/* SPDX-License-Identifier: BSD-2-Clause */
/* Numeric addresses only: a name may resolve differently tomorrow. */
#include "listen.h"

#include "core/lib/units.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG     128
#define RECV_BUFFER (64 << 20) /* requested from the system, which may grant less */

static bool is_port(const char *text)
{
	uint64_t number;

	return units_parse_u64(text, strlen(text), &number) == UNITS_OK && number <= UINT16_MAX;
}

/*
 * Returns all addresses that `text` stands for. NULL: it is not an address with a port. *any: it
 * has only the port.
 */
static struct addrinfo *resolve(const char *text, int type, bool *any)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
				  .ai_family = AF_INET,
				  .ai_socktype = type },
			*list = NULL;
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2] = "", *at = host;
	size_t bytes = colon ? (size_t)(colon - text) : 0;

	if (!colon || bytes >= sizeof(host) || !is_port(colon + 1))
		return NULL;
	memcpy(host, text, bytes);
	*any = !bytes;
	if (*any) {
		hints.ai_family = AF_UNSPEC;
		at = NULL;
	} else if (host[0] == '[' && host[bytes - 1] == ']') {
		hints.ai_family = AF_INET6;
		host[bytes - 1] = '\0';
		at++;
	}
	/* getaddrinfo() would accept 1.2.3, as 1.2.0.3. */
	if (hints.ai_family == AF_INET && inet_pton(AF_INET, host, &(struct in_addr){ 0 }) != 1)
		return NULL;
	return getaddrinfo(at, colon + 1, &hints, &list) == 0 ? list : NULL;
}

static void ask_for_room(int fd)
{
	int bytes = RECV_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int bind_to(const struct addrinfo *a, bool both)
{
	int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0), on = 1, only = !both;

	if (fd < 0)
		return -1;
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
	if (a->ai_socktype == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	else
		ask_for_room(fd);
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 &&
	    (a->ai_socktype != SOCK_STREAM || listen(fd, BACKLOG) == 0))
		return fd;
	close(fd);
	return -1;
}

static int bind_first(const struct addrinfo *list, int family, bool both)
{
	for (; list; list = list->ai_next)
		if (list->ai_family == family)
			return bind_to(list, both);
	errno = EAFNOSUPPORT;
	return -1;
}

int listen_open(const char *text, int type, char *why, size_t room)
{
	bool any;
	struct addrinfo *list = resolve(text, type, &any);
	int fd;

	if (!list) {
		snprintf(why, room, "is not an address with a port; accepted: " LISTEN_FORMS);
		return -1;
	}
	fd = bind_first(list, AF_INET6, any);
	/* A system without IPv6 has no such sockets. */
	if (fd < 0 && (errno == EAFNOSUPPORT || (any && errno != EADDRINUSE && errno != EACCES)))
		fd = bind_first(list, AF_INET, false);
	if (fd < 0)
		snprintf(why, room, "%s", strerror(errno));
	freeaddrinfo(list);
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
