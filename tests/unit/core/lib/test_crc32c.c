/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C: the vectors of RFC 3720, and the definition bit by bit. */
#include "core/lib/crc32c.h"

#include <string.h>

#include "tests/unit/common/test.h"

TEST(test_check_value)
{
	assert_int_equal(crc32c("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c("", 0), 0);
}

/* RFC 3720, appendix B.4: the CRC bytes there are in wire order. */
TEST(test_rfc_3720)
{
	uint8_t block[32];
	static const uint8_t read_pdu[48] = {
		0x01, 0xc0, 0, 0, 0, 0, 0,    0, 0,    0, 0, 0,    0, 0, 0, 0,
		0x14, 0,    0, 0, 0, 0, 0x04, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
		0x28, 0,    0, 0, 0, 0, 0,    0, 0x02, 0, 0, 0,    0, 0, 0, 0,
	};

	memset(block, 0, sizeof(block));
	assert_int_equal(crc32c(block, sizeof(block)), 0x8a9136aa);
	memset(block, 0xff, sizeof(block));
	assert_int_equal(crc32c(block, sizeof(block)), 0x62a8ab43);
	for (unsigned i = 0; i < sizeof(block); i++)
		block[i] = (uint8_t)i;
	assert_int_equal(crc32c(block, sizeof(block)), 0x46dd794e);
	for (unsigned i = 0; i < sizeof(block); i++)
		block[i] = (uint8_t)(31 - i);
	assert_int_equal(crc32c(block, sizeof(block)), 0x113fdb5c);
	assert_int_equal(crc32c(read_pdu, sizeof(read_pdu)), 0xd9963a56);
}

static uint32_t by_definition(const uint8_t *at, size_t bytes)
{
	uint32_t crc = UINT32_MAX;

	while (bytes--) {
		crc ^= *at++;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

TEST(test_every_byte_and_length)
{
	uint8_t bytes[300];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 167 + 13);
	for (unsigned i = 0; i < 256; i++) {
		uint8_t byte = (uint8_t)i;

		assert_int_equal(crc32c(&byte, 1), by_definition(&byte, 1));
		/* In each place of a step. */
		for (unsigned place = 0; place < 8; place++) {
			uint8_t eight[8] = { 0 };

			eight[place] = byte;

			assert_int_equal(crc32c(eight, 8), by_definition(eight, 8));
		}
	}
	for (size_t from = 0; from < 9; from++) {
		for (size_t n = 0; n <= sizeof(bytes) - from; n++)
			assert_int_equal(crc32c(bytes + from, n), by_definition(bytes + from, n));
	}
}
