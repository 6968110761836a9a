/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers from and to bytes that need not be aligned. */
#pragma once

#include <stdint.h>

static inline uint16_t bytes_le16(const uint8_t *b)
{
	return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t bytes_le32(const uint8_t *b)
{
	return bytes_le16(b) | (uint32_t)bytes_le16(b + 2) << 16;
}

static inline uint64_t bytes_le64(const uint8_t *b)
{
	return bytes_le32(b) | (uint64_t)bytes_le32(b + 4) << 32;
}

static inline uint16_t bytes_be16(const uint8_t *b)
{
	return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t bytes_be32(const uint8_t *b)
{
	return (uint32_t)bytes_be16(b) << 16 | bytes_be16(b + 2);
}

static inline void bytes_put_le16(uint8_t *b, uint16_t value)
{
	b[0] = (uint8_t)value;
	b[1] = (uint8_t)(value >> 8);
}

static inline void bytes_put_le32(uint8_t *b, uint32_t value)
{
	bytes_put_le16(b, (uint16_t)value);
	bytes_put_le16(b + 2, (uint16_t)(value >> 16));
}

static inline void bytes_put_le64(uint8_t *b, uint64_t value)
{
	bytes_put_le32(b, (uint32_t)value);
	bytes_put_le32(b + 4, (uint32_t)(value >> 32));
}

static inline void bytes_put_be16(uint8_t *b, uint16_t value)
{
	b[0] = (uint8_t)(value >> 8);
	b[1] = (uint8_t)value;
}

static inline void bytes_put_be32(uint8_t *b, uint32_t value)
{
	bytes_put_be16(b, (uint16_t)(value >> 16));
	bytes_put_be16(b + 2, (uint16_t)value);
}

/* Sum of all bytes: 0 where a table's checksum is right. */
static inline uint8_t bytes_sum(const uint8_t *b, uint32_t count)
{
	uint8_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum = (uint8_t)(sum + b[i]);
	return sum;
}
