/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory copied and filled, eight bytes at a time. */
#include "core/lib/mem.h"

#include <stdint.h>

/* The memory may have any alignment and type: normal memory requires no alignment. */
typedef uint64_t word __attribute__((aligned(1), may_alias));

void *memcpy(void *restrict dst, const void *restrict src, size_t bytes)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		*(word *)(void *)d = *(const word *)(const void *)s;
		d += sizeof(word);
		s += sizeof(word);
	}
	while (bytes--)
		*d++ = *s++;
	return dst;
}

void *memset(void *dst, int value, size_t bytes)
{
	const uint64_t all = (uint8_t)value * UINT64_C(0x0101010101010101);
	uint8_t *d = dst;

	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		*(word *)(void *)d = all;
		d += sizeof(word);
	}
	while (bytes--)
		*d++ = (uint8_t)value;
	return dst;
}
