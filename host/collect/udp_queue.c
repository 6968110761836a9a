/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread writes the ring, one reads it. */
#define _GNU_SOURCE /* recvmmsg, in6_pktinfo */
#include "udp_queue.h"

#include "host/lib/monotonic.h"
#include "host/lib/signals.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE  64 /* datagrams fetched in one call */
#define SEVERAL  8
#define POLL_MS  100
#define NS_IN_MS 1000000

#define CONTROL_BYTES (CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint32_t)))

/* A datagram's control bytes, aligned as the calls require. */
union control {
	char bytes[CONTROL_BYTES];
	struct cmsghdr align;
};

struct udp_queue {
	int fd;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t some; /* there are datagrams, or it was woken */
	bool woken;
	_Atomic bool stop;
	_Atomic size_t filled, fetched; /* only ever incremented */
	_Atomic uint64_t dropped;
	struct udp_queue_datagram slot[UDP_QUEUE_SLOTS];
};

static void read_control(struct udp_queue *m, struct msghdr *h, struct rx_address *address)
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
			atomic_store(&m->dropped, dropped);
		}
	}
}

static size_t free_slots(const struct udp_queue *m)
{
	return UDP_QUEUE_SLOTS - (atomic_load(&m->filled) - atomic_load(&m->fetched));
}

/* Fetch all that are there and fit, without waiting. */
static int fetch(struct udp_queue *m, size_t most)
{
	struct mmsghdr header[AT_ONCE] = { 0 };
	struct iovec v[AT_ONCE];
	static union control control[AT_ONCE];
	size_t at = atomic_load(&m->filled);
	int count;

	for (size_t i = 0; i < most; i++) {
		struct udp_queue_datagram *l = &m->slot[(at + i) % UDP_QUEUE_SLOTS];

		v[i] = (struct iovec){ l->data, sizeof(l->data) };
		header[i].msg_hdr = (struct msghdr){
			.msg_name = &l->from.from,
			.msg_namelen = sizeof(l->from.from),
			.msg_iov = &v[i],
			.msg_iovlen = 1,
			.msg_control = &control[i],
			.msg_controllen = sizeof(control[i]),
		};
	}
	count = recvmmsg(m->fd, header, (unsigned)most, MSG_DONTWAIT, NULL);
	for (int i = 0; i < count; i++) {
		struct udp_queue_datagram *l = &m->slot[(at + (size_t)i) % UDP_QUEUE_SLOTS];

		l->bytes = header[i].msg_len;
		read_control(m, &header[i].msg_hdr, &l->from);
	}
	return count;
}

static void publish(struct udp_queue *m, size_t count)
{
	pthread_mutex_lock(&m->mutex);
	atomic_fetch_add(&m->filled, count);
	pthread_cond_signal(&m->some);
	pthread_mutex_unlock(&m->mutex);
}

static void *empty_socket(void *ctx)
{
	struct udp_queue *m = ctx;

	signals_block();
	while (!atomic_load(&m->stop)) {
		size_t room = free_slots(m);
		int count;

		if (!room) {
			/* The reader is busy with the disk; the system's own buffer fills. */
			nanosleep(&(struct timespec){ .tv_nsec = NS_IN_MS }, NULL);
			continue;
		}
		count = fetch(m, room < AT_ONCE ? room : AT_ONCE);
		if (count > 0)
			publish(m, (size_t)count);
		if (count >= AT_ONCE)
			continue;
		/* After several at once more will arrive in a moment: fetch them in one call. */
		if (count >= SEVERAL)
			nanosleep(&(struct timespec){ .tv_nsec = NS_IN_MS }, NULL);
		else
			poll(&(struct pollfd){ .fd = m->fd, .events = POLLIN }, 1, POLL_MS);
	}
	return NULL;
}

struct udp_queue *udp_queue_new(int fd)
{
	struct udp_queue *m = calloc(1, sizeof(*m));
	int on = 1, error;

	if (!m)
		return NULL;
	m->fd = fd;
	setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
	pthread_mutex_init(&m->mutex, NULL);
	monotonic_cond_init(&m->some);
	error = pthread_create(&m->thread, NULL, empty_socket, m);
	if (error) {
		free(m);
		errno = error;
		return NULL;
	}
	return m;
}

void udp_queue_free(struct udp_queue *m)
{
	if (!m)
		return;
	atomic_store(&m->stop, true);
	pthread_join(m->thread, NULL);
	close(m->fd);
	free(m);
}

static size_t waiting(const struct udp_queue *m)
{
	return atomic_load(&m->filled) - atomic_load(&m->fetched);
}

size_t udp_queue_wait(struct udp_queue *m, uint64_t ns)
{
	const struct timespec until = monotonic_timespec(monotonic_ns() + ns);

	pthread_mutex_lock(&m->mutex);
	while (!waiting(m) && !m->woken && pthread_cond_timedwait(&m->some, &m->mutex, &until) == 0)
		;
	m->woken = false;
	pthread_mutex_unlock(&m->mutex);
	return waiting(m);
}

void udp_queue_wake(struct udp_queue *m)
{
	pthread_mutex_lock(&m->mutex);
	m->woken = true;
	pthread_cond_signal(&m->some);
	pthread_mutex_unlock(&m->mutex);
}

const struct udp_queue_datagram *udp_queue_next(struct udp_queue *m)
{
	return waiting(m) ? &m->slot[atomic_load(&m->fetched) % UDP_QUEUE_SLOTS] : NULL;
}

void udp_queue_done(struct udp_queue *m)
{
	atomic_fetch_add(&m->fetched, 1);
}

uint64_t udp_queue_dropped(const struct udp_queue *m)
{
	return atomic_load(&m->dropped);
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

void udp_queue_send(struct udp_queue *m, const struct rx_address *to, const uint8_t *bytes,
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
	sendmsg(m->fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool udp_queue_parse_address(const char *text, struct rx_address *address)
{
	*address = (struct rx_address){ .from.v4.sin_family = AF_INET };
	if (inet_pton(AF_INET, text, &address->from.v4.sin_addr) == 1)
		return true;
	*address = (struct rx_address){ .from.v6.sin6_family = AF_INET6 };
	if (inet_pton(AF_INET6, text, &address->from.v6.sin6_addr) == 1)
		return true;
	*address = (struct rx_address){ .interface = 0 };
	return false;
}

void udp_queue_print_address(const struct rx_address *address, char *text, size_t room)
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
