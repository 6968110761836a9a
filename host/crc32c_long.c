/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slicing by eight: M. E. Kounavis, F. L. Berry, "Novel Table Lookup-Based Algorithms for
 * High-Performance CRC Generation", IEEE Trans. Computers 57 (2008). Eight tables, of a byte
 * followed by 0 to 7 zero bytes, are made at first use.
 */
#include "crc32c_long.h"

#include <stdbool.h>
#include <string.h>

#define SLICES 8
#define POLY   0x82f63b78u /* RFC 3720's, bits reflected */

static uint32_t table[SLICES][256];

static void make_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLY : 0);
		table[0][i] = crc;
	}
	for (unsigned slice = 1; slice < SLICES; slice++) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t before = table[slice - 1][i];

			table[slice][i] = before >> 8 ^ table[0][before & 0xff];
		}
	}
}

/* Little-endian, whatever the machine. */
static uint32_t load(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static uint32_t step(uint32_t crc, const uint8_t *at)
{
	uint32_t low = load(at) ^ crc, high = load(at + 4);

	return table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^
	       table[4][low >> 24] ^ table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^
	       table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
}

uint32_t crc32c_long(const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint32_t crc = UINT32_MAX;

	if (!table[0][1])
		make_tables();
	for (; bytes >= SLICES; bytes -= SLICES, at += SLICES)
		crc = step(crc, at);
	for (; bytes; bytes--, at++)
		crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xff];
	return ~crc;
}
