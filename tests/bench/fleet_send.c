/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that speak the real protocol: core/wire/sender.c, a socket and a small ring each. */
#define _GNU_SOURCE /* sendmmsg */
#include "tests/bench/fleet_nodes.h"
#include "tests/bench/fleet_stream.h"

#include "host/lib/node_key.h"

#include "core/wire/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS_IN_S  UINT64_C(1000000000)
#define NS_IN_MS UINT64_C(1000000)

/* A machine's ring has 128 entries; here many nodes share one memory. */
#define SLOTS  16
#define EVENTS 16384

struct node {
	struct sender sender;
	int fd;
	uint8_t uuid[UUID_BYTES], own_key[SIPHASH_KEY_BYTES];
	char *text; /* all its lines */
	const char *at, *end;
	struct sender_slot slot[SLOTS];
};

struct nodes {
	const struct fleet_options *o;
	struct node *node;
	uint64_t now_ns, heard_ns; /* heard_ns: when a node last had something acknowledged */
	uint64_t *due_ns;          /* one per node; UINT64_MAX: it has ended */
	uint32_t left;             /* nodes that have not ended */
	int epoll;
};

/* A node's pending datagrams go out in one call: this machine plays many nodes. */
static struct burst {
	unsigned count;
	struct mmsghdr header[SLOTS];
	struct iovec v[SLOTS];
} burst;

/* The line stays in its entry of the ring until it is acknowledged. */
static bool send_bytes(void *ctx, const uint8_t *bytes, size_t count)
{
	struct iovec *v = &burst.v[burst.count];

	(void)ctx;
	if (burst.count == SLOTS)
		return false;
	*v = (struct iovec){ (void *)(uintptr_t)bytes, count };
	burst.header[burst.count++].msg_hdr = (struct msghdr){ .msg_iov = v, .msg_iovlen = 1 };
	return true;
}

/* Send the burst. Datagrams refused for lack of a listener are lost, as on a network. */
static void send_burst(const struct node *n)
{
	unsigned sent = 0;

	while (sent < burst.count) {
		int count = sendmmsg(n->fd, burst.header + sent, burst.count - sent, MSG_DONTWAIT);

		sent += count > 0 ? (unsigned)count : 1;
	}
	burst.count = 0;
}

/* One time for all that is done in a pass. */
static uint64_t pass_clock(void *ctx)
{
	return ((const struct nodes *)ctx)->now_ns;
}

static void start_node(struct nodes *all, uint32_t number)
{
	struct node *n = &all->node[number];
	const struct sender_setup setup = {
		.sid = fleet_sid(number),
		.key = all->o->own_keys ? n->own_key : all->o->key,
		.uuid = n->uuid,
		.slot = n->slot,
		.slots = SLOTS,
		.linger_ns = UINT64_MAX / 2, /* all give up together */
		.clock_ns = pass_clock,
		.send = send_bytes,
		.ctx = all,
	};
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };
	char uuid[FLEET_UUID_MAX];
	size_t bytes;

	fleet_uuid(number, uuid);
	uuid_parse(uuid, n->uuid);
	if (all->o->own_keys)
		node_key(all->o->key, n->uuid, n->own_key);
	n->fd = fleet_socket(all->o, number);
	n->text = fleet_text(number, all->o, &bytes);
	if (!n->text) {
		perror("fleet: records");
		exit(2);
	}
	n->at = n->text;
	n->end = n->text + bytes;
	sender_start(&n->sender, &setup);
	if (epoll_ctl(all->epoll, EPOLL_CTL_ADD, n->fd, &event) != 0) {
		perror("fleet: epoll");
		exit(2);
	}
}

/* Add lines until the ring is full. The last one ends the sender's input. */
static void fill(struct node *n)
{
	/* A full ring needs no look at the line. */
	while (n->at < n->end) {
		if (!sender_has_room(&n->sender, DATAGRAM_LINES_MIN))
			return;
		const char *newline = memchr(n->at, '\n', (size_t)(n->end - n->at));
		size_t bytes = (size_t)(newline + 1 - n->at);

		if (!sender_has_room(&n->sender, bytes))
			return;
		sender_line(&n->sender, n->at, bytes);
		n->at += bytes;
	}
	sender_finish(&n->sender);
}

static void work(struct nodes *all, uint32_t number)
{
	struct node *n = &all->node[number];

	fill(n);
	do {
		all->due_ns[number] = sender_work(&n->sender);
	} while (all->due_ns[number] <= all->now_ns && burst.count < SLOTS);
	send_burst(n);
	if (sender_state(&n->sender) == SENDER_BUSY)
		return;
	all->due_ns[number] = UINT64_MAX;
	all->left--;
}

static void take_ack(struct nodes *all, uint32_t number)
{
	struct node *n = &all->node[number];
	uint8_t bytes[2 * DATAGRAM_ACK_MAX];
	ssize_t count = recv(n->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	uint64_t acked = n->sender.acked;

	if (count >= 0)
		sender_take(&n->sender, bytes, (size_t)count);
	if (n->sender.acked != acked)
		all->heard_ns = all->now_ns;
	if (all->due_ns[number] != UINT64_MAX)
		all->due_ns[number] = 0;
}

/* Serve all nodes that are due; returns the time of the next one. */
static uint64_t work_all(struct nodes *all)
{
	uint64_t next = UINT64_MAX;

	all->now_ns = fleet_now_ns(NULL);
	for (uint32_t i = 0; i < all->o->nodes; i++) {
		if (all->due_ns[i] <= all->now_ns)
			work(all, i);
		if (all->due_ns[i] < next)
			next = all->due_ns[i];
	}
	return next;
}

static void listen_until(struct nodes *all, uint64_t until)
{
	static struct epoll_event event[EVENTS];
	uint64_t now = fleet_now_ns(NULL);
	int ms = until <= now ? 0 : (int)((until - now) / NS_IN_MS % 1000) + 1;
	int count = epoll_wait(all->epoll, event, EVENTS, ms);

	all->now_ns = fleet_now_ns(NULL);

	for (int i = 0; i < count; i++)
		take_ack(all, event[i].data.u32);
}

static int report(const struct nodes *all, uint64_t ns)
{
	uint64_t sent = 0, again = 0, acked = 0, undelivered = 0;
	uint32_t delivered = 0, unsent = 0;

	for (uint32_t i = 0; i < all->o->nodes; i++) {
		const struct sender *s = &all->node[i].sender;

		sent += s->sent;
		again += s->sent_again;
		acked += s->acked;
		undelivered += sender_undelivered(s);
		delivered += sender_state(s) == SENDER_DELIVERED;
		unsent += all->node[i].at != all->node[i].end;
	}
	printf("{\"nodes\":%" PRIu32 ",\"lines\":%" PRIu64 ",\"delivered\":%" PRIu32
	       ",\"acknowledged_lines\":%" PRIu64 ",\"undelivered_lines\":%" PRIu64
	       ",\"datagrams\":%" PRIu64 ",\"again\":%" PRIu64 ",\"seconds\":%.3f}\n",
	       all->o->nodes, (uint64_t)all->o->nodes * (all->o->gaps + FLEET_EXTRA), delivered,
	       acked, undelivered, sent, again, (double)ns / (double)NS_IN_S);
	return delivered == all->o->nodes && !unsent ? 0 : 1;
}

static bool start_all(struct nodes *all)
{
	struct rlimit files = { 0 };

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	all->epoll = epoll_create1(EPOLL_CLOEXEC);
	all->node = calloc(all->o->nodes, sizeof(*all->node));
	all->due_ns = calloc(all->o->nodes, sizeof(*all->due_ns));
	if (all->epoll < 0 || !all->node || !all->due_ns)
		return false;
	for (uint32_t i = 0; i < all->o->nodes; i++)
		start_node(all, i);
	return true;
}

int fleet_send(const struct fleet_options *o)
{
	struct nodes all = { .o = o, .left = o->nodes };
	uint64_t begun, end;
	int code;

	if (!start_all(&all)) {
		perror("fleet: nodes");
		return 2;
	}
	begun = all.now_ns = all.heard_ns = fleet_now_ns(NULL);
	/* A node that is still sending its lines has no end of its own. */
	while (all.left && fleet_now_ns(NULL) - all.heard_ns < o->give_up_s * NS_IN_S)
		listen_until(&all, work_all(&all));
	end = fleet_now_ns(NULL);
	code = report(&all, end - begun);
	for (uint32_t i = 0; i < o->nodes; i++) {
		close(all.node[i].fd);
		free(all.node[i].text);
	}
	close(all.epoll);
	free(all.node);
	free(all.due_ns);
	return code;
}
