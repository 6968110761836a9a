/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses: forms by hand, and many more against the C library's inet_pton(), which
 * knows nothing of ours.
 */
#include "core/lib/ipaddr.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define RANDOM_TEXTS 200000

/* From a copy of the exact size, so that AddressSanitizer sees a read past it. */
static bool parse(struct ipaddr *a, const char *text)
{
	size_t bytes = strlen(text);
	char *copy = malloc(bytes + !bytes);
	bool good;

	assert_non_null(copy);
	memcpy(copy, text, bytes);
	good = ipaddr_parse(a, copy, bytes);
	free(copy);
	return good;
}

static const char *print(const struct ipaddr *a)
{
	static char buf[IPADDR_TEXT_MAX];
	struct text out;

	text_init(&out, buf, sizeof(buf));
	ipaddr_print(a, &out);
	assert_false(out.overflow);
	return buf;
}

static void assert_like_inet_pton(const char *text)
{
	struct ipaddr a = { .family = IPADDR_V6 };
	uint8_t bytes[IPADDR_V6_BYTES] = { 0 };
	bool v6 = strchr(text, ':') != NULL;
	bool theirs = inet_pton(v6 ? AF_INET6 : AF_INET, text, bytes) == 1;

	if (parse(&a, text) != theirs)
		fail_msg("`%s` is %san address", text, theirs ? "" : "not ");
	assert_int_equal(a.family, !theirs ? IPADDR_NONE : v6 ? IPADDR_V6 : IPADDR_V4);
	if (theirs && memcmp(a.bytes, bytes, sizeof(bytes)) != 0)
		fail_msg("`%s` is taken for %s", text, print(&a));
}

/* Forms that the random texts below do not have. */
TEST(test_forms)
{
	static const char *const texts[] = { "",
					     "1.2.3.4 ",
					     "0x1.2.3.4",
					     "1.2.3.4/8",
					     "-1.2.3.4",
					     "1,2,3,4",
					     "a.b.c.d",
					     "fe80::1%eth0",
					     "[::1]",
					     "::1/64",
					     "g::",
					     "12345::",
					     "00001::",
					     "256.0.0.1",
					     "1.2.3.1000000000000",
					     "1:2:3:4:5:6:7:8",
					     "1:2:3:4:5:6:1.2.3.4",
					     "1:2:3:4:5:6:7::",
					     "1:2:3:4:5:6:7:1.2.3.4",
					     "1:2:3:4:5:6:7:8::",
					     "::ffff:1.2.3.4" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_like_inet_pton(texts[i]);
}

/* Random texts of the characters of addresses: most are nearly an address. */
TEST(test_random_texts)
{
	static const char *const parts[] = { ":", ":", ":", "::", ".", ".",   "0",  "1",
					     "9", "f", "A", "25", "6", "255", "00", "ffff" };
	unsigned long long seed = 1;

	for (unsigned i = 0; i < RANDOM_TEXTS; i++) {
		char text[128] = "";
		unsigned count;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		count = (unsigned)(seed >> 59);
		for (unsigned n = 0; n < count; n++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			strcat(text, parts[seed >> 60]);
		}
		assert_like_inet_pton(text);
	}
}

/* RFC 5952, section 4. */
TEST(test_print)
{
	static const char *const rows[][2] = {
		{ "2001:0db8::0001", "2001:db8::1" },
		{ "2001:db8:0:0:0:0:2:1", "2001:db8::2:1" },
		{ "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1" },
		{ "2001:0:0:1:0:0:0:1", "2001:0:0:1::1" },
		{ "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1" },
		{ "2001:DB8::ABCD", "2001:db8::abcd" },
		{ "0:0:0:0:0:0:0:0", "::" },
		{ "1:0:0:0:0:0:0:0", "1::" },
		{ "0:0:1::", "0:0:1::" },
		{ "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
		  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
		{ "192.0.2.255", "192.0.2.255" },
	};
	struct ipaddr a;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(parse(&a, rows[i][0]));
		assert_string_equal(print(&a), rows[i][1]);
	}
	a.family = IPADDR_NONE;
	assert_string_equal(print(&a), "none");
}

TEST(test_unspecified)
{
	struct ipaddr a;

	assert_true(parse(&a, "0.0.0.0") && ipaddr_is_unspecified(&a));
	assert_true(parse(&a, "::") && ipaddr_is_unspecified(&a));
	assert_true(parse(&a, "::1") && !ipaddr_is_unspecified(&a));
	assert_true(parse(&a, "0.0.0.1") && !ipaddr_is_unspecified(&a));
}
