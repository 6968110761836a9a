/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs of firmware: of several algorithms, of more events than there is room, cut. */
#include "core/tpm/tpm_log.h"

#include "tests/unit/common/test.h"

#include <stdlib.h>
#include <string.h>

#define MOST 4

static struct {
	uint8_t bytes[2048];
	size_t used, last;
} image;

static void put(uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		image.bytes[image.used++] = (uint8_t)(value >> 8 * i);
}

static void put_digest(uint16_t algorithm, uint8_t byte, size_t bytes)
{
	put(algorithm, 2);
	memset(image.bytes + image.used, byte, bytes);
	image.used += bytes;
}

/* SHA-1, SHA-256, and one that nobody knows. */
static void begin(void)
{
	memset(&image, 0, sizeof(image));
	put(0, 4);
	put(3, 4);
	image.used += 20;
	put(28 + 3 * 4 + 1, 4);
	memcpy(image.bytes + image.used, "Spec ID Event03", 16);
	image.used += 24;
	put(3, 4);
	put(0x4, 2), put(20, 2);
	put(0xb, 2), put(32, 2);
	put(0x1234, 2), put(5, 2);
	put(0, 1);
}

static void event(uint32_t pcr, uint32_t type, uint8_t byte)
{
	image.last = image.used;
	put(pcr, 4);
	put(type, 4);
	put(3, 4);
	put_digest(0x4, 1, 20);
	put_digest(0xb, byte, 32);
	put_digest(0x1234, 2, 5);
	put(7, 4);
	image.used += 7;
}

static void some_events(void)
{
	begin();
	event(4, 0x80000007, 0x11);
	event(0, 0x80000008, 0x22);
	event(4, 3, 0x33); /* EV_NO_ACTION */
	event(4, 4, 0x44);
	event(7, 0x80000001, 0x55);
	event(4, 0x80000003, 0x66);
}

static unsigned read_pcr(unsigned pcr, uint8_t digest[MOST][SHA256_BYTES])
{
	uint8_t *copy = malloc(image.used);
	unsigned count;

	assert_non_null(copy);
	memcpy(copy, image.bytes, image.used);
	count = tpm_log_digests(copy, image.used, image.last, pcr, digest, MOST);
	free(copy);
	return count;
}

TEST(test_digests)
{
	uint8_t digest[MOST][SHA256_BYTES];

	some_events();
	assert_int_equal(read_pcr(4, digest), 3);
	assert_int_equal(digest[0][0], 0x11);
	assert_int_equal(digest[1][31], 0x44);
	assert_int_equal(digest[2][0], 0x66);
	assert_int_equal(read_pcr(0, digest), 1);
	assert_int_equal(read_pcr(5, digest), 0);
}

/* Bytes after the last event are not part of the log. */
TEST(test_last)
{
	uint8_t digest[MOST][SHA256_BYTES];
	size_t last;

	begin();
	event(4, 4, 1);
	last = image.last;
	event(4, 4, 2);
	image.last = last;
	assert_int_equal(read_pcr(4, digest), 1);
}

TEST(test_more_than_room)
{
	uint8_t digest[MOST][SHA256_BYTES];

	begin();
	for (uint8_t i = 0; i < MOST + 3; i++)
		event(4, 4, i);
	assert_int_equal(read_pcr(4, digest), MOST + 3);
	assert_int_equal(digest[MOST - 1][0], MOST - 1);
}

TEST(test_empty)
{
	uint8_t digest[MOST][SHA256_BYTES];

	begin();
	assert_int_equal(read_pcr(4, digest), 0);
}

/* A log that has no event where the last one should be. */
TEST(test_cut)
{
	uint8_t digest[MOST][SHA256_BYTES];
	size_t whole;

	some_events();
	whole = image.used;
	for (image.used = 0; image.used < whole; image.used++)
		assert_int_equal(image.used ? read_pcr(4, digest) : 0, 0);
}
