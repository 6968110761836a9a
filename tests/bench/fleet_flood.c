/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams without a protocol behind them: syslog's. */
#define _GNU_SOURCE /* sendmmsg */
#include "tests/bench/fleet_nodes.h"
#include "tests/bench/fleet_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS_IN_S UINT64_C(1000000000)

/* Facility local0, severity informational (RFC 5424). */
#define PRIORITY "<134>"

#define AT_ONCE 64

struct burst {
	int fd;
	unsigned count;
	struct mmsghdr header[AT_ONCE];
	struct iovec v[AT_ONCE][2];
};

/* The lines of a node that are left. */
struct lines {
	char *text;
	const char *at, *end;
};

static void send_burst(struct burst *b)
{
	unsigned sent = 0;

	while (sent < b->count) {
		int n = sendmmsg(b->fd, b->header + sent, b->count - sent, 0);

		/* A refusal is reported only once, by the next call. */
		sent += n > 0 ? (unsigned)n : 1;
	}
	b->count = 0;
}

static void add_line(struct burst *b, struct lines *l)
{
	const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
	struct iovec *v = b->v[b->count];

	v[0] = (struct iovec){ PRIORITY, strlen(PRIORITY) };
	/* A syslog datagram has no newline; the daemon writes one. */
	v[1] = (struct iovec){ (void *)(uintptr_t)l->at, (size_t)(newline - l->at) };
	l->at = newline + 1;
	b->header[b->count].msg_hdr = (struct msghdr){ .msg_iov = v, .msg_iovlen = 2 };
	if (++b->count == AT_ONCE)
		send_burst(b);
}

/* Sleep until `lines` lines may have been sent at that rate. */
static void keep_pace(uint64_t begun, uint64_t lines, uint64_t rate)
{
	uint64_t due, now = fleet_now_ns(NULL);

	if (!rate)
		return;
	due = begun + lines * (NS_IN_S / 1000) / rate * 1000;
	if (due > now)
		nanosleep(&(struct timespec){ (time_t)((due - now) / NS_IN_S),
					      (long)((due - now) % NS_IN_S) },
			  NULL);
}

static struct lines *start_lines(const struct fleet_options *o)
{
	struct lines *node = calloc(o->nodes, sizeof(*node));
	size_t bytes;

	for (uint32_t i = 0; node && i < o->nodes; i++) {
		node[i].text = fleet_text(i, o, &bytes);
		if (!node[i].text) {
			perror("fleet: records");
			exit(2);
		}
		node[i].at = node[i].text;
		node[i].end = node[i].text + bytes;
	}
	return node;
}

int fleet_syslog(const struct fleet_options *o)
{
	static struct burst burst;
	struct lines *node = start_lines(o);
	uint32_t each = o->gaps + FLEET_EXTRA;
	uint64_t begun, lines = 0;

	if (!node)
		return 2;
	burst.fd = fleet_socket(o, 0);
	begun = fleet_now_ns(NULL);
	/* All nodes by turns, as they come in a fleet. */
	for (uint32_t n = 0; n < each; n++) {
		for (uint32_t i = 0; i < o->nodes; i++) {
			add_line(&burst, &node[i]);
			if (++lines % AT_ONCE == 0)
				keep_pace(begun, lines, o->rate);
		}
	}
	send_burst(&burst);
	printf("{\"lines\":%" PRIu64 ",\"seconds\":%.3f}\n", lines,
	       (double)(fleet_now_ns(NULL) - begun) / (double)NS_IN_S);
	close(burst.fd);
	for (uint32_t i = 0; i < o->nodes; i++)
		free(node[i].text);
	free(node);
	return 0;
}
