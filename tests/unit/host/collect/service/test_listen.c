/* SPDX-License-Identifier: BSD-2-Clause */
/* Where to listen: what is accepted, what is refused and how, and that it is listened there. */
#include "host/collect/service/service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

static char why[200];

static int open_it(const char *text, int type)
{
	why[0] = '\0';
	return service_listen(text, type, why, sizeof(why));
}

TEST(test_refused)
{
	static const char *const wrong[] = {
		"",
		":",
		"5514",
		"[::1]",
		"[::1",
		"[]:1",
		"::1:1",
		"[::1]:",
		":65536",
		":-1",
		":1x",
		": 1",
		"host:1",
		"1.2.3:1",
		"[1.2.3.4]:1",
		"1.2.3.4",
		"1.2.3.4:",
		"1.2.3.4:99999",
		"[::g]:1",
		"1.2.3.256:1",
		"[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:1",
		"1111111111111111111111111111111111111111111111111111111111111111:1",
		"[:1",
		"]:1",
		":18446744073709551617",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int fd = open_it(wrong[i], SOCK_DGRAM);

		if (fd >= 0)
			fail_msg("%s is accepted", wrong[i]);
		if (!strstr(why, "accepted: " SERVICE_LISTEN_FORMS))
			fail_msg("%s: %s", wrong[i], why);
	}
}

/* To that address and port; returns false where it does not arrive within a second. */
static bool arrives(int at, int family)
{
	const struct timeval patience = { .tv_sec = 1 };
	const struct sockaddr_in v4 = { .sin_family = AF_INET,
					.sin_port = htons((uint16_t)service_port(at)),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
					 .sin6_port = v4.sin_port,
					 .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(family, SOCK_DGRAM, 0);
	char byte;

	assert_true(fd >= 0);
	setsockopt(at, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (family == AF_INET)
		sendto(fd, "x", 1, 0, (const struct sockaddr *)&v4, sizeof(v4));
	else
		sendto(fd, "x", 1, 0, (const struct sockaddr *)&v6, sizeof(v6));
	close(fd);
	return recv(at, &byte, 1, 0) == 1;
}

static bool has_v6(void)
{
	int fd = open_it("[::1]:0", SOCK_DGRAM);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

TEST(test_one_address)
{
	int fd = open_it("127.0.0.1:0", SOCK_DGRAM);

	assert_true(fd >= 0);
	assert_true(service_port(fd) > 0);
	assert_true(arrives(fd, AF_INET));
	if (has_v6())
		assert_false(arrives(fd, AF_INET6));
	close(fd);
	/* An address that is not ours. */
	assert_int_equal(open_it("192.0.2.1:0", SOCK_DGRAM), -1);
	assert_true(strlen(why) > 0);
}

TEST(test_all_addresses)
{
	int fd = open_it(":0", SOCK_DGRAM);

	assert_true(fd >= 0);
	assert_true(arrives(fd, AF_INET));
	if (has_v6())
		assert_true(arrives(fd, AF_INET6));
	close(fd);
}

TEST(test_v6)
{
	int fd;

	if (!has_v6())
		skip();
	fd = open_it("[::1]:0", SOCK_DGRAM);
	assert_true(arrives(fd, AF_INET6));
	assert_false(arrives(fd, AF_INET));
	close(fd);
}

/* Two collectors do not share a port; a server that is started again gets its own back. */
TEST(test_in_use)
{
	static const int types[] = { SOCK_DGRAM, SOCK_STREAM };
	char text[40];

	for (unsigned i = 0; i < 2; i++) {
		int fd = open_it("127.0.0.1:0", types[i]);

		assert_true(fd >= 0);
		snprintf(text, sizeof(text), "127.0.0.1:%u", service_port(fd));
		assert_int_equal(open_it(text, types[i]), -1);
		assert_non_null(strstr(why, "in use"));
		close(fd);
		fd = open_it(text, types[i]);
		assert_true(fd >= 0);
		close(fd);
	}
	assert_int_equal(service_port(-1), 0);
}
