/* SPDX-License-Identifier: BSD-2-Clause */
/* SipHash by its authors' vectors; both datagrams byte by byte, damaged, forged and at random. */
#include "core/lib/crc32c.h"
#include "core/wire/datagram.h"
#include "core/lib/siphash.h"

#include "tests/unit/common/test.h"

#include <stdio.h>
#include <string.h>

static const uint8_t key[SIPHASH_KEY_BYTES] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
};

/* vectors_sip128 of the reference code: messages 00 01 02 ... under the key above. */
TEST(test_siphash_vectors)
{
	static const struct {
		size_t bytes;
		const char *tag;
	} vector[] = {
		{ 0, "a3817f04ba25a8e66df67214c7550293" },
		{ 1, "da87c1d86b99af44347659119b22fc45" },
		{ 2, "8177228da4a45dc7fca38bdef60affe4" },
		{ 3, "9c70b60c5267a94e5f33b6b02985ed51" },
		{ 4, "f88164c12d9c8faf7d0f6e7c7bcd5579" },
		{ 5, "1368875980776f8854527a07690e9627" },
		{ 6, "14eeca338b208613485ea0308fd7a15e" },
		{ 7, "a1f1ebbed8dbc153c0b84aa61ff08239" },
		{ 8, "3b62a9ba6258f5610f83e264f31497b4" },
		{ 9, "264499060ad9baabc47f8b02bb6d71ed" },
		{ 10, "00110dc378146956c95447d3f3d0fbba" },
		{ 11, "0151c568386b6677a2b4dc6f81e5dc18" },
		{ 12, "d626b266905ef35882634df68532c125" },
		{ 13, "9869e247e9c08b10d029934fc4b952f7" },
		{ 14, "31fcefac66d7de9c7ec7485fe4494902" },
		{ 15, "5493e99933b0a8117e08ec0f97cfc3d9" },
		{ 16, "6ee2a4ca67b054bbfd3315bf85230577" },
		{ 17, "473d06e8738db89854c066c47ae47740" },
		{ 31, "2939b0183223fafc1723de4f52c43d35" },
		{ 32, "7c3956ca5eeafc3e363e9d556546eb68" },
		{ 33, "77c6077146f01c32b6b69d5f4ea9ffcf" },
		{ 62, "5853542321f567a005d547a4f04759bd" },
		{ 63, "5150d1772f50834a503e069a973fbd7c" },
	};
	uint8_t message[64], tag[SIPHASH_TAG_BYTES];
	char hex[2 * SIPHASH_TAG_BYTES + 1];

	for (unsigned i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)i;
	for (size_t v = 0; v < sizeof(vector) / sizeof(vector[0]); v++) {
		siphash(key, message, vector[v].bytes, tag);
		for (unsigned i = 0; i < sizeof(tag); i++)
			snprintf(hex + 2 * i, 3, "%02x", tag[i]);
		assert_string_equal(hex, vector[v].tag);
	}
}

TEST(test_siphash_same)
{
	uint8_t a[SIPHASH_TAG_BYTES] = { 1, 2, 3 }, b[SIPHASH_TAG_BYTES];

	memcpy(b, a, sizeof(b));
	assert_true(siphash_same(a, b));
	for (unsigned bit = 0; bit < 8 * sizeof(b); bit++) {
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_false(siphash_same(a, b));
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static const char text[] = "{\"nf\":1,\"its contents are of no interest to the datagram\"}\n";

static const uint8_t uuid[UUID_BYTES] = { 0x4c, 0x4c, 0x45, 0x44, 0x00, 0x42, 0x35, 0x10,
					  0x80, 0x52, 0xb4, 0xc0, 0x4f, 0x4e, 0x37, 0x32 };

static const struct datagram some = {
	.sid = UINT64_C(0x1122334455667788),
	.token = UINT64_C(0x99aabbccddeeff01),
	.seq = 77,
	.number = UINT64_C(0x123456789a),
	.lost = 5,
	.lines = 1,
	.uuid = uuid,
	.text = text,
	.bytes = sizeof(text) - 1,
};

/* The layout of the header's comment, written by hand. */
TEST(test_data_on_the_wire)
{
	static const uint8_t head[DATAGRAM_HEADER] = {
		'n',  'f',  'd',  '2',  0,    0,    1,    0,    0x88, 0x77, 0x66, 0x55,
		0x44, 0x33, 0x22, 0x11, 0x01, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99,
		77,   0,    0,    0,    0,    0,    0,    0,    0x9a, 0x78, 0x56, 0x34,
		0x12, 0,    0,    0,    5,    0,    0,    0,    0x4c, 0x4c, 0x45, 0x44,
		0x00, 0x42, 0x35, 0x10, 0x80, 0x52, 0xb4, 0xc0, 0x4f, 0x4e, 0x37, 0x32,
	};
	static const uint8_t none[UUID_BYTES];
	struct datagram nameless = some;
	uint8_t out[DATAGRAM_MAX];
	size_t bytes = datagram_write(out, &some, NULL);
	uint32_t crc = crc32c(out, bytes - 4);

	assert_int_equal(bytes, 60 + sizeof(text) - 1 + 4);
	assert_memory_equal(out, head, sizeof(head));
	assert_memory_equal(out + 60, text, sizeof(text) - 1);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(out[bytes - 4 + i], crc >> 8 * i & 0xff);
	assert_int_equal(datagram_write(out, &some, key), bytes + 16);
	assert_int_equal(out[4], 1);
	nameless.uuid = NULL;
	assert_int_equal(datagram_write(out, &nameless, NULL), bytes);
	assert_memory_equal(out + 44, none, sizeof(none));
}

TEST(test_ack_on_the_wire)
{
	const struct datagram_ack a = { .state = DATAGRAM_NO_SPACE,
					.sid = UINT64_C(0x1122334455667788),
					.token = 3,
					.next = 0x0102,
					.base = 9,
					.held = UINT64_C(1) << 63 | 1 };
	static const uint8_t head[48] = {
		'n', 'f', 'a', '1', 0, 2, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
		3,   0,   0,   0,   0, 0, 0, 0, 2,    1,    0,    0,    0,    0,    0,    0,
		9,   0,   0,   0,   0, 0, 0, 0, 1,    0,    0,    0,    0,    0,    0,    0x80,
	};
	uint8_t out[DATAGRAM_ACK_MAX];
	struct datagram_ack back;

	assert_int_equal(datagram_write_ack(out, &a, NULL), 52);
	assert_memory_equal(out, head, sizeof(head));
	assert_int_equal(datagram_read_ack(out, 52, NULL, &back), DATAGRAM_OK);
	assert_int_equal(back.state, DATAGRAM_NO_SPACE);
	assert_int_equal(back.sid, a.sid);
	assert_int_equal(back.token, 3);
	assert_int_equal(back.next, 0x0102);
	assert_int_equal(back.base, 9);
	assert_true(back.held == a.held);
	assert_int_equal(datagram_write_ack(out, &a, key), 68);
	assert_int_equal(datagram_read_ack(out, 68, key, &back), DATAGRAM_OK);
}

TEST(test_data_comes_back)
{
	uint8_t out[DATAGRAM_MAX];
	struct datagram d;

	for (unsigned with = 0; with < 2; with++) {
		size_t bytes = datagram_write(out, &some, with ? key : NULL);

		assert_int_equal(datagram_read(out, bytes, with ? key : NULL, &d), DATAGRAM_OK);
		assert_int_equal(d.sid, some.sid);
		assert_true(d.token == some.token);
		assert_int_equal(d.seq, some.seq);
		assert_int_equal(d.number, some.number);
		assert_int_equal(d.lost, some.lost);
		assert_int_equal(d.lines, some.lines);
		assert_memory_equal(d.uuid, uuid, sizeof(uuid));
		assert_int_equal(d.bytes, some.bytes);
		assert_memory_equal(d.text, text, some.bytes);
	}
}

/* No bit may change, and no byte be missing or added. */
TEST(test_damage_is_seen)
{
	uint8_t out[DATAGRAM_MAX + 1] = { 0 };
	struct datagram d;

	for (unsigned with = 0; with < 2; with++) {
		const uint8_t *k = with ? key : NULL;
		size_t bytes = datagram_write(out, &some, k);

		for (size_t bit = 0; bit < 8 * bytes; bit++) {
			out[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_not_equal(datagram_read(out, bytes, k, &d), DATAGRAM_OK);
			out[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		for (size_t count = 0; count < bytes; count++)
			assert_int_not_equal(datagram_read(out, count, k, &d), DATAGRAM_OK);
		assert_int_not_equal(datagram_read(out, bytes + 1, k, &d), DATAGRAM_OK);
	}
}

/* Mend the CRC, as somebody without the key can. */
static void mend(uint8_t *bytes, size_t count)
{
	uint32_t crc = crc32c(bytes, count - 4);

	for (unsigned i = 0; i < 4; i++)
		bytes[count - 4 + i] = (uint8_t)(crc >> 8 * i);
}

TEST(test_forgery_is_seen)
{
	uint8_t out[DATAGRAM_MAX];
	size_t bytes = datagram_write(out, &some, key);
	struct datagram d;

	for (size_t bit = 8 * 8; bit < 8 * (bytes - 4); bit++) {
		out[bit / 8] ^= (uint8_t)(1u << bit % 8);
		mend(out, bytes);
		assert_int_not_equal(datagram_read(out, bytes, key, &d), DATAGRAM_OK);
		out[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	mend(out, bytes);
	assert_int_equal(datagram_read(out, bytes, key, &d), DATAGRAM_OK);
}

TEST(test_keys_must_agree)
{
	static const uint8_t other[SIPHASH_KEY_BYTES] = { 1 };
	uint8_t out[DATAGRAM_MAX];
	struct datagram d;
	size_t bytes;

	bytes = datagram_write(out, &some, NULL);
	assert_int_equal(datagram_read(out, bytes, key, &d), DATAGRAM_NOT_SIGNED);
	assert_int_equal(d.sid, some.sid);
	bytes = datagram_write(out, &some, key);
	assert_int_equal(datagram_read(out, bytes, NULL, &d), DATAGRAM_NOT_ASKED);
	assert_int_equal(datagram_read(out, bytes, other, &d), DATAGRAM_FORGED);
	/* The flag alone makes no signature. */
	bytes = datagram_write(out, &some, NULL);
	out[4] = 1;
	mend(out, bytes);
	assert_int_equal(datagram_read(out, bytes, key, &d), DATAGRAM_FORGED);
	/* An ack is not data, whatever its key. */
	bytes = datagram_write_ack(out, &(struct datagram_ack){ .sid = 1 }, key);
	assert_int_equal(datagram_read(out, bytes, key, &d), DATAGRAM_MALFORMED);
}

/* Impossible contents, though the CRC is right. */
TEST(test_nonsense_is_refused)
{
	uint8_t out[DATAGRAM_MAX];
	struct datagram d, wrong;

#define REFUSED(field, value)                                                             \
	wrong = some;                                                                     \
	wrong.field = value;                                                              \
	assert_int_equal(datagram_read(out, datagram_write(out, &wrong, NULL), NULL, &d), \
			 DATAGRAM_MALFORMED)
	REFUSED(lines, 0);
	REFUSED(lost, 78);
	REFUSED(seq, UINT64_MAX);
	REFUSED(seq, INT64_MAX);
	wrong = some;
	wrong.bytes = DATAGRAM_LINES_MIN - 1;
	assert_int_equal(datagram_write(out, &wrong, NULL), 0);
	wrong.bytes = DATAGRAM_LINES_MAX + 1;
	assert_int_equal(datagram_write(out, &wrong, NULL), 0);
}

TEST(test_largest)
{
	static char lines[DATAGRAM_LINES_MAX];
	struct datagram d = some;
	uint8_t out[DATAGRAM_MAX];

	memset(lines, 'x', sizeof(lines));
	d.text = lines;
	d.bytes = sizeof(lines);
	assert_int_equal(datagram_write(out, &d, key), DATAGRAM_MAX);
	assert_int_equal(datagram_read(out, DATAGRAM_MAX, key, &d), DATAGRAM_OK);
	assert_int_equal(d.bytes, sizeof(lines));
}

TEST(test_states_have_words)
{
	for (unsigned i = 0; i < DATAGRAM_STATES; i++)
		assert_true(strlen(datagram_state_text((enum datagram_state)i)) > 3);
	assert_string_equal(datagram_state_text(DATAGRAM_STATES), "unknown");
}
