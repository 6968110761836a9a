/* SPDX-License-Identifier: BSD-2-Clause */
/* URIs that an image was fetched from: the base of what is beside it, and the host. */
#include "efi/net/uri.h"

#include <string.h>

#include "tests/unit/common/test.h"

static struct uri u;

static bool reads(const char *s)
{
	return uri_read(&u, s, strlen(s));
}

TEST(test_bases)
{
	static const char *const rows[][3] = {
		{ "http://10.0.0.1/a/nf.efi", "http://10.0.0.1/a/", "10.0.0.1" },
		{ "https://h:8443/nf.iso?sig=a/b#c", "https://h:8443/", "h:8443" },
		{ "HTTP://host/", "http://host/", "host" },
		{ "http://host", "http://host/", "host" },
		{ "http://host?a/b", "http://host/", "host" },
		{ "http://me:secret@host:80/x/y/z", "http://host:80/x/y/", "host:80" },
		{ "http://[2001:db8::1]:80/nf.efi", "http://[2001:db8::1]:80/",
		  "[2001:db8::1]:80" },
		{ "http://host/a%20b//nf", "http://host/a%20b//", "host" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(reads(rows[i][0]));
		assert_string_equal(u.base, rows[i][1]);
		assert_string_equal(u.host, rows[i][2]);
	}
}

TEST(test_schemes)
{
	assert_true(reads("http://h/"));
	assert_string_equal(u.scheme, "http");
	assert_true(reads("httpS://h/"));
	assert_string_equal(u.scheme, "https");
}

TEST(test_addresses)
{
	static const uint8_t v4[] = { 10, 0, 0, 7 }, v6[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };

	assert_true(reads("http://10.0.0.7:8000/x"));
	assert_int_equal(u.address.family, IPADDR_V4);
	assert_memory_equal(u.address.bytes, v4, sizeof(v4));
	assert_true(reads("http://[2001:db8::1]/x"));
	assert_int_equal(u.address.family, IPADDR_V6);
	assert_memory_equal(u.address.bytes, v6, sizeof(v6));
	assert_true(reads("http://name.example/x"));
	assert_int_equal(u.address.family, IPADDR_NONE);
	assert_true(reads("http://10.0.0.7.example/x"));
	assert_int_equal(u.address.family, IPADDR_NONE);
}

TEST(test_what_is_none)
{
	static const char *const rows[] = {
		"",
		"http:/h/x",
		"ftp://h/x",
		"http://",
		"http:///x",
		"http://:80/x",
		"http://@/x",
		"http://h/a b",
		"http://h/\x7f",
		"http://h\r\nX: y/",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_false(reads(rows[i]));
}

TEST(test_nuls_at_the_end)
{
	assert_true(uri_read(&u, "http://h/x\0\0", 12));
	assert_string_equal(u.base, "http://h/");
	assert_false(uri_read(&u, "http://h\0/x", 11));
	assert_false(uri_read(&u, "\0\0", 2));
}

TEST(test_the_longest)
{
	static char s[2 * URI_MAX];

	memset(s, 'a', sizeof(s));
	memcpy(s, "http://h/", 9);
	assert_false(uri_read(&u, s, URI_MAX + 1));
	s[URI_MAX - 20] = '/';
	assert_true(uri_read(&u, s, URI_MAX - 19));
	assert_int_equal(strlen(u.base), URI_MAX - 19);
}
