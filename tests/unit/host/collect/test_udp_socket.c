/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams arrive in order and bounded, and answers go to their senders. */
#include "host/collect/udp_socket.h"

#include "host/collect/service/service.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

#define S            UINT64_C(1000000000)
#define HANG_SECONDS 600
#define MANY         500000 /* more than any buffer has room for */

static struct {
	struct udp_socket *udp;
	int node; /* a socket that is connected to it */
} it;

static void open_on(const char *where, const char *to, int family)
{
	char why[200];
	int fd = service_listen(where, SOCK_DGRAM, why, sizeof(why));
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	assert_true(fd >= 0);
	v4.sin_port = v6.sin6_port = htons((uint16_t)service_port(fd));
	it.udp = udp_socket_new(fd);
	assert_non_null(it.udp);
	it.node = socket(family, SOCK_DGRAM, 0);
	if (family == AF_INET) {
		assert_int_equal(inet_pton(AF_INET, to, &v4.sin_addr), 1);
		assert_int_equal(connect(it.node, (const struct sockaddr *)&v4, sizeof(v4)), 0);
	} else {
		assert_int_equal(inet_pton(AF_INET6, to, &v6.sin6_addr), 1);
		assert_int_equal(connect(it.node, (const struct sockaddr *)&v6, sizeof(v6)), 0);
	}
}

static void shut(void)
{
	close(it.node);
	udp_socket_free(it.udp);
}

/* The next datagram; NULL: the socket hangs, as nothing takes nearly as long. */
static const struct udp_socket_datagram *next(void)
{
	const struct udp_socket_datagram *d = udp_socket_next(it.udp);

	for (unsigned i = 0; i < HANG_SECONDS && !d; i++) {
		udp_socket_wait(it.udp, S);
		d = udp_socket_next(it.udp);
	}
	return d;
}

TEST(test_in_order)
{
	open_on("127.0.0.1:0", "127.0.0.1", AF_INET);
	assert_null(udp_socket_next(it.udp));
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < 100; i++) {
			unsigned number = 100 * round + i;

			assert_int_equal(send(it.node, &number, sizeof(number), 0), sizeof(number));
		}
		for (unsigned i = 0; i < 100; i++) {
			const struct udp_socket_datagram *l = next();
			unsigned number;

			assert_non_null(l);
			assert_int_equal(l->bytes, sizeof(number));
			memcpy(&number, l->data, sizeof(number));
			assert_int_equal(number, 100 * round + i);
		}
	}
	assert_int_equal(udp_socket_dropped(it.udp), 0);
	shut();
}

/* Datagrams that are empty, as long as our longest, and longer. */
TEST(test_lengths)
{
	static const size_t bytes[] = { 0, 1, DATAGRAM_MAX, DATAGRAM_MAX + 1, 40000 };
	static uint8_t data[40000];

	open_on("127.0.0.1:0", "127.0.0.1", AF_INET);
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		const struct udp_socket_datagram *l;

		assert_int_equal(send(it.node, data, bytes[i], 0), bytes[i]);
		l = next();
		assert_non_null(l);
		assert_int_equal(l->bytes, bytes[i] <= DATAGRAM_MAX ? bytes[i] : DATAGRAM_MAX + 1);
	}
	shut();
}

/* More than the system holds: it keeps the first, and counts what it has dropped. */
TEST(test_bounded)
{
	const struct udp_socket_datagram *d;
	unsigned number, count = 0;

	open_on("127.0.0.1:0", "127.0.0.1", AF_INET);
	for (number = 0; number < MANY; number++)
		assert_int_equal(send(it.node, &number, sizeof(number), 0), sizeof(number));
	for (; (d = udp_socket_next(it.udp)); count++) {
		memcpy(&number, d->data, sizeof(number));
		if (!count)
			assert_int_equal(number, 0);
	}
	assert_in_range(count, 1, MANY - 1);
	/* Check that the next datagram that arrives has the number. */
	assert_int_equal(send(it.node, &number, sizeof(number), 0), sizeof(number));
	assert_non_null(next());
	assert_int_equal(udp_socket_dropped(it.udp), MANY - count);
	shut();
}

/* A wake ends the next wait, and no other. */
TEST(test_wake)
{
	struct timespec before, after;

	open_on("127.0.0.1:0", "127.0.0.1", AF_INET);
	udp_socket_wake(it.udp);
	udp_socket_wake(it.udp);
	clock_gettime(CLOCK_MONOTONIC, &before);
	udp_socket_wait(it.udp, HANG_SECONDS * S);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(after.tv_sec - before.tv_sec < HANG_SECONDS);
	clock_gettime(CLOCK_MONOTONIC, &before);
	udp_socket_wait(it.udp, S / 10);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true((after.tv_sec - before.tv_sec) * 1000 +
			    (after.tv_nsec - before.tv_nsec) / 1000000 >=
		    99);
	shut();
}

/* The answer comes from where the node had sent to: its socket is connected to that. */
static void answer(const char *where, const char *to, int family, const char *place)
{
	struct pollfd wait = { .events = POLLIN };
	char text[64], got[8];
	const struct udp_socket_datagram *l;

	open_on(where, to, family);
	assert_int_equal(send(it.node, "x", 1, 0), 1);
	l = next();
	assert_non_null(l);
	udp_socket_print_address(&l->from, text, sizeof(text));
	assert_string_equal(text, place);
	udp_socket_send(it.udp, &l->from, (const uint8_t *)"ack", 3);
	wait.fd = it.node;
	assert_int_equal(poll(&wait, 1, HANG_SECONDS * 1000), 1);
	assert_int_equal(recv(it.node, got, sizeof(got), 0), 3);
	assert_memory_equal(got, "ack", 3);
	shut();
}

TEST(test_answers)
{
	answer("127.0.0.1:0", "127.0.0.1", AF_INET, "127.0.0.1");
	answer(":0", "127.0.0.1", AF_INET, "127.0.0.1");
	/* This machine has many addresses. */
	answer(":0", "127.1.2.3", AF_INET, "127.0.0.1");
}

TEST(test_answers_v6)
{
	char why[200];
	int fd = service_listen("[::1]:0", SOCK_DGRAM, why, sizeof(why));

	if (fd < 0)
		skip();
	close(fd);
	answer("[::1]:0", "::1", AF_INET6, "::1");
	answer(":0", "::1", AF_INET6, "::1");
}

TEST(test_place)
{
	struct rx_address p = { .interface = 0 };
	char text[64];

	udp_socket_print_address(&p, text, sizeof(text));
	assert_string_equal(text, "");
	p.from.v6.sin6_family = AF_INET6;
	assert_int_equal(inet_pton(AF_INET6, "2001:db8::1", &p.from.v6.sin6_addr), 1);
	udp_socket_print_address(&p, text, sizeof(text));
	assert_string_equal(text, "2001:db8::1");
	assert_int_equal(inet_pton(AF_INET6, "::ffff:192.0.2.9", &p.from.v6.sin6_addr), 1);
	udp_socket_print_address(&p, text, sizeof(text));
	assert_string_equal(text, "192.0.2.9");
}
