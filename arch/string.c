/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library functions of core/lib/mem.h, for programs without a C library, except those in
 * copy.c.
 */
#include "core/lib/mem.h"

#include <stdint.h>

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
