/* SPDX-License-Identifier: BSD-2-Clause */
/* A DHCP server's answer: what it gives, and all the ways in which it can be wrong. */
#include "core/config/dhcp_ack.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define FIXED    236
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A packet under construction, and what is read of it. */
static uint8_t packet[1472];
static size_t bytes;
static struct dhcp_ack ack;

static void start(void)
{
	static const uint8_t fixed[] = { 2, 1, 6, 0, 0x12, 0x34, 0x56, 0x78 };
	static const uint8_t mac[] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 };

	memset(packet, 0, sizeof(packet));
	memcpy(packet, fixed, sizeof(fixed));
	memcpy(packet + 16, "\x0a\x00\x02\x0f", 4);
	memcpy(packet + 28, mac, sizeof(mac));
	memcpy(packet + FIXED, "\x63\x82\x53\x63", 4);
	bytes = FIXED + 4;
}

static void add(const void *what, size_t count)
{
	memcpy(packet + bytes, what, count);
	bytes += count;
}

static void option(uint8_t code, const void *value, uint8_t count)
{
	add(&code, 1);
	add(&count, 1);
	add(value, count);
}

static void text_option(uint8_t code, const char *value)
{
	option(code, value, (uint8_t)strlen(value));
}

/* From a copy of the exact size, so that AddressSanitizer sees a read past it. */
static bool read(void)
{
	uint8_t *copy = malloc(bytes + !bytes);
	bool good;

	assert_non_null(copy);
	memcpy(copy, packet, bytes);
	memset(&ack, 0xee, sizeof(ack));
	good = dhcp_ack_read(&ack, copy, bytes);
	free(copy);
	return good;
}

static void assert_address(const struct ipaddr *a, const char *wanted)
{
	TEXT_DEFINE(out, IPADDR_TEXT_MAX);

	ipaddr_print(a, &out);
	assert_string_equal(out.buf, wanted);
}

TEST_F(start, NULL, test_usual)
{
	memcpy(packet + 20, "\x0a\x00\x02\x02", 4);
	strcpy((char *)packet + 108, "boot/noisefloor.efi");
	option(53, "\5", 1);
	add("\0\0", 2);
	option(54, "\x0a\x00\x02\x03", 4);
	add("\xff", 1);
	text_option(67, "after/the/end.efi");
	assert_true(read());
	assert_address(&ack.address, "10.0.2.15");
	assert_address(&ack.server, "10.0.2.2");
	assert_true(ack.has_mac);
	assert_memory_equal(ack.mac, "\x52\x54\x00\x12\x34\x56", 6);
	assert_string_equal(ack.file, "boot/noisefloor.efi");
}

TEST_F(start, NULL, test_nothing_given)
{
	memset(packet + 16, 0, 4);
	packet[2] = 8;
	assert_true(read());
	assert_address(&ack.address, "none");
	assert_address(&ack.server, "none");
	assert_false(ack.has_mac);
	assert_string_equal(ack.file, "");
}

/* The boot file's server: siaddr, option 66 where it is an address, option 54. */
TEST_F(start, NULL, test_server)
{
	option(54, "\x0a\x00\x02\x03", 4);
	assert_true(read());
	assert_address(&ack.server, "10.0.2.3");
	text_option(66, "tftp.example.org");
	assert_true(read());
	assert_address(&ack.server, "10.0.2.3");
	start();
	option(54, "\x0a\x00\x02\x03", 4);
	option(66, "192.0.2.7\0", 10);
	assert_true(read());
	assert_address(&ack.server, "192.0.2.7");
	memcpy(packet + 20, "\x0a\x00\x02\x02", 4);
	assert_true(read());
	assert_address(&ack.server, "10.0.2.2");
}

TEST_F(start, NULL, test_file_option)
{
	strcpy((char *)packet + 108, "field.efi");
	text_option(67, "images/option.efi");
	text_option(67, "second.efi");
	assert_true(read());
	assert_string_equal(ack.file, "images/option.efi");
	/* Some servers end the option with a NUL, as they do the field. */
	start();
	option(67, "nul.efi\0junk", 12);
	assert_true(read());
	assert_string_equal(ack.file, "nul.efi");
}

/* A field may be full, without a NUL. */
TEST_F(start, NULL, test_full_field)
{
	memset(packet + 108, 'f', 128);
	assert_true(read());
	assert_int_equal(strlen(ack.file), 128);
	memset(packet + bytes, 'o', 257);
	packet[bytes] = 67;
	packet[bytes + 1] = 255;
	bytes += 257;
	assert_true(read());
	assert_int_equal(strlen(ack.file), 255);
	assert_int_equal(ack.file[0], 'o');
}

TEST_F(start, NULL, test_short_values)
{
	option(54, "\xff\xff\xff", 3);
	option(66, "", 0);
	option(67, "", 0);
	assert_true(read());
	assert_address(&ack.server, "none");
	assert_string_equal(ack.file, "");
}

TEST_F(start, NULL, test_file_that_cannot_be_shown)
{
	static const char *const files[] = { "a\nb", "a\x1b[2J", "a\x7f", "\xc3\xa4" };

	for (size_t i = 0; i < COUNT(files); i++) {
		start();
		strcpy((char *)packet + 108, files[i]);
		assert_true(read());
		assert_string_equal(ack.file, "");
	}
}

/* Cut anywhere, it is read as far as it goes, and no more of it is believed. */
TEST_F(start, NULL, test_cut)
{
	size_t whole;

	option(54, "\x0a\x00\x02\x03", 4);
	text_option(67, "noisefloor.efi");
	whole = bytes;
	for (bytes = 0; bytes < whole; bytes++) {
		if (read() != (bytes >= FIXED))
			fail_msg("%zu bytes", bytes);
		assert_string_equal(ack.file, "");
		assert_address(&ack.server, bytes >= FIXED + 10 ? "10.0.2.3" : "none");
	}
	assert_true(read());
	assert_string_equal(ack.file, "noisefloor.efi");
}

TEST_F(start, NULL, test_no_answer)
{
	static const struct dhcp_ack none;

	packet[0] = 1;
	assert_false(read());
	assert_memory_equal(&ack, &none, sizeof(ack));
}

/* BOOTP's answer has no options. */
TEST_F(start, NULL, test_no_magic)
{
	packet[FIXED] = 0;
	strcpy((char *)packet + 108, "noisefloor.efi");
	option(54, "\x0a\x00\x02\x03", 4);
	assert_true(read());
	assert_string_equal(ack.file, "noisefloor.efi");
	assert_address(&ack.server, "none");
}

/* A proxy offers a boot file, and no addresses. */
TEST_F(start, NULL, test_proxy)
{
	struct dhcp_ack first;

	memcpy(packet + 20, "\x0a\x00\x02\x02", 4);
	strcpy((char *)packet + 108, "first.efi");
	assert_true(read());
	first = ack;

	start();
	memset(packet + 16, 0, 4);
	memcpy(packet + 20, "\x0a\x00\x02\x08", 4);
	assert_true(read());
	dhcp_ack_boot(&first, &ack);
	assert_string_equal(first.file, "first.efi");
	assert_address(&first.server, "10.0.2.2");

	strcpy((char *)packet + 108, "proxy.efi");
	assert_true(read());
	dhcp_ack_boot(&first, &ack);
	assert_string_equal(first.file, "proxy.efi");
	assert_address(&first.server, "10.0.2.8");
	assert_address(&first.address, "10.0.2.15");
}
