/* SPDX-License-Identifier: BSD-2-Clause */
/* The library functions of core/lib/mem.h, for programs without a C library. */
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

void *memmove(void *dst, const void *src, size_t bytes)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	if (d <= s || d >= s + bytes)
		return memcpy(dst, src, bytes);
	while (bytes--)
		d[bytes] = s[bytes];
	return dst;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const uint8_t *x = a, *y = b;

	for (size_t i = 0; i < bytes; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

void *memchr(const void *s, int c, size_t bytes)
{
	const uint8_t *p = s;

	for (size_t i = 0; i < bytes; i++)
		if (p[i] == (uint8_t)c)
			return (void *)(uintptr_t)(p + i);
	return NULL;
}

char *strchr(const char *s, int c)
{
	return memchr(s, c, strlen(s) + 1);
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (uint8_t)*a - (uint8_t)*b;
}
