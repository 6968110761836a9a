/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses to listen on: refused ones, and the messages. test_udp_socket.c tests listening itself.
 */
#include "host/collect/service/service.h"

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
		"",    ":",    "5514", "[::1]",  "::1:1",  ":65536", "host:1", "[1.2.3.4]:1",
		"[:1", "[]:1", "]:1",  "[::1]:", "[::1:1",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int fd = open_it(wrong[i], SOCK_DGRAM);

		if (fd >= 0)
			fail_msg("%s is accepted", wrong[i]);
		if (!strstr(why, "accepted: " SERVICE_LISTEN_FORMS))
			fail_msg("%s: %s", wrong[i], why);
	}
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
	/* An address that is not ours. */
	assert_int_equal(open_it("192.0.2.1:0", SOCK_DGRAM), -1);
	assert_true(strlen(why) > 0);
}
