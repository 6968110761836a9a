/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC-32C, eight bytes per step: M. E. Kounavis, F. L. Berry, "Novel Table Lookup-Based Algorithms
 * for High-Performance CRC Generation", IEEE Trans. Computers 57 (2008).
 */
#include "crc32c.h"

#include "bytes.h"

#define SLICES 8 /* bytes per step, and KB of tables */

/*
 * A CRC is linear: the effect of a byte is the sum (exclusive or) of the effects of its bits. a to
 * h are the remainders of bit 0 to bit 7.
 */
#define BIT(i, n, remainder) ((i)&1u << (n) ? (remainder) : 0u)
#define BYTE(i, a, b, c, d, e, f, g, h)                                                            \
	(BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^ BIT(i, 5, f) ^ \
	 BIT(i, 6, g) ^ BIT(i, 7, h))
#define BYTES_4(i, ...)                                                               \
	BYTE(i, __VA_ARGS__), BYTE((i) + 1, __VA_ARGS__), BYTE((i) + 2, __VA_ARGS__), \
		BYTE((i) + 3, __VA_ARGS__)
#define BYTES_16(i, ...)                                                                       \
	BYTES_4(i, __VA_ARGS__), BYTES_4((i) + 4, __VA_ARGS__), BYTES_4((i) + 8, __VA_ARGS__), \
		BYTES_4((i) + 12, __VA_ARGS__)
#define BYTES_64(i, ...)                                           \
	BYTES_16(i, __VA_ARGS__), BYTES_16((i) + 16, __VA_ARGS__), \
		BYTES_16((i) + 32, __VA_ARGS__), BYTES_16((i) + 48, __VA_ARGS__)
#define BYTES_256(...)                                                                      \
	BYTES_64(0u, __VA_ARGS__), BYTES_64(64u, __VA_ARGS__), BYTES_64(128u, __VA_ARGS__), \
		BYTES_64(192u, __VA_ARGS__)

/*
 * table[n][i] is the remainder of the byte i followed by n zero bytes. That of a byte alone is
 * eight steps of c = c >> 1 ^ (c & 1 ? 0x82f63b78 : 0), the polynomial of RFC 3720 read backwards,
 * and of each zero byte after it eight more.
 */
static const uint32_t table[SLICES][256] = {
	{ BYTES_256(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede,
		    0x417b1dbc, 0x82f63b78) },
	{ BYTES_256(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302,
		    0xff17c604, 0xfbc3faf9) },
	{ BYTES_256(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14,
		    0xc76580d9, 0x8b277743) },
	{ BYTES_256(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b,
		    0xaba65fe7, 0x52a0c93f) },
	{ BYTES_256(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557,
		    0x37516aae, 0x6ea2d55c) },
	{ BYTES_256(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d,
		    0x0e045beb, 0x1c08b7d6) },
	{ BYTES_256(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd,
		    0x7ab7077a, 0xf56e0ef4) },
	{ BYTES_256(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599,
		    0x1a00cb32, 0x34019664) },
};

static uint32_t step(uint32_t crc, const uint8_t *at)
{
	uint32_t low = bytes_le32(at) ^ crc, high = bytes_le32(at + 4);

	return table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^
	       table[4][low >> 24] ^ table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^
	       table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
}

uint32_t crc32c_by_table(const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint32_t crc = UINT32_MAX;

	for (; bytes >= 8; bytes -= 8, at += 8)
		crc = step(crc, at);
	for (; bytes; bytes--, at++)
		crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xff];
	return ~crc;
}
