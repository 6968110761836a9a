/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams are fetched many at a time. */
#define _GNU_SOURCE /* recvmmsg, in6_pktinfo, ppoll */
#include "udp_socket.h"

#include "host/lib/monotonic.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE 64 /* datagrams fetched in one call */

#define CONTROL_BYTES (CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint32_t)))

/* A datagram's control bytes, aligned as the calls require. */
union control {
	char bytes[CONTROL_BYTES];
	struct cmsghdr align;
};

struct udp_socket {
	int fd, waker;
	uint64_t dropped;
	unsigned count, at; /* datagrams that were fetched, and taken of these */
	struct udp_socket_datagram datagram[AT_ONCE];
	union control control[AT_ONCE];
};

static void read_control(struct udp_socket *u, struct msghdr *h, struct rx_address *address)
{
	address->interface = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, CMSG_DATA(c), sizeof(info));
			address->ours = info.ipi6_addr;
			address->interface = info.ipi6_ifindex;
		} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
			uint32_t dropped;

			memcpy(&dropped, CMSG_DATA(c), sizeof(dropped));
			u->dropped = dropped;
		}
	}
}

/* Receive all pending datagrams, without waiting. */
static void udp_socket_fetch(struct udp_socket *u)
{
	struct mmsghdr header[AT_ONCE] = { 0 };
	struct iovec v[AT_ONCE];
	int count;

	for (unsigned i = 0; i < AT_ONCE; i++) {
		struct udp_socket_datagram *d = &u->datagram[i];

		v[i] = (struct iovec){ d->data, sizeof(d->data) };
		header[i].msg_hdr = (struct msghdr){
			.msg_name = &d->from.from,
			.msg_namelen = sizeof(d->from.from),
			.msg_iov = &v[i],
			.msg_iovlen = 1,
			.msg_control = &u->control[i],
			.msg_controllen = sizeof(u->control[i]),
		};
	}
	count = recvmmsg(u->fd, header, AT_ONCE, MSG_DONTWAIT, NULL);
	u->at = 0;
	u->count = count > 0 ? (unsigned)count : 0;
	for (unsigned i = 0; i < u->count; i++) {
		u->datagram[i].bytes = header[i].msg_len;
		read_control(u, &header[i].msg_hdr, &u->datagram[i].from);
	}
}

struct udp_socket *udp_socket_new(int fd)
{
	struct udp_socket *u = calloc(1, sizeof(*u));
	int on = 1;

	if (!u)
		return NULL;
	u->fd = fd;
	u->waker = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
	if (u->waker >= 0)
		return u;
	free(u);
	return NULL;
}

void udp_socket_free(struct udp_socket *u)
{
	if (!u)
		return;
	close(u->waker);
	close(u->fd);
	free(u);
}

void udp_socket_wait(struct udp_socket *u, uint64_t ns)
{
	struct pollfd any[] = { { .fd = u->fd, .events = POLLIN },
				{ .fd = u->waker, .events = POLLIN } };
	const struct timespec until = monotonic_timespec(ns);
	uint64_t woken;

	if (u->at == u->count)
		ppoll(any, 2, &until, NULL);
	if (any[1].revents && read(u->waker, &woken, sizeof(woken)) < 0)
		return;
}

void udp_socket_wake(struct udp_socket *u)
{
	const uint64_t one = 1;

	/* A write fails only if the counter is full: then it is awake already. */
	if (write(u->waker, &one, sizeof(one)) < 0)
		return;
}

const struct udp_socket_datagram *udp_socket_next(struct udp_socket *u)
{
	if (u->at == u->count)
		udp_socket_fetch(u);
	return u->at < u->count ? &u->datagram[u->at++] : NULL;
}

uint64_t udp_socket_dropped(const struct udp_socket *u)
{
	return u->dropped;
}

/* A host with several addresses must answer from the one addressed. */
static void add_our_address(struct msghdr *h, union control *control, const struct rx_address *to)
{
	struct in6_pktinfo info = { .ipi6_addr = to->ours };
	struct cmsghdr *c = &control->align;

	/* A link-local address has no meaning without its link. */
	if (IN6_IS_ADDR_LINKLOCAL(&to->ours))
		info.ipi6_ifindex = to->interface;
	memset(control, 0, sizeof(*control));
	h->msg_control = control;
	h->msg_controllen = CMSG_SPACE(sizeof(info));
	c->cmsg_level = IPPROTO_IPV6;
	c->cmsg_type = IPV6_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
}

void udp_socket_send(struct udp_socket *u, const struct rx_address *to, const uint8_t *bytes,
		     size_t count)
{
	struct iovec v = { (void *)(uintptr_t)bytes, count };
	bool is_v4 = to->from.sa.sa_family == AF_INET;
	struct msghdr h = {
		.msg_name = (void *)(uintptr_t)&to->from,
		.msg_namelen = is_v4 ? sizeof(to->from.v4) : sizeof(to->from.v6),
		.msg_iov = &v,
		.msg_iovlen = 1,
	};
	union control control;

	if (to->interface && !is_v4)
		add_our_address(&h, &control, to);
	sendmsg(u->fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void udp_socket_parse_address(const char *text, struct rx_address *address)
{
	char mapped[INET6_ADDRSTRLEN];

	*address = (struct rx_address){ .from.v6.sin6_family = AF_INET6 };
	snprintf(mapped, sizeof(mapped), "%s%s", strchr(text, ':') ? "" : "::ffff:", text);
	if (inet_pton(AF_INET6, mapped, &address->from.v6.sin6_addr) != 1)
		*address = (struct rx_address){ .interface = 0 };
}

void udp_socket_print_address(const struct rx_address *address, char *text, size_t room)
{
	const struct in6_addr *v6 = &address->from.v6.sin6_addr;

	*text = '\0';
	if (address->from.sa.sa_family == AF_INET)
		inet_ntop(AF_INET, &address->from.v4.sin_addr, text, (socklen_t)room);
	else if (address->from.sa.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(v6))
		inet_ntop(AF_INET, v6->s6_addr + 12, text, (socklen_t)room);
	else if (address->from.sa.sa_family == AF_INET6)
		inet_ntop(AF_INET6, v6, text, (socklen_t)room);
}
